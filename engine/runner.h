/*
 * runner.h - from a resolved workload to the samples of all of its points
 *
 * A point is a variant at a number of tasks. On the virtual kind each of its
 * streams of the seed is one child, many children at a time, largest points
 * first; on the host each repeat is one child, one at a time, in an order drawn
 * from the seed so that slow drifts of the host hit every point alike. Results
 * stand in the order of the workload either way.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "engine/result.h"
#include "vfs/kernel_ops.h"

struct runner_config {
	const struct kernel_ops *kernel;
	const struct machine_spec *spec;	/* NULL: the host */
	const struct workload *workload;
	const bool *wanted;			/* by variant; NULL: all of them */
	u64 seed;
	int jobs;				/* virtual: children at a time */
	bool races;
	u64 limit_ms;				/* for one child, beyond what the host measures by
						 * the clock; 0: RUNNER_LIMIT_MS */
	/* Called after each child; may be NULL. */
	void (*progress)(void *context, int finished, int total);
	void *progress_context;
};

#define RUNNER_LIMIT_MS 120000

/*
 * Run everything and fill in @result->points (finished), @result->interrupted
 * and what compares points. @result's other fields are the caller's.
 */
void runner_run(const struct runner_config *config, struct run_result *result);

#endif
