/*
 * evaluate.h - what the model makes of the base columns with given values
 *
 * Points run in children (engine/runner.h), as many at a time as asked for, and
 * always with the same seed: equal values give equal errors.
 */
#ifndef ENGINE_CALIBRATE_EVALUATE_H
#define ENGINE_CALIBRATE_EVALUATE_H

#include "engine/calibrate/target.h"
#include "engine/result.h"
#include "vfs/kernel_ops.h"
#include "yaml/fittable.h"

struct evaluator {
	const struct kernel_ops *kernel;
	struct target *targets;
	int nr_targets;
	const struct fittable *solved;	/* NULL: not in the file, or nothing depends on it */
	u64 seed;
	int jobs;
	bool interrupted;		/* the user wants to stop: figures mean nothing */
};

#define EVALUATE_OWN 0 /* operations: as many as the workload says */

/* Run the rows of @target on @spec. Free with run_result_clear(). */
void evaluate_target(struct evaluator *evaluator, const struct target *target,
		     const struct machine_spec *spec, u64 operations, struct run_result *result);

/* Find out which targets the solved cost matters to; forget it if it does to none. */
void evaluate_find_solvers(struct evaluator *evaluator, const struct machine_spec *spec);

/*
 * Give @spec the solved cost with which the one-task rates are right on average.
 * From the file's value and the workloads' own operations, so the outcome depends
 * on @spec's other figures alone.
 */
void evaluate_solve(struct evaluator *evaluator, struct machine_spec *spec);

/*
 * Root mean square error of each target's base column on @spec, into @errors.
 */
void evaluate_errors(struct evaluator *evaluator, const struct machine_spec *spec, u64 operations,
		     double *errors);

#endif
