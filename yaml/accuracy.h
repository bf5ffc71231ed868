/*
 * accuracy.h - how far off a machine file says that its model is
 *
 * `accuracy:` records the mean error of each published column that the machine's
 * figures were last compared with. Whether a column is a base or a prediction is
 * what the workload says (`published: base:`). Nothing that runs reads the records:
 * they are no part of struct machine_spec, so that calibration cannot see them.
 */
#ifndef YAML_ACCURACY_H
#define YAML_ACCURACY_H

#include "yaml/check.h"
#include "yaml/schema.h"

/* Check and note the records of the machine file at hand. */
void take_accuracy(struct check *check, const struct raw_accuracy *raw, u32 count);

#endif
