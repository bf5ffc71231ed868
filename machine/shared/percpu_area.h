/*
 * shared/percpu_area.h - one area of memory per CPU, on the CPU's node
 */
#ifndef MACHINE_SHARED_PERCPU_AREA_H
#define MACHINE_SHARED_PERCPU_AREA_H

#include "machine/types.h"

/*
 * Map an area of PERCPU_BYTES for each of @cpus CPUs and set runtime_percpu_base.
 * Context: boot, after arena_boot(); cpu_to_node() works. Return: 0 or -ENOMEM.
 */
int percpu_area_boot(int cpus);
void percpu_area_shutdown(void);

#endif
