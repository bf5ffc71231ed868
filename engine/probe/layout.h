/*
 * layout.h - the hardware threads of this computer, and how far apart they are
 *
 * From hwloc: a core is what it calls one, a cluster is what shares an L3 (the
 * whole socket if there is none), a socket is a package. What hwloc does not
 * know of (a container without sysfs) is one of each.
 */
#ifndef ENGINE_PROBE_LAYOUT_H
#define ENGINE_PROBE_LAYOUT_H

#include <hwloc.h>

#include "machine/spec.h"

enum level {
	LEVEL_MACHINE,
	LEVEL_SOCKET,
	LEVEL_CLUSTER,
	LEVEL_CORE,
	LEVEL_THREAD,
	LEVEL_MAX,
};

struct host_cpu {
	unsigned int os_index;	/* what the operating system calls it */
	int unit[LEVEL_MAX];	/* number of the socket, cluster, ... that it lies in */
};

struct layout {
	int nr_cpus;
	struct host_cpu *cpus;	/* in hwloc's order: neighbours are near */
	int width[LEVEL_MAX];	/* parts of the widest unit one level up; [LEVEL_SOCKET]: sockets */
};

/* Read a loaded @topology. Free with layout_clear(). */
void layout_read(hwloc_topology_t topology, struct layout *layout);
void layout_clear(struct layout *layout);

/* How many hardware threads a regular machine of these widths has. */
int layout_cpus(const struct layout *layout);

/* The class of distance between two different hardware threads. */
enum distance layout_distance(const struct host_cpu *a, const struct host_cpu *b);

#endif
