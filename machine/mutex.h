/*
 * mutex.h - sleeping mutual exclusion
 *
 * Context: task; mutex_lock() may sleep; the holder may sleep; only the holder
 * unlocks.
 */
#ifndef MACHINE_MUTEX_H
#define MACHINE_MUTEX_H

#include "machine/wait.h"

struct mutex {
	struct task *owner;	/* NULL: free; taken by cmpxchg, cleared by the owner's xchg */
	u32 waiters;		/* tasks on the queue; written under its lock */
	struct wait_queue_head wait;
};

void mutex_init(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
bool __must_check mutex_trylock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

#endif
