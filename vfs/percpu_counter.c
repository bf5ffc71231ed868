/*
 * percpu_counter.c - see percpu_counter.h
 */
#include "vfs/percpu_counter.h"

#define MIN_BATCH 32

void
percpu_counter_init(struct percpu_counter *counter)
{
	spin_lock_init(&counter->lock);
	counter->batch = max(MIN_BATCH, 2 * nr_cpu_ids);
	counter->count = 0;
	counter->local = alloc_percpu("counter", sizeof(s64), sizeof(s64));
}

void
percpu_counter_carry_over(struct percpu_counter *counter, s64 count)
{
	spin_lock(&counter->lock);
	WRITE_ONCE(counter->count, counter->count + count);
	spin_unlock(&counter->lock);
}

s64
percpu_counter_sum(const struct percpu_counter *counter)
{
	s64 sum = READ_ONCE(counter->count);
	int cpu;

	for_each_cpu(cpu) {
		const s64 *local = per_cpu_ptr(counter->local, cpu);

		sum += READ_ONCE(*local);
	}
	return sum;
}
