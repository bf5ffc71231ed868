/*
 * interrupt.h - interrupting another CPU
 */
#ifndef ENGINE_PROBE_INTERRUPT_H
#define ENGINE_PROBE_INTERRUPT_H

#include "engine/probe/layout.h"

/*
 * From @a, to which the caller moves, interrupt a thread that runs on @b by
 * membarrier(2) until @end_ns: the call returns when the other CPU has answered.
 * Return: femtoseconds of the call; 0 if the system has no such call.
 */
u64 interrupt_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
		      u64 end_ns);

#endif
