/*
 * window.c - see window.h
 */
#include "engine/window.h"

#include <string.h>

#define PS_PER_NS 1000ull
#define AUTO_ROUNDS 3
#define AUTO_WARM_PS (20 * 1000 * PS_PER_NS)

void
window_init(struct window *window, const struct measure *measure, int tasks, u64 *per_task)
{
	memset(window, 0, sizeof(*window));
	window->starting = tasks;
	window->rounds = measure->warmup_auto ? (u64)AUTO_ROUNDS * tasks : 0;
	window->warm_ps = measure->warmup_auto ? AUTO_WARM_PS : measure->warmup_ns * PS_PER_NS;
	window->operations = measure->operations;
	window->duration_ps = measure->duration_ns * PS_PER_NS;
	window->per_task = per_task;
}

void
window_task_started(struct window *window, u64 now_ps)
{
	if (--window->starting)
		return;
	window->state = WINDOW_WARMING;
	window->open_at_ps = now_ps + window->warm_ps;
}

static bool
warming_completion(struct window *window, u64 now_ps)
{
	if (window->rounds) {
		if (!--window->rounds)
			window->open_at_ps = now_ps + window->warm_ps;
		return false;
	}
	if (now_ps < window->open_at_ps)
		return false;
	window->state = WINDOW_OPEN;
	window->opened_ps = now_ps;
	return true;
}

static bool
open_completion(struct window *window, int task, u64 now_ps)
{
	bool last;

	window->per_task[task]++;
	window->counted++;
	if (window->operations)
		last = window->counted == window->operations;
	else
		last = now_ps - window->opened_ps >= window->duration_ps;
	if (!last)
		return false;
	window->state = WINDOW_CLOSED;
	window->closed_ps = now_ps;
	return true;
}

bool
window_completion(struct window *window, int task, u64 now_ps)
{
	switch (window->state) {
	case WINDOW_WARMING:
		return warming_completion(window, now_ps);
	case WINDOW_OPEN:
		return open_completion(window, task, now_ps);
	case WINDOW_STARTING:
	case WINDOW_CLOSED:
		break;
	}
	return false;
}
