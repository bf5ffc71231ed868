/*
 * policy.h - families and choices of vfs/, from its table
 *
 * Choices count from 0 in each family, the default first; read the one in force
 * as policy_value[POLICY_<family>] (machine/policy.h).
 */
#ifndef VFS_POLICY_H
#define VFS_POLICY_H

#include "machine/policy.h"

#define POLICY_FAMILY(family, default_choice, summary) POLICY_##family,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
enum vfs_policy {
	POLICY_VFS_FIRST = POLICY_BASE_VFS - 1,
#include "vfs/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#define POLICY_FAMILY(family, default_choice, summary) family##_before_first = -1,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary) family##_##choice,
enum vfs_policy_choice {
#include "vfs/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#endif
