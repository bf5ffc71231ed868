/*
 * percpu_counter.h - a count that all CPUs change and few read
 *
 * Mirrors lib/percpu_counter.c. A CPU counts in its own copy and carries it
 * over to the shared sum only when it reaches the batch: 2 x CPUs, at least 32.
 * The sum is therefore off by at most batch x CPUs.
 *
 * Context: task; never sleeps.
 */
#ifndef VFS_PERCPU_COUNTER_H
#define VFS_PERCPU_COUNTER_H

#include <stdlib.h>

#include "machine/percpu.h"
#include "machine/spinlock.h"

struct percpu_counter {
	spinlock_t lock;	/* guards writing of count */
	s32 batch;		/* constant */
	s64 count;		/* what was carried over */
	struct percpu local;	/* s64 per CPU, written by its owner */
} ____cacheline_aligned;

/* Context: boot. */
void percpu_counter_init(struct percpu_counter *counter);

/* Add @count to the shared sum. */
void percpu_counter_carry_over(struct percpu_counter *counter, s64 count);

static __always_inline void
percpu_counter_add(struct percpu_counter *counter, s64 amount)
{
	s64 *local = this_cpu_ptr(counter->local);
	s64 count = *local + amount;

	if (unlikely(labs(count) >= counter->batch)) {
		percpu_counter_carry_over(counter, count);
		count = 0;
	}
	WRITE_ONCE(*local, count);
}

/* Return: roughly the count; one load. */
static __always_inline s64
percpu_counter_read(const struct percpu_counter *counter)
{
	return READ_ONCE(counter->count);
}

/* Return: the count, exact if nobody changes it; reads every CPU's line. */
s64 percpu_counter_sum(const struct percpu_counter *counter);

#endif
