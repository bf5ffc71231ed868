/*
 * objective.h - how far off a set of values is, as one number
 *
 * Only the four operations and the square root, which every computer rounds the
 * same way: a calibration must not depend on whose logarithm it used.
 */
#ifndef ENGINE_CALIBRATE_OBJECTIVE_H
#define ENGINE_CALIBRATE_OBJECTIVE_H

#include "machine/types.h"

#define OBJECTIVE_FAILED 3.0	/* error of a row whose point failed */

/*
 * (m - p) / sqrt(m p): near 0 the relative error, and alike for twice and for half:
 * sqrt(1/2) and -sqrt(1/2). @modelled 0 counts as failed.
 */
double ratio_error(u64 modelled, u64 published);

/* Root of the mean of the squares of @n > 0 errors. */
double rms(const double *errors, int n);

/*
 * What a value @value costs where @published was measured: one standard deviation
 * (15 %) weighs as much as an error of 2 % in every row of one table. 0 if nothing
 * was published.
 */
double pull(u64 value, u64 published);

#endif
