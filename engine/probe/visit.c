/*
 * visit.c - one child's share of the time, divided among all that is measured
 */
#include "engine/probe/batch.h"
#include "engine/probe/hand_over.h"
#include "engine/probe/interrupt.h"
#include "engine/probe/probe.h"
#include "engine/probe/wake.h"
#include "engine/probe/yield.h"

#define NS_PER_SECOND 1000000000ull

/* Percent of a visit's time; the rest are hand-overs. */
#define SHARE_LOCAL 55
#define SHARE_WAKE 15
#define SHARE_YIELD 5
#define SHARE_INTERRUPT 5
#define SHARE_HAND_OVERS 20

static const struct host_cpu *
cpu_of_pair(const struct probe *probe, int cpu)
{
	return &probe->layout.cpus[cpu];
}

static void
measure_pairs(const struct probe *probe, u64 visit_ns, u64 *fs)
{
	for (int i = 0; i < probe->pairs.count; i++) {
		const struct pair *pair = &probe->pairs.pair[i];
		u64 slice_ns = visit_ns * SHARE_HAND_OVERS / 100 / probe->pairs.count;

		fs[i] = hand_over_measure(probe->topology, cpu_of_pair(probe, pair->a),
					  cpu_of_pair(probe, pair->b), monotonic_ns() + slice_ns);
	}
}

/* The nearest two that are not one core: waking a sibling is another matter. */
static const struct pair *
two_cores(const struct pairs *pairs)
{
	const struct pair *nearest = NULL;

	for (int i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->pair[i];

		if (pair->distance > DISTANCE_SMT &&
		    (!nearest || pair->distance < nearest->distance))
			nearest = pair;
	}
	return nearest;
}

static void
measure_two_cores(const struct probe *probe, u64 visit_ns, u64 *fs)
{
	const struct pair *pair = two_cores(&probe->pairs);
	const struct host_cpu *a;
	const struct host_cpu *b;

	if (!pair)
		return;
	a = cpu_of_pair(probe, pair->a);
	b = cpu_of_pair(probe, pair->b);
	wake_measure(probe->topology, a, b, monotonic_ns() + visit_ns * SHARE_WAKE / 100, fs);
	fs[GAUGE_INTERRUPT] = interrupt_measure(probe->topology, a, b,
						monotonic_ns() + visit_ns * SHARE_INTERRUPT / 100);
}

int
probe_visit(const struct probe *probe, const struct panic_handler *panic, int visit)
{
	u64 visit_ns = probe->seconds * NS_PER_SECOND / PROBE_VISITS;
	u64 *fs = &probe->gauges[visit * GAUGE_MAX];
	int error = mini_kernel_measure(probe->host_kernel, panic,
					monotonic_ns() + visit_ns * SHARE_LOCAL / 100, fs);

	if (error)
		return error;
	measure_pairs(probe, visit_ns, &probe->hand_overs[visit * probe->pairs.count]);
	measure_two_cores(probe, visit_ns, fs);
	fs[GAUGE_YIELD] = yield_measure(probe->topology, &probe->layout.cpus[0],
					monotonic_ns() + visit_ns * SHARE_YIELD / 100);
	return 0;
}
