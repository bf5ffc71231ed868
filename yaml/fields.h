/*
 * fields.h - the keys of workload and machine files: unit, default, range, help
 *
 * The table beside libcyaml's: what a value means once it is text. Defaults,
 * range errors and `engine describe` all come from it.
 */
#ifndef YAML_FIELDS_H
#define YAML_FIELDS_H

#include "yaml/value.h"

struct field {
	const char *path;	/* lists without their index: "files.size" */
	enum unit unit;
	const char *fallback;	/* default as text; NULL: must be given; "": may be left out */
	u64 smallest;
	u64 largest;		/* of a COUNT and after; both 0: any */
	const char *const *choices;	/* of a CHOICE, in the order of its enum; NULL ends */
	const char *help;
};

extern const struct field workload_field_table[];	/* a NULL path ends each */
extern const struct field machine_field_table[];

/* Return: the field of @path, which must be in @table. */
const struct field *field_find(const struct field *table, const char *path);

#endif
