/*
 * topology.c - numbering of CPUs and the order in which tasks get them
 */
#include "machine/virtual/topology.h"

#include <stdlib.h>

#include "machine/runtime.h"
#include "machine/virtual/model.h"

struct topology topology;

void
topology_boot(const struct machine_spec *spec)
{
	topology.sockets = spec->sockets;
	topology.clusters = spec->sockets * spec->clusters_per_socket;
	topology.cores = topology.clusters * spec->cores_per_cluster;
	topology.cpus = topology.cores * spec->threads_per_core;
	topology.place = model_calloc(topology.cores, sizeof(*topology.place));
	for (int core = 0; core < topology.cores; core++) {
		int cluster = core / spec->cores_per_cluster;

		topology.place[core] = (struct place){
			.core = core,
			.cluster = cluster,
			.socket = cluster / spec->clusters_per_socket,
		};
	}
	nr_cpu_ids = topology.cpus;
	nr_node_ids = topology.sockets;
}

void
topology_shutdown(void)
{
	free(topology.place);
	topology = (struct topology){ 0 };
}

int
cpu_to_node(int cpu)
{
	return topology.place[cpu % topology.cores].socket;
}

/* Cores of all sockets in turn: the first of each, then the second of each, and so on. */
static int
alternate_core(int index)
{
	int cores_per_socket = topology.cores / topology.sockets;

	return index % topology.sockets * cores_per_socket + index / topology.sockets;
}

int
runtime_place(int index)
{
	int threads = topology.cpus / topology.cores;

	if (index < 0 || index >= topology.cpus)
		return -1;
	switch (model.spec.placement) {
	case PLACE_THREADS_FIRST:
		return index / threads + index % threads * topology.cores;
	case PLACE_SOCKETS_ALTERNATE:
		return alternate_core(index % topology.cores) +
		       index / topology.cores * topology.cores;
	case PLACE_CORES_FIRST:
		break;
	}
	return index;
}
