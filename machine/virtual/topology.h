/*
 * topology.h - where CPUs are, and how far it is from one to another
 *
 * CPUs are numbered as Linux numbers them on these machines: all first threads
 * of cores, socket after socket and cluster after cluster, then all second
 * threads. A socket is a memory node.
 *
 *	core = cpu % cores     thread = cpu / cores
 *	cluster = core / cores per cluster     socket = cluster / clusters per socket
 */
#ifndef MACHINE_VIRTUAL_TOPOLOGY_H
#define MACHINE_VIRTUAL_TOPOLOGY_H

#include "machine/spec.h"

/* Where a core is; a CPU has its core's place. */
struct place {
	u16 core;
	u16 cluster;
	u16 socket;
};

struct topology {
	int cpus;
	int cores;
	int clusters;
	int sockets;
	struct place *place;	/* per core */
};

/* Constant after boot. */
extern struct topology topology;

void topology_boot(const struct machine_spec *spec);
void topology_shutdown(void);

static __always_inline enum distance
topology_distance(const struct place *from, const struct place *to)
{
	if (from->socket != to->socket)
		return DISTANCE_REMOTE;
	if (from->cluster != to->cluster)
		return DISTANCE_SOCKET;
	return from->core == to->core ? DISTANCE_SMT : DISTANCE_CLUSTER;
}

#endif
