/*
 * names.h - which descriptor, file or raw line a name in a step means
 */
#ifndef YAML_NAMES_H
#define YAML_NAMES_H

#include "yaml/catalogue.h"
#include "yaml/check.h"
#include "yaml/schema.h"

/* The operation of a step. Return: NULL for a step that was reported as wrong. */
const struct operation *step_operation(const struct raw_step *raw);

/*
 * Walk the steps in the order in which they will run. Descriptors get their
 * slots, raw lines their index; what is used but not there is reported.
 */
void check_names(struct check *check, const struct raw_workload *raw, struct workload *workload);

#endif
