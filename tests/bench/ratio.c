/*
 * ratio.c - see ratio.h
 */
#include "tests/bench/ratio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vfs/kernel_ops.h"

u64
bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
sort_samples(double sorted[ROUNDS], const double samples[ROUNDS])
{
	memcpy(sorted, samples, ROUNDS * sizeof(*sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), compare_doubles);
}

void
bench_panic(void *context, const struct panic_report *report)
{
	fprintf(stderr, "%s\n", report->message);
	_exit(report->verdict);
}

double
timing_median(const struct timing *timing)
{
	double sorted[ROUNDS];

	sort_samples(sorted, timing->ns);
	return sorted[ROUNDS / 2];
}

/* With n = 21 the 6th and the 16th of the sorted samples enclose the median at 97.3 %. */
bool
ratio_print(const char *name, const struct timing *over, const struct timing *under, double limit)
{
	double ratios[ROUNDS];
	double sorted[ROUNDS];
	bool holds;

	for (int i = 0; i < ROUNDS; i++)
		ratios[i] = over->ns[i] / under->ns[i];
	sort_samples(sorted, ratios);
	holds = limit <= 0 || sorted[ROUNDS / 2] <= limit;
	printf("%-58s %6.2f [%.2f, %.2f]", name, sorted[ROUNDS / 2], sorted[5], sorted[15]);
	if (limit > 0)
		printf("  limit %.1f: %s", limit, holds ? "holds" : "MISSED");
	printf("\n");
	return holds;
}
