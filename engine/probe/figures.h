/*
 * figures.h - what the readings of all visits come to
 *
 * A sample's gauge is the least of its visits. What a machine file wants is
 * mostly a difference of gauges, taken within each sample:
 *
 *	hit = (read - atomics x add - fences x fence - copy) / (hits - 1)
 *
 * that is, what one more access that hits adds to the time of running kernel
 * code, and not its latency, which a core hides. The copy's own load is one of
 * the hits and is in the copy's time.
 */
#ifndef ENGINE_PROBE_FIGURES_H
#define ENGINE_PROBE_FIGURES_H

#include "engine/probe/probe.h"
#include "engine/stats.h"

enum figure {
	/* gauges as they are; those of gauge.h have the same numbers */
	FIGURE_HIT = GAUGE_MAX,
	FIGURE_COPY,		/* 64 bytes, beyond the hits */
	FIGURE_SECURITY,	/* a pread's rest: neither system call nor the mini-kernel's work */
	FIGURE_GETATTR,		/* an fstat's rest, of the same kind */
	FIGURE_WAKE,		/* waking, on the waker's CPU, beyond the system call */
	FIGURE_WAKE_LATENCY,	/* from there until the woken thread runs */
	FIGURE_SWITCH,		/* beyond the system call */
	FIGURE_IPI,		/* beyond the system call */
	FIGURE_DISTANCE,	/* + enum distance: a hand-over */
	FIGURE_MAX = FIGURE_DISTANCE + DISTANCE_MAX,
};

struct figures {
	int samples[FIGURE_MAX];	/* 0: not measured */
	struct summary summary[FIGURE_MAX];	/* femtoseconds */
};

void figures_compute(const struct probe *probe, struct figures *figures);

/* Ends of the 95 % interval of the median; of fewer than six samples, all of them. */
u64 figure_low(const struct summary *summary);
u64 figure_high(const struct summary *summary);

/* The median over the samples of the @pair-th pair. Return: 0 if it was not measured. */
u64 figure_of_pair(const struct probe *probe, int pair);

#endif
