/*
 * layout.c - see layout.h
 */
#include "engine/probe/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

/* Number of the object of @type around @unit, or @otherwise. */
static int
unit_around(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type, int otherwise)
{
	hwloc_obj_t around = hwloc_get_ancestor_obj_by_type(topology, type, unit);

	return around ? (int)around->logical_index : otherwise;
}

static void
place_cpu(hwloc_topology_t topology, hwloc_obj_t unit, struct host_cpu *cpu)
{
	int thread = (int)unit->logical_index;
	int socket = unit_around(topology, unit, HWLOC_OBJ_PACKAGE, 0);

	cpu->os_index = unit->os_index;
	cpu->unit[LEVEL_MACHINE] = 0;
	cpu->unit[LEVEL_SOCKET] = socket;
	cpu->unit[LEVEL_CLUSTER] = unit_around(topology, unit, HWLOC_OBJ_L3CACHE, socket);
	cpu->unit[LEVEL_CORE] = unit_around(topology, unit, HWLOC_OBJ_CORE, thread);
	cpu->unit[LEVEL_THREAD] = thread;
}

/* Is no CPU before this one in the same unit of @level? */
static bool
first_of_unit(const struct layout *layout, int cpu, enum level level)
{
	for (int i = 0; i < cpu; i++)
		if (layout->cpus[i].unit[level] == layout->cpus[cpu].unit[level])
			return false;
	return true;
}

/* How many units of @level there are in the fullest unit one level up. */
static int
widest(const struct layout *layout, enum level level)
{
	int *parts = xcalloc(layout->nr_cpus, sizeof(*parts)); /* by the first CPU of the whole */
	int most = 0;

	for (int cpu = 0; cpu < layout->nr_cpus; cpu++) {
		int whole = 0;

		if (!first_of_unit(layout, cpu, level))
			continue;
		while (layout->cpus[whole].unit[level - 1] != layout->cpus[cpu].unit[level - 1])
			whole++;
		most = max(most, ++parts[whole]);
	}
	free(parts);
	return most;
}

void
layout_read(hwloc_topology_t topology, struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	layout->nr_cpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	layout->cpus = xcalloc(layout->nr_cpus, sizeof(*layout->cpus));
	for (int i = 0; i < layout->nr_cpus; i++)
		place_cpu(topology, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, i),
			  &layout->cpus[i]);
	layout->width[LEVEL_MACHINE] = 1;
	for (enum level level = LEVEL_SOCKET; level < LEVEL_MAX; level++)
		layout->width[level] = widest(layout, level);
}

void
layout_clear(struct layout *layout)
{
	free(layout->cpus);
	memset(layout, 0, sizeof(*layout));
}

int
layout_cpus(const struct layout *layout)
{
	int cpus = 1;

	for (enum level level = LEVEL_SOCKET; level < LEVEL_MAX; level++)
		cpus *= layout->width[level];
	return cpus;
}

enum distance
layout_distance(const struct host_cpu *a, const struct host_cpu *b)
{
	if (a->unit[LEVEL_SOCKET] != b->unit[LEVEL_SOCKET])
		return DISTANCE_REMOTE;
	if (a->unit[LEVEL_CLUSTER] != b->unit[LEVEL_CLUSTER])
		return DISTANCE_SOCKET;
	return a->unit[LEVEL_CORE] == b->unit[LEVEL_CORE] ? DISTANCE_SMT : DISTANCE_CLUSTER;
}
