/*
 * machine.h - the room's own state, for the files of machine/ only
 *
 * struct machine hangs off kernel.machine and lies in the arena.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "machine/kernel.h"
#include "machine/list.h"
#include "machine/mutex.h"
#include "machine/percpu.h"
#include "machine/rcu.h"

/* One CPU's place in the queue of the spinlock that it waits for. */
struct queue_node {
	struct queue_node *next;	/* written by the CPU behind, once */
	u32 locked;			/* written by the CPU in front: your turn at the head */
};

/*
 * First in every CPU's area, on a line of its own, so that its place is a
 * constant, as it is in the kernel.
 */
#define QUEUE_NODE_OFFSET 0

/* RCU callbacks; see rcu.c. Each part is initialised by rcu_boot(). */
struct rcu_state {
	struct percpu data;		/* struct rcu_data; constant */
	struct mutex barrier_mutex;	/* one rcu_barrier() at a time */
	atomic_t barrier_pending;	/* callback tasks that have not got to it, plus one */
	atomic_t workers;		/* callback tasks that run */
	struct wait_queue_head done;	/* for either of the two to reach 0 */
};

/* What lies at [start, end) in every CPU's area; see percpu.c. */
struct percpu_piece {
	const char *name;
	u32 start;
	u32 end;
};

#define MAX_PERCPU 64

struct machine {
	/* constant after boot, read-mostly: but for the names, on one line */
	u32 percpu_used;		/* bytes reserved in every CPU's area */
	u32 nr_percpu;
	struct list_head caches;	/* every kmem_cache; boot and shutdown write it */
	struct percpu_piece percpu[MAX_PERCPU];

	/* raw lines; raw_lock guards the list */
	spinlock_t raw_lock ____cacheline_aligned;
	struct list_head raw_lines;

	struct rcu_state rcu ____cacheline_aligned;
};

/* Boot and shutdown of the parts, by boot.c. Return: 0 or -errno. */
int rcu_boot(struct rcu_state *rcu);

/* Run what is still queued and end the callback tasks. Context: task; sleeps. */
void rcu_shutdown(struct rcu_state *rcu);

/* Namers of what lies in the arena; see names.h. */
struct object_name;
bool kmem_cache_name(const void *address, struct object_name *name);
bool raw_line_name(const void *address, struct object_name *name);
bool percpu_name(const void *address, struct object_name *name);

#endif
