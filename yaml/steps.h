/*
 * steps.h - prepare, setup and loop: operations, their arguments, the names they bind
 */
#ifndef YAML_STEPS_H
#define YAML_STEPS_H

#include "yaml/check.h"
#include "yaml/schema.h"

/*
 * Fill in the three lists and the slot counts of @workload, whose files, lines,
 * tasks and as are checked already. What the tables say about an operation is
 * checked for each step; then the lists are walked in the order in which they
 * will run, the loop twice, to see that every name is bound when it is used.
 */
void check_steps(struct check *check, const struct raw_workload *raw, struct workload *workload);

#endif
