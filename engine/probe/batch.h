/*
 * batch.h - time of one operation out of many short batches
 *
 * A computer is never ours alone: batches are short (some 50 us), contenders
 * take turns, and what counts is the lower quartile of a contender's batches,
 * which neither an interruption nor a lucky batch moves.
 *
 * Times of operations are femtoseconds here: a cycle is some 300 ps.
 */
#ifndef ENGINE_PROBE_BATCH_H
#define ENGINE_PROBE_BATCH_H

#include "machine/types.h"

#define FS_PER_PS 1000ull
#define FS_PER_NS 1000000ull
#define FS_PER_SECOND 1000000000000000ull

/* Batches of one contender that are kept; later ones are not run. */
#define BATCH_MAX 1024

/* One contender. */
struct batch {
	void (*run)(void *context, u64 times);	/* do it so often */
	u64 times;				/* in a batch */
};

/* CLOCK_MONOTONIC. */
u64 monotonic_ns(void);

/*
 * Let the @count contenders of @batches take turns until @end_ns. Return in
 * @fs the time of each one's operation.
 */
void batches_run(const struct batch *batches, int count, void *context, u64 end_ns, u64 *fs);

/* Of @count samples, which are sorted. Return: 0 if there are none. */
u64 lower_quartile(u64 *samples, int count);

#endif
