/*
 * shared/percpu_area.c - see shared/percpu_area.h
 */
#include "machine/shared/percpu_area.h"

#include <errno.h>
#include <stdlib.h>

#include "machine/arena.h"
#include "machine/percpu.h"
#include "machine/shared/arena_map.h"

char **runtime_percpu_base;

int
percpu_area_boot(int cpus)
{
	char *areas = arena_map_dense((size_t)cpus * PERCPU_BYTES);

	runtime_percpu_base = calloc(cpus, sizeof(*runtime_percpu_base));
	if (!areas || !runtime_percpu_base)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++) {
		runtime_percpu_base[cpu] = areas + (size_t)cpu * PERCPU_BYTES;
		arena_set_home(runtime_percpu_base[cpu], PERCPU_BYTES, cpu_to_node(cpu));
	}
	return 0;
}

void
percpu_area_shutdown(void)
{
	free(runtime_percpu_base);
	runtime_percpu_base = NULL;
}
