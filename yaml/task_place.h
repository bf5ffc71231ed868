/*
 * task_place.h - the `place:` of a workload or of a variant
 */
#ifndef YAML_TASK_PLACE_H
#define YAML_TASK_PLACE_H

#include "yaml/check.h"
#include "yaml/schema.h"

/*
 * Read the mapping `place` in the mapping at hand into @place, which keeps its
 * value if @raw is NULL. @tasks_max: the largest number of tasks, each of which
 * needs a CPU.
 */
void take_place(struct check *check, const struct raw_place *raw, int tasks_max,
		struct task_place *place);

#endif
