/*
 * catalogue.c - see catalogue.h
 *
 * The tables are flat: a family is followed by its choices, an operation by its
 * arguments. The arrays below keep that order, with an empty entry in place of
 * each head, so that a head's list starts after its own entry and ends at the
 * next one.
 */
#include "yaml/catalogue.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* From a release on, this choice of that family; oldest first. */
static const struct kernel_policy {
	const char *release;
	int family;
	int choice;
} kernel_policies[] = {
#define KERNEL_POLICY(release, family, choice)                                                     \
	{ release, FAMILY_##family, INDEX_##family##_##choice - HEAD_##family - 1 },
#include "vfs/kernels.def"
#undef KERNEL_POLICY
};

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

static unsigned long
minor_number(const char *after_major)
{
	return *after_major == '.' ? strtoul(after_major + 1, NULL, 10) : 0;
}

/* Is release @a, as "6.12", older than @b? */
static bool
is_older(const char *a, const char *b)
{
	char *rest_a, *rest_b;
	unsigned long major_a = strtoul(a, &rest_a, 10);
	unsigned long major_b = strtoul(b, &rest_b, 10);

	if (major_a != major_b)
		return major_a < major_b;
	return minor_number(rest_a) < minor_number(rest_b);
}

int
catalogue_kernel_choice(const char *kernel, const struct policy_family *family)
{
	int choice = -1;

	for (size_t i = 0; i < ARRAY_SIZE(kernel_policies); i++) {
		const struct kernel_policy *policy = &kernel_policies[i];

		if (policy->family == family->number && !is_older(kernel, policy->release))
			choice = policy->choice;
	}
	return choice;
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

const struct flag_name *
argument_flags(enum argument_type type)
{
	static const struct flag_name open_flags[] = {
		{ "rdonly", O_RDONLY, O_ACCMODE },
		{ "wronly", O_WRONLY, O_ACCMODE },
		{ "rdwr", O_RDWR, O_ACCMODE },
		{ "creat", O_CREAT, O_CREAT },
		{ "excl", O_EXCL, O_EXCL },
		{ "trunc", O_TRUNC, O_TRUNC },
		{ "append", O_APPEND, O_APPEND },
		{ "directory", O_DIRECTORY, O_DIRECTORY },
		{ "nofollow", O_NOFOLLOW, O_NOFOLLOW },
		{ "path", O_PATH, O_PATH },
		{ "noatime", O_NOATIME, O_NOATIME },
		{ "direct", O_DIRECT, O_DIRECT },
		{ "nonblock", O_NONBLOCK, O_NONBLOCK },
		{ "cloexec", O_CLOEXEC, O_CLOEXEC },
		{ 0 },
	};
	static const struct flag_name access_modes[] = {
		{ "exist", F_OK, R_OK | W_OK | X_OK },
		{ "read", R_OK, R_OK },
		{ "write", W_OK, W_OK },
		{ "exec", X_OK, X_OK },
		{ 0 },
	};

	return type == ARGUMENT_ACCESS_MODE ? access_modes : open_flags;
}

const char *const *
argument_choices(enum argument_type type)
{
	static const char *const on_fail[] = { "policy", "retry", "pause", NULL };
	static const char *const whence[] = { "set", "cur", "end", "data", "hole", NULL };

	_Static_assert(SEEK_SET == 0 && SEEK_CUR == 1 && SEEK_END == 2 && SEEK_DATA == 3 &&
			       SEEK_HOLE == 4,
		       "as in the list");
	if (type == ARGUMENT_ON_FAIL)
		return on_fail;
	return type == ARGUMENT_WHENCE ? whence : NULL;
}

const char *
errno_name(int number, char name[static ERRNO_NAME_SIZE])
{
	const char *known = strerrorname_np(number);
	size_t i = 0;

	if (!known)
		return NULL;
	for (; known[i] && i < ERRNO_NAME_SIZE - 1; i++)
		name[i] = tolower((unsigned char)known[i]);
	name[i] = '\0';
	return name;
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
