/*
 * hand_over.h - how long a line takes from one hardware thread to another
 *
 * Two threads change one word in turn, each by cmpxchg alone, with no load
 * before it; failed ones are repeated at once. One hand-over is half a round
 * trip: a transfer and one locked operation.
 * After Nicolas Viennot, core-to-core-latency,
 * https://github.com/nviennot/core-to-core-latency.
 */
#ifndef ENGINE_PROBE_HAND_OVER_H
#define ENGINE_PROBE_HAND_OVER_H

#include "engine/probe/layout.h"

/*
 * Measure from the calling thread, which moves to @a, until @end_ns. Return:
 * femtoseconds; 0 if threads cannot be pinned there.
 */
u64 hand_over_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
		      u64 end_ns);

#endif
