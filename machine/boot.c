/*
 * boot.c - bringing the machine room up and down
 *
 * Order: the runtime (arena, CPUs, boot task), the room's own state, RCU's
 * callback tasks. Down in the opposite order; what is left in the arena at the
 * end was leaked by somebody, and the runtime says so.
 */
#include "machine/boot.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/machine.h"
#include "machine/names.h"

/* Field names say enough about the state of the room itself. */
static bool
state_name(const void *address, struct object_name *name)
{
	const struct machine *machine = kernel.machine;

	if ((size_t)((const char *)address - (const char *)machine) >= sizeof(*machine))
		return false;
	*name = (struct object_name){ .name = "machine", .type = "machine", .start = machine };
	return true;
}

/* Name what the room itself keeps in the arena. */
static bool
machine_name(const void *address, struct object_name *name)
{
	return state_name(address, name) || kmem_cache_name(address, name) ||
	       raw_line_name(address, name) || percpu_name(address, name);
}

static struct machine *
machine_create(void)
{
	struct machine *machine = arena_alloc(sizeof(*machine), CACHE_LINE, 0);

	if (!machine)
		return NULL;
	memset(machine, 0, sizeof(*machine));
	INIT_LIST_HEAD(&machine->caches);
	spin_lock_init(&machine->raw_lock);
	INIT_LIST_HEAD(&machine->raw_lines);
	return machine;
}

static void
shutdown_task(void *arg)
{
	rcu_shutdown(&kernel.machine->rcu);
}

/* Sleeping is for tasks, so one of them does what sleeps. */
static void
run_shutdown_task(void)
{
	struct task *task = runtime_task_create(shutdown_task, NULL, runtime_place(0), "shutdown");

	BUG_ON(!task, "no memory for the shutdown task");
	runtime_task_start(task);
	runtime_join();
	runtime_task_destroy(task);
}

/* Everything but the checks. */
static void
take_down(void)
{
	run_shutdown_task();
	arena_free(kernel.machine, sizeof(*kernel.machine));
	kernel.machine = NULL;
	forget_namers();
	runtime_shutdown();
}

int
machine_boot(const struct runtime_config *config)
{
	struct percpu nodes;
	int error = runtime_boot(config);

	if (error)
		return error;
	kernel.machine = machine_create();
	if (!kernel.machine) {
		runtime_shutdown();
		return -ENOMEM;
	}
	nodes = alloc_percpu("queue node", ALIGN(sizeof(struct queue_node), CACHE_LINE),
			     CACHE_LINE);
	BUG_ON(nodes.offset != QUEUE_NODE_OFFSET, "queue nodes at %u", nodes.offset);
	register_namer(NULL, SIZE_MAX, machine_name);
	error = rcu_boot(&kernel.machine->rcu);
	if (error)
		take_down();
	return error;
}

void
machine_shutdown(void)
{
	BUG_ON(!list_empty(&kernel.machine->caches), "a kmem_cache was not destroyed");
	BUG_ON(!list_empty(&kernel.machine->raw_lines), "a raw line was not destroyed");
	take_down();
}
