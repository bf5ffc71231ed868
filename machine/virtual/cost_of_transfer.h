/*
 * cost_of_transfer.h - how far a line has to come, and what that costs
 */
#ifndef MACHINE_VIRTUAL_COST_OF_TRANSFER_H
#define MACHINE_VIRTUAL_COST_OF_TRANSFER_H

#include "machine/virtual/lines.h"

struct transfer {
	enum distance distance;
	u64 ps;
};

/* The transfer that @waiter needs, if it were served now. */
struct transfer transfer_of(struct shared_line *line, const struct waiter *waiter);

/* A line that nobody holds comes from memory at its home. */
u64 memory_ps(int home, int socket);

#endif
