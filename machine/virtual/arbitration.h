/*
 * arbitration.h - who is served next
 *
 * The waiters of one line. Two levels: at most `run_bound` ownerships in a row
 * inside one cluster while another one waits; inside, a seeded random pick
 * (first in, first out locks into step with PAUSE on real machines' published
 * curves, and nearest-first starves somebody). To show just that there are
 * ARBITRATE_FIFO and, with all waiters in one group, ARBITRATE_FLAT_*. Copies
 * do not count: a cluster's cache hands them out beside each other, so that
 * they keep nobody outside waiting for long.
 *
 * With the home rule (AMD: a miss that leaves its CCX is ordered at the line's
 * home node) there are two groups instead of one per cluster: local waiters,
 * whose cluster holds the line, and those bound for the home; a local waiter
 * becomes bound when the line leaves its cluster.
 *
 * A waiter that comes after a pending store stands behind it, whatever its
 * cluster: it must not see the line before the store is there. It joins the
 * others when the stores that it found have been granted.
 */
#ifndef MACHINE_VIRTUAL_ARBITRATION_H
#define MACHINE_VIRTUAL_ARBITRATION_H

#include "machine/virtual/lines.h"

void arbitration_boot(u64 seed);
void arbitration_shutdown(void);

/* Add @waiter to its line's queue. */
void queue_add(struct shared_line *line, struct waiter *waiter);

/* Take the next one off the queue. Context: somebody waits. */
struct waiter *queue_take(struct shared_line *line);

/* The line goes to another cluster: with the home rule, who waits there becomes bound. */
void queue_line_leaves(struct shared_line *line);

#endif
