/*
 * stats.c - see stats.h
 */
#include "engine/stats.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

typedef unsigned __int128 u128;

/* Up to here sums of binomials, times 40, fit 128 bits. */
#define EXACT_SAMPLES 120

static int
compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/*
 * The interval from the k-th smallest to the k-th largest sample misses the
 * median with probability 2 * sum(C(n, i), i <= k) / 2^n, whatever the
 * distribution. The largest k with at most 5 %: 40 * sum <= 2^n.
 */
static int
ci_rank_exact(int n)
{
	u128 all = (u128)1 << n;
	u128 binomial = 1; /* C(n, k) */
	u128 sum = 1;
	int k = 0;

	if (40 * sum > all)
		return -1;
	for (;;) {
		binomial = binomial * (n - k) / (k + 1);
		sum += binomial;
		if (40 * sum > all)
			return k;
		k++;
	}
}

/* Normal approximation, one rank to the safe side: k = n/2 - 0.98 * sqrt(n) - 1. */
static int
ci_rank_normal(int n)
{
	u64 scaled = 9604ull * n; /* (0.98 * sqrt(n) * 100)^2 */
	u64 root = 0;

	while ((root + 1) * (root + 1) <= scaled)
		root++;
	return (int)((50ull * n - root) / 100) - 1;
}

int
stats_ci_rank(int n)
{
	return n <= EXACT_SAMPLES ? ci_rank_exact(n) : ci_rank_normal(n);
}

void
stats_summarise(const u64 *samples, int n, struct summary *summary)
{
	u64 *sorted = xcalloc(n, sizeof(*sorted));
	int rank;

	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_u64);
	memset(summary, 0, sizeof(*summary));
	summary->min = sorted[0];
	summary->max = sorted[n - 1];
	summary->median = sorted[(n - 1) / 2];
	summary->median += (sorted[n / 2] - summary->median) / 2;
	rank = stats_ci_rank(n);
	if (rank >= 0) {
		summary->has_ci = true;
		summary->ci_low = sorted[rank];
		summary->ci_high = sorted[n - 1 - rank];
	}
	free(sorted);
}

u64
stats_fairness_permille(const u64 *counts, int n)
{
	u128 squares = 0;
	u128 sum = 0;

	for (int i = 0; i < n; i++) {
		sum += counts[i];
		squares += (u128)counts[i] * counts[i];
	}
	if (!squares)
		return 1000;
	squares *= n;
	return (sum * sum * 1000 + squares / 2) / squares;
}

u64
scaled_ratio(u64 num, u64 den, u64 scale)
{
	if (!den)
		return 0;
	return ((u128)num * scale + den / 2) / den;
}

u64
relative_error(u64 modelled, u64 published, u64 scale)
{
	u64 difference = modelled > published ? modelled - published : published - modelled;

	return scaled_ratio(difference, published, scale);
}
