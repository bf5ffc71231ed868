/*
 * topology.c - which core and which node a CPU slot lies on
 *
 * Cores come first, in the computer's own order, then their further threads:
 * slot i is the i-th of these, modulo how many there are. Where the system does
 * not say what its cores are (a container without sysfs), each thread is one.
 */
#include <errno.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdlib.h>

#include "machine/host/host.h"

static hwloc_topology_t topology;
static hwloc_obj_t *units;	/* hardware threads, by slot */
static int nr_units;

/* Append the @nth hardware thread of every core that has so many. Return: whether any has. */
static bool
append_threads(unsigned int nth)
{
	hwloc_obj_type_t type = HWLOC_OBJ_CORE;
	int cores = hwloc_get_nbobjs_by_type(topology, type);
	bool any = false;

	if (!cores) {
		type = HWLOC_OBJ_PU;
		cores = hwloc_get_nbobjs_by_type(topology, type);
	}
	for (int core = 0; core < cores; core++) {
		hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, core);
		hwloc_obj_t unit = hwloc_get_obj_inside_cpuset_by_type(topology, object->cpuset,
								       HWLOC_OBJ_PU, nth);

		if (!unit)
			continue;
		units[nr_units++] = unit;
		any = true;
	}
	return any;
}

int
topology_boot(void)
{
	int threads;

	if (hwloc_topology_init(&topology))
		return -ENOMEM;
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return -ENOMEM;
	}
	threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	units = calloc(threads, sizeof(*units));
	nr_units = 0;
	for (unsigned int nth = 0; units && append_threads(nth); nth++)
		;
	if (nr_units)
		return 0;
	topology_shutdown();
	return -ENOMEM;
}

void
topology_shutdown(void)
{
	free(units);
	units = NULL;
	hwloc_topology_destroy(topology);
}

int
topology_nodes(void)
{
	return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
}

void
topology_pin(pthread_attr_t *attributes, int slot)
{
	cpu_set_t set;

	hwloc_cpuset_to_glibc_sched_affinity(topology, units[slot % nr_units]->cpuset, &set,
					     sizeof(set));
	pthread_attr_setaffinity_np(attributes, sizeof(set), &set);
}

int
topology_node(int slot)
{
	hwloc_obj_t unit = units[slot % nr_units];
	int nodes = topology_nodes();

	for (int node = 0; node < nodes; node++) {
		hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node);

		if (hwloc_bitmap_isset(object->cpuset, unit->os_index))
			return node;
	}
	return 0;
}

void
topology_bind(void *start, size_t size, int node)
{
	hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node);

	hwloc_set_area_membind(topology, start, size, object->nodeset, HWLOC_MEMBIND_BIND,
			       HWLOC_MEMBIND_BYNODESET);
}
