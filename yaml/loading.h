/*
 * loading.h - the passes in a row, for both kinds of files
 */
#ifndef YAML_LOADING_H
#define YAML_LOADING_H

#include "yaml/check.h"
#include "yaml/schema.h"

struct loading {
	struct pool scratch;	/* lives as long as the load */
	struct report report;
	struct places places;
	struct check check;	/* for the third pass */
	const cyaml_schema_value_t *schema;
	void *raw;		/* what libcyaml made; NULL if there is nothing to check */
};

/*
 * Locate and load @file along @schema, a mapping called @what. Values that the
 * check pass hands out will lie in @pool. End with loading_end().
 * Return: what libcyaml made, or NULL if the file is too broken to be checked.
 */
void *loading_begin(struct loading *loading, const char *file, const struct override *overrides,
		    int nr_overrides, const cyaml_schema_value_t *schema, const char *what,
		    struct pool *pool);

/* Write the errors to @errors, if it is not NULL. Return: true if there were none. */
bool loading_end(struct loading *loading, FILE *errors);

/* All values that the check pass took, as YAML with the origin of each in a comment. */
void resolved_print(struct check *check, FILE *out);

#endif
