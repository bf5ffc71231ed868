/*
 * yield.h - switching between two threads of one CPU
 */
#ifndef ENGINE_PROBE_YIELD_H
#define ENGINE_PROBE_YIELD_H

#include "engine/probe/layout.h"

/*
 * Two threads of @cpu, the caller one of them, yield to each other until
 * @end_ns. Return: femtoseconds of one sched_yield(2) that switches; 0 if the
 * scheduler mostly goes on with the same thread.
 */
u64 yield_measure(hwloc_topology_t topology, const struct host_cpu *cpu, u64 end_ns);

#endif
