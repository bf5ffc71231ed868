/*
 * policy.h - the choices in force
 *
 * A policy is a named choice inside a family (policy.def of each room). The
 * values are fixed before the first task starts and lie in the runtime, not in
 * the arena: reading one is as free on the modelled machine as a static key
 * is in the kernel.
 */
#ifndef MACHINE_POLICY_H
#define MACHINE_POLICY_H

#include "machine/types.h"

/* Each room numbers its families from its own base. */
enum {
	POLICY_BASE_MACHINE = 0,
	POLICY_BASE_PAGECACHE = 16,
	POLICY_BASE_VFS = 48,
	POLICY_MAX = 96,
};

/* Choice (or number) of each family; written by boot only. */
extern int policy_value[POLICY_MAX];

/*
 * What a family header switches on. The default, 0, is expected: if it has a case of
 * its own, that case is one test away and the others are out of its way.
 */
#define policy_choice(family) __builtin_expect(policy_value[POLICY_##family], 0)

enum policy_flags {
	POLICY_UNSAFE = 1,	/* gives up a guarantee that the others keep */
	POLICY_ONE_TASK = 2,	/* only correct while one task runs */
};

/* Family numbers and choices of this room, from the table. */
#define POLICY_FAMILY(family, default_choice, summary) POLICY_##family,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
enum machine_policy {
	POLICY_MACHINE_FIRST = POLICY_BASE_MACHINE - 1,
#include "machine/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#define POLICY_FAMILY(family, default_choice, summary) family##_before_first = -1,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary) family##_##choice,
enum machine_policy_choice {
#include "machine/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#endif
