/*
 * window.h - which completions of a virtual run count
 *
 * `operations` counts all tasks together. The window opens at the completion
 * that ends the warm-up and closes at the N-th completion after it (or at the
 * first one that is not earlier than the wanted duration); every task runs on
 * through both ends, so both are ordinary moments of a run under full load.
 *
 *	setup | warm-up            | window: these count     | running on
 *	------+--------------------+-------------------------+-----------> time
 *	      last task's setup    completion that opens     N-th completion
 *
 * `warmup: auto` is three rounds of all tasks (three times as many completions
 * as there are tasks) and then 20 us more.
 *
 * Context: bodies of the virtual kind, which run one at a time and in the order
 * of the times they pass: no locking.
 */
#ifndef ENGINE_WINDOW_H
#define ENGINE_WINDOW_H

#include "yaml/workload.h"

enum window_state {
	WINDOW_STARTING,	/* some task is still in its setup */
	WINDOW_WARMING,
	WINDOW_OPEN,
	WINDOW_CLOSED,		/* whoever completes now may stop */
};

struct window {
	enum window_state state;
	u64 starting;		/* tasks still in their setup */
	u64 rounds;		/* completions still to come before the clock decides */
	u64 warm_ps;		/* how long to wait then */
	u64 open_at_ps;		/* the warm-up ends at the first completion from here on */
	u64 operations;		/* length of the window in completions; 0: by duration */
	u64 duration_ps;
	u64 opened_ps;
	u64 closed_ps;
	u64 counted;		/* completions inside the window */
	u64 *per_task;		/* the same by task; the caller's array */
};

/* @per_task: @tasks zeroed counters. */
void window_init(struct window *window, const struct measure *measure, int tasks, u64 *per_task);

/* A task has done its setup and enters its loop. */
void window_task_started(struct window *window, u64 now_ps);

/*
 * Task @task has completed one iteration.
 * Return: true if this moved the window on (it has just opened or closed).
 */
bool window_completion(struct window *window, int task, u64 now_ps);

#endif
