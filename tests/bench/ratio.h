/*
 * ratio.h - times of interleaved contenders, and the ratio of two of them
 *
 * Machines are shared and noisy: contenders take turns, many times, and what
 * counts is the median of the per-round ratios with its 95 % interval by order
 * statistics.
 */
#ifndef TESTS_BENCH_RATIO_H
#define TESTS_BENCH_RATIO_H

#include "machine/types.h"

#define ROUNDS 21

/*
 * A round's time is that of the fastest of BLOCKS blocks of calls, which contenders
 * make in turn: long enough for the clock, short enough to be left alone now and then.
 */
#define BLOCK 2000
#define BLOCKS 25

struct timing {
	double ns[ROUNDS];	/* per operation, one per round */
};

u64 bench_now_ns(void);

/* For struct kernel_config: say why and end. */
struct panic_report;
void bench_panic(void *context, const struct panic_report *report);

double timing_median(const struct timing *timing);

/*
 * Print "name: median [low, high] (limit L)" for the ratio @over / @under;
 * @limit 0 means that the figure is only shown. Return: true if it holds.
 */
bool ratio_print(const char *name, const struct timing *over, const struct timing *under,
		 double limit);

#endif
