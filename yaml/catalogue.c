/*
 * catalogue.c - see catalogue.h
 *
 * The tables are flat: a family is followed by its choices, an operation by its
 * arguments. The arrays below keep that order, with an empty entry in place of
 * each head, so that a head's list starts after its own entry and ends at the
 * next one.
 */
#include "yaml/catalogue.h"

#include <string.h>

#include "yaml/schema.h"

enum family_number {
#define POLICY_FAMILY(family, default_choice, summary) FAMILY_##family,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
	MACHINE_FAMILIES = POLICY_BASE_MACHINE - 1,
#include "machine/policy.def"
	PAGECACHE_FAMILIES = POLICY_BASE_PAGECACHE - 1,
#include "pagecache/policy.def"
	VFS_FAMILIES = POLICY_BASE_VFS - 1,
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
};

enum choice_index {
#define POLICY_FAMILY(family, default_choice, summary) HEAD_##family,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary) INDEX_##family##_##choice,
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
};

static const struct policy_choice choices[] = {
#define POLICY_FAMILY(family, default_choice, summary) { 0 },
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)                             \
	{ name, flags, reference, summary },
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
	{ 0 },
};

static const struct policy_family families[] = {
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
#define POLICY_FAMILY(family, default_choice, summary)                                             \
	{ FAMILY_##family, #family, "machine", summary, &choices[HEAD_##family + 1] },
#include "machine/policy.def"
#undef POLICY_FAMILY
#define POLICY_FAMILY(family, default_choice, summary)                                             \
	{ FAMILY_##family, #family, "pagecache", summary, &choices[HEAD_##family + 1] },
#include "pagecache/policy.def"
#undef POLICY_FAMILY
#define POLICY_FAMILY(family, default_choice, summary)                                             \
	{ FAMILY_##family, #family, "vfs", summary, &choices[HEAD_##family + 1] },
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
};

enum argument_index {
#define OPERATION(code, name, summary) HEAD_##code,
#define ARGUMENT(code, key, type, field, required, fallback, summary) INDEX_##code##_##field,
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
};

static const struct argument arguments[] = {
#define OPERATION(code, name, summary) { 0 },
#define ARGUMENT(code, key, type, field, required, fallback, summary)                              \
	{ key,                                                                                     \
	  ARGUMENT_##type,                                                                         \
	  offsetof(struct step, field),                                                            \
	  offsetof(struct raw_args, field),                                                        \
	  required,                                                                                \
	  fallback,                                                                                \
	  summary },
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
	{ 0 },
};

static const struct operation operations[] = {
#define OPERATION(code, name, summary) { OP_##code, name, summary, &arguments[HEAD_##code + 1] },
#define ARGUMENT(code, key, type, field, required, fallback, summary)
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
};

static const struct cost_name costs[] = {
#define COST(name, summary) { #name, summary },
#include "machine/costs.def"
#undef COST
};

/*
 * Releases whose behaviour a policy may stand for. No policy of today's tables
 * differs between them, so naming one sets nothing yet.
 */
static const char *const kernels[] = { "6.1", "6.2", "6.12", "6.15", "7.3" };

const struct policy_family *
catalogue_family(size_t index)
{
	return index < ARRAY_SIZE(families) ? &families[index] : NULL;
}

const struct operation *
catalogue_operation(size_t index)
{
	return index < ARRAY_SIZE(operations) ? &operations[index] : NULL;
}

const struct cost_name *
catalogue_cost(size_t index)
{
	return index < ARRAY_SIZE(costs) ? &costs[index] : NULL;
}

const char *
catalogue_kernel(size_t index)
{
	return index < ARRAY_SIZE(kernels) ? kernels[index] : NULL;
}

const struct policy_family *
catalogue_find_family(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		if (!strcmp(families[i].name, name))
			return &families[i];
	}
	return NULL;
}

const struct operation *
catalogue_find_operation(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	}
	return NULL;
}

int
catalogue_find_choice(const struct policy_family *family, const char *name)
{
	for (int i = 0; family->choices[i].name; i++) {
		if (!strcmp(family->choices[i].name, name))
			return i;
	}
	return -1;
}

const char *
argument_type_summary(enum argument_type type)
{
	static const char *const summaries[] = {
#define ARGUMENT_TYPE(name, unit, smallest, largest, summary) summary,
#include "yaml/argument_types.def"
#undef ARGUMENT_TYPE
	};

	return summaries[type];
}
