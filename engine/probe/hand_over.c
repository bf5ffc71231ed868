/*
 * hand_over.c - see hand_over.h
 */
#include "engine/probe/hand_over.h"

#include <stdlib.h>

#include "engine/memory.h"
#include "engine/probe/batch.h"
#include "engine/probe/pin.h"

#define ROUND_TRIPS 300		/* in a batch: 20 to 100 us */
#define PATIENCE 100000		/* failed attempts; then one of the two was not running */

enum turn { TURN_OURS, TURN_PARTNERS, TURN_NONE };

/* Alone on a pair of lines: some computers prefetch the neighbour. */
struct table {
	unsigned int turn; /* enum turn; by cmpxchg of both threads */
} __attribute__((aligned(2 * CACHE_LINE)));

static unsigned int
take_turn(struct table *table, enum turn from, enum turn to)
{
	unsigned int seen = from;

	__atomic_compare_exchange_n(&table->turn, &seen, to, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
	return seen;
}

static void *
partner(void *arg)
{
	while (take_turn(arg, TURN_PARTNERS, TURN_OURS) != TURN_NONE)
		;
	return NULL;
}

/* One batch. Return: time of a hand-over; 0 if it was disturbed. */
static u64
time_hand_overs(struct table *table)
{
	u64 started = monotonic_ns();
	int patience = PATIENCE;

	for (int i = 0; i < ROUND_TRIPS; i++)
		while (take_turn(table, TURN_OURS, TURN_PARTNERS) != TURN_OURS)
			if (!--patience)
				return 0;
	return (monotonic_ns() - started) * FS_PER_NS / (2 * ROUND_TRIPS);
}

static u64
measure(struct table *table, u64 end_ns)
{
	u64 *samples = xcalloc(BATCH_MAX, sizeof(*samples));
	int tried = 0;
	int count = 0;
	u64 figure;

	time_hand_overs(table); /* warm-up */
	do {
		u64 fs = time_hand_overs(table);

		if (fs)
			samples[count++] = fs;
	} while (++tried < BATCH_MAX && monotonic_ns() < end_ns);
	figure = lower_quartile(samples, count);
	free(samples);
	return figure;
}

u64
hand_over_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
		  u64 end_ns)
{
	struct table table = { TURN_OURS };
	pthread_t thread;
	u64 figure;

	if (!pin_self(topology, a) || !pin_new(topology, b, &thread, partner, &table))
		return 0;
	figure = measure(&table, end_ns);
	/* The last turn is the partner's: wait for it, so that none is left to take. */
	while (take_turn(&table, TURN_OURS, TURN_NONE) != TURN_OURS)
		;
	pthread_join(thread, NULL);
	return figure;
}
