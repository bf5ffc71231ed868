/*
 * worker.h - what the tasks of a point share, and the bodies they run
 *
 * Both bodies do the same: setup, then the loop until told to stop. They differ
 * in who measures. On the virtual kind the tasks themselves do, each completion
 * at its place in virtual time (window.h). On the host a thread outside does,
 * and a task only counts.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include "engine/interpret.h"
#include "engine/sample.h"
#include "engine/window.h"
#include "machine/atomic.h"

/* One task. */
struct worker {
	struct crew *crew;
	int number;
	struct program setup;
	struct program loop;
	int *fds;	/* its own descriptors, by slot */
	struct interpret_error error;	/* written by the task, read after join */
	bool failed;

	/* Host: written by the task alone, read by the measuring thread; a line of its own. */
	u64 completed ____cacheline_aligned;
};

/* All tasks of one point. */
struct crew {
	const struct kernel_ops *kernel;
	struct worker *workers;
	int tasks;
	u64 **raw_lines;		/* made by init's body, freed by exit's */
	struct window window;		/* virtual */
	struct measurement counted;	/* virtual: filled in when the window closes */

	/* Host, and errors on either kind. */
	atomic_t starting;		/* tasks still in their setup */
	unsigned int stop ____cacheline_aligned;	/* somebody failed, or time is up */
};

/* Bodies; @arg is a struct worker. */
void worker_body_virtual(void *arg);
void worker_body_host(void *arg);

/* A failed task's error in words: "pread (line 12): Bad file descriptor, task 3". */
void worker_describe_error(const struct worker *worker, struct sample *sample);

#endif
