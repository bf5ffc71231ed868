/*
 * figures.c - see figures.h
 */
#include "engine/probe/figures.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

/*
 * The least reading of sample @sample; the visits of one are PROBE_SAMPLES apart.
 * @readings holds @width of each visit, of which @which is wanted.
 */
static u64
least(const u64 *readings, int width, int which, int sample)
{
	u64 smallest = 0;

	for (int visit = sample; visit < PROBE_VISITS; visit += PROBE_SAMPLES) {
		u64 reading = readings[visit * width + which];

		if (reading && (!smallest || reading < smallest))
			smallest = reading;
	}
	return smallest;
}

/* @whole without @part, where both were measured and something is left. */
static u64
beyond(u64 whole, u64 part)
{
	return part && whole > part ? whole - part : 0;
}

static u64
hit(const struct access_counts *counts, const u64 *fs)
{
	u64 others =
		counts->atomics * fs[GAUGE_ADD] + counts->fences * fs[GAUGE_FENCE] + fs[GAUGE_COPY];

	return counts->hits > 1 ? beyond(fs[GAUGE_READ], others) / (counts->hits - 1) : 0;
}

static void
derive(const struct probe *probe, u64 *fs)
{
	u64 syscall = fs[GAUGE_SYSCALL];

	fs[FIGURE_HIT] = hit(probe->counts, fs);
	fs[FIGURE_COPY] = beyond(fs[GAUGE_COPY], fs[FIGURE_HIT]);
	fs[FIGURE_SECURITY] = beyond(beyond(fs[GAUGE_HOST_READ], syscall), fs[GAUGE_READ]);
	fs[FIGURE_GETATTR] = beyond(beyond(fs[GAUGE_HOST_FSTAT], syscall), fs[GAUGE_FSTAT]);
	fs[FIGURE_WAKE] = beyond(fs[GAUGE_WAKE_CALL], syscall);
	fs[FIGURE_WAKE_LATENCY] = beyond(fs[GAUGE_WAKE_HOP], fs[GAUGE_WAKE_CALL]);
	fs[FIGURE_SWITCH] = beyond(fs[GAUGE_YIELD], syscall);
	fs[FIGURE_IPI] = beyond(fs[GAUGE_INTERRUPT], syscall);
}

static void
take_sample(const struct probe *probe, int sample, u64 *fs)
{
	u64 *hand_overs = xcalloc(probe->pairs.count, sizeof(*hand_overs));

	for (int i = 0; i < GAUGE_MAX; i++)
		fs[i] = least(probe->gauges, GAUGE_MAX, i, sample);
	derive(probe, fs);
	for (int i = 0; i < probe->pairs.count; i++)
		hand_overs[i] = least(probe->hand_overs, probe->pairs.count, i, sample);
	for (int i = 0; i < DISTANCE_MAX; i++)
		fs[FIGURE_DISTANCE + i] = pairs_reduce(&probe->pairs, hand_overs, i);
	free(hand_overs);
}

void
figures_compute(const struct probe *probe, struct figures *figures)
{
	u64 fs[PROBE_SAMPLES][FIGURE_MAX] = { 0 };

	memset(figures, 0, sizeof(*figures));
	for (int sample = 0; sample < PROBE_SAMPLES; sample++)
		take_sample(probe, sample, fs[sample]);
	for (int figure = 0; figure < FIGURE_MAX; figure++) {
		u64 measured[PROBE_SAMPLES];
		int *count = &figures->samples[figure];

		for (int sample = 0; sample < PROBE_SAMPLES; sample++)
			if (fs[sample][figure])
				measured[(*count)++] = fs[sample][figure];
		if (*count)
			stats_summarise(measured, *count, &figures->summary[figure]);
	}
}

u64
figure_low(const struct summary *summary)
{
	return summary->has_ci ? summary->ci_low : summary->min;
}

u64
figure_high(const struct summary *summary)
{
	return summary->has_ci ? summary->ci_high : summary->max;
}

u64
figure_of_pair(const struct probe *probe, int pair)
{
	struct summary summary = { 0 };
	u64 measured[PROBE_SAMPLES];
	int count = 0;

	for (int sample = 0; sample < PROBE_SAMPLES; sample++) {
		u64 reading = least(probe->hand_overs, probe->pairs.count, pair, sample);

		if (reading)
			measured[count++] = reading;
	}
	if (count)
		stats_summarise(measured, count, &summary);
	return summary.median;
}
