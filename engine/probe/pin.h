/*
 * pin.h - threads that stay on one hardware thread
 */
#ifndef ENGINE_PROBE_PIN_H
#define ENGINE_PROBE_PIN_H

#include <hwloc.h>
#include <pthread.h>

#include "engine/probe/layout.h"

/* Move the calling thread. Return: false if the system does not allow it. */
bool pin_self(hwloc_topology_t topology, const struct host_cpu *cpu);

/* Start a thread on @cpu. Return: false if the system does not allow it. */
bool pin_new(hwloc_topology_t topology, const struct host_cpu *cpu, pthread_t *thread,
	     void *(*body)(void *arg), void *arg);

#endif
