/*
 * interrupt.c - see interrupt.h
 */
#include "engine/probe/interrupt.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/probe/batch.h"
#include "engine/probe/pin.h"

static void *
spin(void *arg)
{
	while (!__atomic_load_n((bool *)arg, __ATOMIC_RELAXED))
		;
	return NULL;
}

static void
run_barrier(void *context, u64 times)
{
	for (u64 i = 0; i < times; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

u64
interrupt_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
		  u64 end_ns)
{
	static const struct batch batch = { run_barrier, 16 };
	bool stop = false;
	pthread_t thread;
	u64 fs;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) ||
	    !pin_self(topology, a) || !pin_new(topology, b, &thread, spin, &stop))
		return 0;
	batches_run(&batch, 1, NULL, end_ns, &fs);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return fs;
}
