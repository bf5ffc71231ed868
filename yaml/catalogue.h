/*
 * catalogue.h - what can be written into a file, as data
 *
 * The tables of every room (policy.def, ops.def, costs.def) gathered once, for
 * the loader and for `engine list` and `engine describe`.
 */
#ifndef YAML_CATALOGUE_H
#define YAML_CATALOGUE_H

#include "machine/cost.h"
#include "yaml/workload.h"

struct policy_choice {
	const char *name;	/* in YAML; NULL ends a family's list */
	unsigned int flags;	/* enum policy_flags */
	const char *reference;	/* kernel file and version */
	const char *summary;
};

struct policy_family {
	int number;		/* index into policy_value[] */
	const char *name;
	const char *room;	/* which room it belongs to */
	const char *summary;
	const struct policy_choice *choices;	/* the default is the first */
};

enum argument_type {
#define ARGUMENT_TYPE(name, unit, smallest, largest, summary) ARGUMENT_##name,
#include "yaml/argument_types.def"
#undef ARGUMENT_TYPE
	ARGUMENT_TYPES,
};

struct argument {
	const char *key;	/* "" when it is the operation's value; NULL ends a list */
	enum argument_type type;
	size_t field;		/* offset in struct step */
	size_t raw;		/* offset in struct raw_args (yaml/schema.h) */
	bool required;
	const char *fallback;	/* default, as text */
	const char *summary;
};

struct operation {
	enum op_code code;
	const char *name;
	const char *summary;
	const struct argument *arguments;
};

/* One entry of costs.def. */
struct cost_name {
	const char *name;
	const char *summary;
};

/* In table order. Return: NULL past the end. */
const struct policy_family *catalogue_family(size_t index);
const struct operation *catalogue_operation(size_t index);
const struct cost_name *catalogue_cost(size_t index);
const char *catalogue_kernel(size_t index);	/* versions that `kernel:` accepts, newest last */

/*
 * Number of the choice that @family has in release @kernel ("6.12").
 * Return: -1 if that release does not say, which means the default.
 */
int catalogue_kernel_choice(const char *kernel, const struct policy_family *family);

/* By its YAML name. Return: NULL if there is none. */
const struct policy_family *catalogue_find_family(const char *name);
const struct operation *catalogue_find_operation(const char *name);

/* Number of @name among the choices of @family. Return: -1 if it is none of them. */
int catalogue_find_choice(const struct policy_family *family, const char *name);

/* A word in a list of flags: it sets @flag, alone of the bits of @mask. */
struct flag_name {
	const char *name;	/* in YAML; NULL ends a list */
	int flag;
	int mask;
};

/* The words that an argument of type OPEN_FLAGS or ACCESS_MODE is a list of; the default first. */
const struct flag_name *argument_flags(enum argument_type type);

/* The words that one of these types is one of, in the order of its numbers; NULL: no such type. */
const char *const *argument_choices(enum argument_type type);

/* Errors by name: ENOENT is "enoent". Return: @name, or NULL if none has that number. */
#define ERRNO_MAX 133
#define ERRNO_NAME_SIZE 24
const char *errno_name(int number, char name[static ERRNO_NAME_SIZE]);

/* What kind of argument it is, in words. */
const char *argument_type_summary(enum argument_type type);

#endif
