/*
 * policies.h - the `policy:` mappings of a workload
 */
#ifndef YAML_POLICIES_H
#define YAML_POLICIES_H

#include "yaml/check.h"
#include "yaml/schema.h"

/*
 * Set what the mapping `policy` in the mapping at hand says; @raw may be NULL.
 * With a @kernel, a family that it does not mention is as that release has it, or
 * has its default where releases do not differ. With NULL, in a variant, it stays.
 * @tasks_max: the largest number of tasks, for choices that stand one only.
 */
void take_policies(struct check *check, const struct raw_policy *raw, const char *kernel,
		   int tasks_max, int policy[static POLICY_MAX]);

#endif
