/*
 * topology.c - see topology.h
 */
#include "yaml/topology.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

/* hwloc builds what it is told, so a billion CPUs must not reach it. */
static bool
too_many(const char *synthetic)
{
	u64 product = 1;

	for (const char *p = strchr(synthetic, ':'); p; p = strchr(p + 1, ':')) {
		u64 count = strtoull(p + 1, NULL, 10);

		product *= count && count <= MACHINE_MAX_CPUS ? count : count ? 1u << 20 : 1;
		if (product > 16 * MACHINE_MAX_CPUS)
			return true;
	}
	return false;
}

/* How many of @below there are for each of @above; 0 if they do not divide. */
static int
ratio(int below, int above)
{
	return above > 0 && below % above == 0 ? below / above : 0;
}

static const char *
read_counts(hwloc_topology_t topology, struct machine_spec *spec)
{
	int sockets = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
	int clusters = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE);
	int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	int threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);

	sockets = sockets > 0 ? sockets : 1;
	clusters = clusters > 0 ? clusters : sockets;
	cores = cores > 0 ? cores : threads;
	spec->sockets = sockets;
	spec->clusters_per_socket = ratio(clusters, sockets);
	spec->cores_per_cluster = ratio(cores, clusters);
	spec->threads_per_core = ratio(threads, cores);
	return machine_spec_cpus(spec) == threads ? NULL : "its levels do not divide evenly";
}

const char *
topology_parse(const char *synthetic, struct machine_spec *spec)
{
	hwloc_topology_t topology;
	const char *problem;

	if (too_many(synthetic))
		return "more than 1024 CPUs";
	if (hwloc_topology_init(&topology))
		return "hwloc cannot start";
	hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_set_synthetic(topology, synthetic) || hwloc_topology_load(topology))
		problem = "not hwloc's synthetic notation, such as \"pack:2 l3:12 core:8 pu:2\"";
	else
		problem = read_counts(topology, spec);
	hwloc_topology_destroy(topology);
	return problem;
}
