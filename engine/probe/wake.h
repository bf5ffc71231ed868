/*
 * wake.h - waking a thread that sleeps on another CPU
 */
#ifndef ENGINE_PROBE_WAKE_H
#define ENGINE_PROBE_WAKE_H

#include "engine/probe/layout.h"

/*
 * Two threads wake each other by futex(2) in turn until @end_ns; the caller
 * moves to @a. Fills in the gauges WAKE_CALL and WAKE_HOP of @fs, or leaves them.
 */
void wake_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
		  u64 end_ns, u64 *fs);

#endif
