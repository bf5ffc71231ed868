/*
 * boot.c - the host kind comes up and goes down
 */
#include <errno.h>
#include <stdlib.h>

#include "machine/host/host.h"
#include "machine/shared/arena_map.h"
#include "machine/shared/percpu_area.h"

struct host host = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER,
};

static int
boot_slots(int slots)
{
	nr_cpu_ids = slots;
	nr_node_ids = topology_nodes();
	host.slot_taken = calloc(slots, sizeof(*host.slot_taken));
	host.slot_node = calloc(slots, sizeof(*host.slot_node));
	if (!host.slot_taken || !host.slot_node)
		return -ENOMEM;
	for (int slot = 0; slot < slots; slot++)
		host.slot_node[slot] = topology_node(slot);
	return 0;
}

static int
boot_memory(size_t object_bytes)
{
	int error = arena_boot(nr_node_ids, object_bytes, topology_bind);

	if (error)
		return error;
	error = percpu_area_boot(nr_cpu_ids);
	if (error)
		arena_shutdown();
	return error;
}

static void
free_slots(void)
{
	free(host.slot_taken);
	free(host.slot_node);
	topology_shutdown();
}

int
runtime_boot(const struct runtime_config *config)
{
	int error = topology_boot();

	if (error)
		return error;
	clock_boot();
	host.seed = config->seed;
	host.stream = config->stream;
	host.tasks = config->tasks;
	error = boot_slots(config->tasks + HOST_KTHREADS + 1);
	if (!error)
		error = boot_memory(config->object_bytes);
	if (error) {
		free_slots();
		return error;
	}
	tasks_boot();
	return 0;
}

void
runtime_shutdown(void)
{
	tasks_shutdown();
	percpu_area_shutdown();
	arena_shutdown();
	free_slots();
}
