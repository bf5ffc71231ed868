/*
 * policy.h - policy families of pagecache/ and their choices, from policy.def
 */
#ifndef PAGECACHE_POLICY_H
#define PAGECACHE_POLICY_H

#include "machine/policy.h"

#define POLICY_FAMILY(family, default_choice, summary) POLICY_##family,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
enum pagecache_policy {
	POLICY_PAGECACHE_FIRST = POLICY_BASE_PAGECACHE - 1,
#include "pagecache/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#define POLICY_FAMILY(family, default_choice, summary) family##_before_first = -1,
#define POLICY_CHOICE(family, choice, name, flags, reference, summary) family##_##choice,
enum pagecache_policy_choice {
#include "pagecache/policy.def"
};
#undef POLICY_FAMILY
#undef POLICY_CHOICE

#endif
