/*
 * reveal.h - how far off the columns are, predictions included
 */
#ifndef ENGINE_CALIBRATE_REVEAL_H
#define ENGINE_CALIBRATE_REVEAL_H

#include "engine/calibrate/calibration.h"

/* Every column of one workload: what was published, what the model makes of it. */
void reveal_print_table(const struct run_result *result, FILE *out);

/*
 * By how much the mean error of each column moves when a figure is a tenth smaller
 * or larger than fitted. @evaluator has the targets with all of their columns.
 */
void sensitivity_print(struct evaluator *evaluator, const struct calibration *calibration,
		       FILE *out);

/* What a column is: "base", or "predicted". */
const char *column_role(const struct published *published, u32 column);

#endif
