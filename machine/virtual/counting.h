/*
 * counting.h - what the model counts while a measurement is under way
 */
#ifndef MACHINE_VIRTUAL_COUNTING_H
#define MACHINE_VIRTUAL_COUNTING_H

#include "machine/virtual/lines.h"

struct line_counts {
	u64 stall_ps;
	u64 transactions[DISTANCE_MAX];
	u64 cmpxchg;
	u64 cmpxchg_failed;
};

/* @waiter is served from @distance; its data will be there at @arrives. */
void count_transaction(struct shared_line *line, const struct waiter *waiter,
		       enum distance distance, u64 arrives);

/* One cmpxchg at @offset in the arena, made at @pc. */
void count_cmpxchg(u64 offset, const void *pc, bool failed);

void counting_shutdown(void);

#endif
