/*
 * measure.c - counters of this kind: events, and nothing about lines
 */
#include "machine/measure.h"

#include <string.h>

#include "machine/host/host.h"

static u64 events_before[EVENT_MAX]; /* at measure_begin(), whose caller owns it */

/* A task's counters while it lives are its thread's; those of the dead were added up. */
void
runtime_event_totals(u64 *totals)
{
	struct runtime_task *task;

	pthread_mutex_lock(&host.lock);
	memcpy(totals, host.events, sizeof(host.events));
	list_for_each_entry (task, &host.all_tasks, entry)
		for (int i = 0; i < EVENT_MAX && task->events; i++)
			totals[i] += READ_ONCE(task->events[i]);
	pthread_mutex_unlock(&host.lock);
}

void
measure_begin(void)
{
	runtime_event_totals(events_before);
}

void
measure_end(struct measurement *result)
{
	memset(result, 0, sizeof(*result));
	runtime_event_totals(result->events);
	for (int i = 0; i < EVENT_MAX; i++)
		result->events[i] -= events_before[i];
}

int
measure_lines(struct line_report *reports, int max)
{
	return 0;
}
