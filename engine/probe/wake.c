/*
 * wake.c - see wake.h
 */
#include "engine/probe/wake.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/memory.h"
#include "engine/probe/batch.h"
#include "engine/probe/gauge.h"
#include "engine/probe/pin.h"

#define ASLEEP_NS 30000 /* after so long whoever was about to sleep does */

enum turn { TURN_OURS, TURN_PARTNERS, TURN_NONE };

struct bell {
	u32 turn; /* enum turn: futex word; written by whose turn it is */
};

static void
wait_while(struct bell *bell, u32 turn)
{
	while (__atomic_load_n(&bell->turn, __ATOMIC_ACQUIRE) == turn)
		syscall(SYS_futex, &bell->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
}

/* Pairs with the acquire in wait_while(). */
static void
ring(struct bell *bell, u32 turn)
{
	__atomic_store_n(&bell->turn, turn, __ATOMIC_RELEASE);
	syscall(SYS_futex, &bell->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *
partner(void *arg)
{
	struct bell *bell = arg;

	for (;;) {
		wait_while(bell, TURN_OURS);
		if (__atomic_load_n(&bell->turn, __ATOMIC_ACQUIRE) == TURN_NONE)
			return NULL;
		ring(bell, TURN_OURS);
	}
}

static void
spin_ns(u64 ns)
{
	u64 end = monotonic_ns() + ns;

	while (monotonic_ns() < end)
		;
}

/* One round trip: the partner sleeps when it begins. */
static void
wake_once(struct bell *bell, u64 *call, u64 *hop)
{
	u64 started;

	spin_ns(ASLEEP_NS);
	started = monotonic_ns();
	ring(bell, TURN_PARTNERS);
	*call = (monotonic_ns() - started) * FS_PER_NS;
	wait_while(bell, TURN_PARTNERS);
	*hop = (monotonic_ns() - started) * FS_PER_NS / 2;
}

void
wake_measure(hwloc_topology_t topology, const struct host_cpu *a, const struct host_cpu *b,
	     u64 end_ns, u64 *fs)
{
	u64 *calls = xcalloc(2 * BATCH_MAX, sizeof(*calls));
	u64 *hops = calls + BATCH_MAX;
	struct bell bell = { TURN_OURS };
	pthread_t thread;
	int count = 0;

	if (pin_self(topology, a) && pin_new(topology, b, &thread, partner, &bell)) {
		do
			wake_once(&bell, &calls[count], &hops[count]);
		while (++count < BATCH_MAX && monotonic_ns() < end_ns);
		ring(&bell, TURN_NONE);
		pthread_join(thread, NULL);
		fs[GAUGE_WAKE_CALL] = lower_quartile(calls, count);
		fs[GAUGE_WAKE_HOP] = lower_quartile(hops, count);
	}
	free(calls);
}
