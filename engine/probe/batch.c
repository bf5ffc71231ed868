/*
 * batch.c - see batch.h
 */
#include "engine/probe/batch.h"

#include <stdlib.h>
#include <time.h>

#include "engine/memory.h"

u64
monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int
compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return (x > y) - (x < y);
}

u64
lower_quartile(u64 *samples, int count)
{
	if (!count)
		return 0;
	qsort(samples, count, sizeof(*samples), compare_u64);
	return samples[count / 4];
}

static u64
time_batch(const struct batch *batch, void *context)
{
	u64 started = monotonic_ns();

	batch->run(context, batch->times);
	return (monotonic_ns() - started) * FS_PER_NS / batch->times;
}

void
batches_run(const struct batch *batches, int count, void *context, u64 end_ns, u64 *fs)
{
	u64 *samples = xcalloc((size_t)count * BATCH_MAX, sizeof(*samples));
	int rounds = 0;

	for (int i = 0; i < count; i++)
		batches[i].run(context, batches[i].times); /* warm-up */
	do {
		for (int i = 0; i < count; i++)
			samples[i * BATCH_MAX + rounds] = time_batch(&batches[i], context);
	} while (++rounds < BATCH_MAX && monotonic_ns() < end_ns);
	for (int i = 0; i < count; i++)
		fs[i] = lower_quartile(&samples[i * BATCH_MAX], rounds);
	free(samples);
}
