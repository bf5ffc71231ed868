/*
 * locate.h - the first pass: where everything is, and whether it has the right shape
 */
#ifndef YAML_LOCATE_H
#define YAML_LOCATE_H

#include "yaml/document.h"
#include "yaml/places.h"
#include "yaml/schema.h"

/*
 * Walk @document along @schema, a mapping called @what. Unknown and repeated
 * keys and values of the wrong kind are reported and taken out of the tree, so
 * that the passes behind it see the rest of the file; short forms (yaml/schema.h)
 * are written out. Positions go to @places.
 * Return: false if the whole is no mapping, so that nothing can be loaded.
 */
bool locate(struct document *document, const cyaml_schema_value_t *schema, const char *what,
	    struct places *places);

#endif
