/*
 * mutex.c - mutexes with a queue of sleepers
 *
 * Models kernel/locking/mutex.c. The first waiter is woken when the mutex is
 * free and tries for it like anybody else; until it succeeds it keeps its place.
 *
 *   T1 unlocks                        T2 waits
 *   owner = NULL (xchg, full)         waiters = 1
 *   load waiters                      set_current_state() (full)
 *                                     try to take it
 *
 * One of them sees the other: T1 wakes T2, or T2 takes the mutex.
 *
 * Differences from Linux: no optimistic spinning while the owner runs, and no
 * hand-off to a waiter that loses again and again.
 */
#include "machine/mutex.h"

#include "machine/bug.h"

/* Wake, but leave the entry queued: its task takes it off when it has the mutex. */
static int
mutex_wake_function(struct wait_queue_entry *entry, void *key)
{
	wake_up_process(entry->task);
	return 1;
}

void
mutex_init(struct mutex *mutex)
{
	mutex->owner = NULL;
	mutex->waiters = 0;
	init_waitqueue_head(&mutex->wait);
}

bool
mutex_trylock(struct mutex *mutex)
{
	struct task *owner = NULL;

	return try_cmpxchg_acquire(&mutex->owner, &owner, current);
}

static void
mutex_lock_slow(struct mutex *mutex)
{
	struct wait_queue_entry entry = {
		.flags = WQ_FLAG_EXCLUSIVE,
		.task = current,
		.func = mutex_wake_function,
	};
	spinlock_t *lock = &mutex->wait.lock;

	BUG_ON(READ_ONCE(mutex->owner) == current, "locked twice by task %d", current->pid);
	spin_lock(lock);
	WRITE_ONCE(mutex->waiters, mutex->waiters + 1);
	list_add_tail(&entry.entry, &mutex->wait.head);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (mutex_trylock(mutex))
			break;
		spin_unlock(lock);
		schedule();
		spin_lock(lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&entry.entry);
	WRITE_ONCE(mutex->waiters, mutex->waiters - 1);
	spin_unlock(lock);
}

void
mutex_lock(struct mutex *mutex)
{
	if (unlikely(!mutex_trylock(mutex)))
		mutex_lock_slow(mutex);
}

void
mutex_unlock(struct mutex *mutex)
{
	struct task *owner = xchg(&mutex->owner, NULL);

	BUG_ON(owner != current, "unlocked by task %d, held by %d", current->pid,
	       owner ? owner->pid : -1);
	if (unlikely(READ_ONCE(mutex->waiters)))
		__wake_up(&mutex->wait, 1, NULL);
}
