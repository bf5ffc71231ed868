/*
 * children.h - run jobs in child processes, so many at a time
 *
 * A job is a function that runs in a forked child and sends one frame (wire.h).
 * Whatever happens to the child - a signal, a hang, nonsense on the pipe -
 * becomes a failed sample of that job and touches no other. The parent starts
 * no thread and boots no kernel.
 */
#ifndef ENGINE_CHILDREN_H
#define ENGINE_CHILDREN_H

#include "engine/sample.h"

struct job {
	/* Runs in the child; sends its sample to @result_fd and does not return. */
	void (*run)(const void *context, int result_fd);
	const void *context;
	u64 limit_ms;		/* a child that takes longer is killed */
	struct sample *result;	/* filled in when the job is done */
};

struct children_config {
	int parallel;	/* children at a time */
	/* Called in the parent after each job, with how many are done. */
	void (*done)(void *context, int finished);
	void *context;
};

/*
 * Run @jobs in their order. Return: true when all were run; false if SIGINT,
 * SIGTERM or SIGHUP came: children are killed then, and what was not finished
 * stays SAMPLE_SKIPPED.
 */
bool children_run(const struct children_config *config, const struct job *jobs, int nr_jobs);

#endif
