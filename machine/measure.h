/*
 * measure.h - what was counted, and which cache lines cost the time
 *
 * Everything is counted in the runtime, between measure_begin() and
 * measure_end() only; counting is neither modelled nor timed. The host kind
 * knows events only: it has no line reports and no transactions.
 */
#ifndef MACHINE_MEASURE_H
#define MACHINE_MEASURE_H

#include "machine/event.h"
#include "machine/names.h"
#include "machine/spec.h"

#define LINE_REPORT_SITES 8
#define MEASURE_LINES 16	/* the hottest lines, which are reported */

/* One code address that stalled on a line. */
struct site_report {
	const void *pc;		/* return address of the access */
	u32 offset;		/* of the access, within the named object */
	u64 transactions;
	u64 stall_ps;
	u64 cmpxchg_failed;
};

/* One contended cache line; virtual kind only. */
struct line_report {
	struct object_name object;
	u32 offset;		/* of the line's hottest field, within the object */
	u64 stall_ps;		/* time that CPUs waited for this line, all together */
	u64 transactions[DISTANCE_MAX];
	u64 cmpxchg;
	u64 cmpxchg_failed;
	int nr_sites;
	struct site_report sites[LINE_REPORT_SITES];	/* by stall_ps, descending */
};

struct measurement {
	u64 events[EVENT_MAX];
	u64 stall_ps;		/* over all lines */
	u64 transactions;	/* over all lines */
	u64 accesses;		/* modelled accesses, hits included */
};

/* Count from now on, from zero. Context: a task (virtual), any thread (host). */
void measure_begin(void);

/*
 * Stop counting and copy what was counted. Contended lines get their names here,
 * while the objects that they hold are still there. Context: as measure_begin().
 */
void measure_end(struct measurement *result);

/*
 * Contended lines of the last measurement by stall_ps, descending; ties by
 * address within the arena. Context: after measure_end(). Return: how many of
 * @max, and of MEASURE_LINES, were filled in.
 */
int measure_lines(struct line_report *reports, int max);

#endif
