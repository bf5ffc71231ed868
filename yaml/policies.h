/*
 * policies.h - the `policy:` mappings of a workload
 */
#ifndef YAML_POLICIES_H
#define YAML_POLICIES_H

#include "yaml/check.h"
#include "yaml/schema.h"

/*
 * Set what the mapping `policy` in the mapping at hand says; @raw may be NULL.
 * @tasks_max: the largest number of tasks, for choices that stand one only.
 */
void take_policies(struct check *check, const struct raw_policy *raw, int tasks_max,
		   int policy[static POLICY_MAX]);

#endif
