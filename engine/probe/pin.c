/*
 * pin.c - see pin.h
 */
#include "engine/probe/pin.h"

#include <sched.h>

bool
pin_self(hwloc_topology_t topology, const struct host_cpu *cpu)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int error;

	hwloc_bitmap_only(set, cpu->os_index);
	error = hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD);
	hwloc_bitmap_free(set);
	return !error && sched_getcpu() == (int)cpu->os_index;
}

/* What a new thread is to do once it is where it belongs. */
struct start {
	hwloc_topology_t topology;
	const struct host_cpu *cpu;
	void *(*body)(void *arg);
	void *arg;
	int state;	/* 0; then 1 pinned, -1 not: stored by the thread, awaited by its maker */
};

static void *
start(void *arg)
{
	const struct start own = *(struct start *)arg;
	bool pinned = pin_self(own.topology, own.cpu);
	struct start *shared = arg;

	/* Pairs with the acquire in pin_new(), after which @shared is gone. */
	__atomic_store_n(&shared->state, pinned ? 1 : -1, __ATOMIC_RELEASE);
	return pinned ? own.body(own.arg) : NULL;
}

bool
pin_new(hwloc_topology_t topology, const struct host_cpu *cpu, pthread_t *thread,
	void *(*body)(void *arg), void *arg)
{
	struct start shared = { topology, cpu, body, arg, 0 };
	int state;

	if (pthread_create(thread, NULL, start, &shared))
		return false;
	while (!(state = __atomic_load_n(&shared.state, __ATOMIC_ACQUIRE)))
		sched_yield();
	if (state < 0)
		pthread_join(*thread, NULL);
	return state > 0;
}
