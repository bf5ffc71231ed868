/*
 * prefetch.h - the adjacent-line prefetcher: lines come in pairs of 128 bytes
 */
#ifndef MACHINE_VIRTUAL_PREFETCH_H
#define MACHINE_VIRTUAL_PREFETCH_H

#include "machine/virtual/lines.h"

/*
 * The data of line @number has come to @waiter's core at @now: its neighbour
 * comes as a copy, if nobody is about to take it. Costs its CPU nothing, and its
 * owner the exclusive right.
 */
void prefetch_pair(u64 number, const struct waiter *waiter, u64 now);

#endif
