/*
 * yield.c - see yield.h
 */
#include "engine/probe/yield.h"

#include <sched.h>
#include <stdlib.h>

#include "engine/memory.h"
#include "engine/probe/batch.h"
#include "engine/probe/pin.h"

#define YIELDS 32 /* in a batch */

struct seesaw {
	u64 partner_yields;	/* written by the partner */
	bool stop;		/* written by us, once */
};

static void *
partner(void *arg)
{
	struct seesaw *seesaw = arg;

	while (!__atomic_load_n(&seesaw->stop, __ATOMIC_RELAXED)) {
		__atomic_store_n(&seesaw->partner_yields, seesaw->partner_yields + 1,
				 __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

/* Return: time of one switch; 0 if the threads did not take turns. */
static u64
time_yields(struct seesaw *seesaw)
{
	u64 before = __atomic_load_n(&seesaw->partner_yields, __ATOMIC_RELAXED);
	u64 started = monotonic_ns();
	u64 took;
	u64 theirs;

	for (int i = 0; i < YIELDS; i++)
		sched_yield();
	took = monotonic_ns() - started;
	theirs = __atomic_load_n(&seesaw->partner_yields, __ATOMIC_RELAXED) - before;
	if (theirs < YIELDS - 2 || theirs > YIELDS + 2)
		return 0;
	return took * FS_PER_NS / (YIELDS + theirs);
}

u64
yield_measure(hwloc_topology_t topology, const struct host_cpu *cpu, u64 end_ns)
{
	struct seesaw seesaw = { 0 };
	u64 *samples;
	u64 figure = 0;
	pthread_t thread;
	int tried = 0;
	int count = 0;

	if (!pin_self(topology, cpu) || !pin_new(topology, cpu, &thread, partner, &seesaw))
		return 0;
	samples = xcalloc(BATCH_MAX, sizeof(*samples));
	do {
		u64 fs = time_yields(&seesaw);

		if (fs)
			samples[count++] = fs;
	} while (++tried < BATCH_MAX && monotonic_ns() < end_ns);
	__atomic_store_n(&seesaw.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	if (count > tried / 2)
		figure = lower_quartile(samples, count);
	free(samples);
	return figure;
}
