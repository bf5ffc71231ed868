/*
 * stats.h - statistics over samples, in integers
 *
 * Every sample is kept and shown; nothing is thrown away as an outlier. Ratios
 * are fixed-point so that a result has the same bytes on every computer.
 */
#ifndef ENGINE_STATS_H
#define ENGINE_STATS_H

#include "machine/types.h"

#define STATS_MIN_CI_SAMPLES 6 /* fewer cannot cover a median with 95 %: 1 - 2^(1-5) = 93.75 % */

struct summary {
	u64 median;
	u64 min;
	u64 max;
	bool has_ci;	/* 95 % interval of the median, from STATS_MIN_CI_SAMPLES samples on */
	u64 ci_low;
	u64 ci_high;
};

/* Summarise @n > 0 samples in any order; @samples is left as it is. Context: may allocate. */
void stats_summarise(const u64 *samples, int n, struct summary *summary);

/*
 * How many samples to leave out at each end of @n sorted ones so that the rest
 * still covers the median with 95 %. Return: -1 when even all do not.
 */
int stats_ci_rank(int n);

/*
 * Jain's fairness index of @counts, (sum x)^2 / (n * sum x^2), times 1000: 1000
 * is fair, 1000 / n is one task that does everything. All zero counts as fair.
 */
u64 stats_fairness_permille(const u64 *counts, int n);

/* @num * @scale / @den, rounded half up; 0 when @den is 0. */
u64 scaled_ratio(u64 num, u64 den, u64 scale);

/* |@modelled / @published - 1|, times @scale. */
u64 relative_error(u64 modelled, u64 published, u64 scale);

#endif
