/*
 * rwsem.c - reader-writer semaphores
 *
 * Models kernel/locking/rwsem.c: a reader comes in with one fetch_add, a writer
 * with one cmpxchg, and both leave with one fetch_sub. Whoever cannot come in
 * queues up and is granted the semaphore by those who leave.
 *
 * A reader that finds a writer or waiters has added itself already. Until it
 * takes that back, a grant to a writer may fail because of it, and the last real
 * reader may not see that it is the last; so it must itself try to grant after
 * it has queued up (wait_for_grant() does).
 *
 * Differences from Linux: no optimistic spinning, no stealing from waiters.
 */
#include "machine/rwsem.h"

#include "machine/bug.h"

#define RWSEM_WRITER 1ll
#define RWSEM_WAITERS 2ll
#define RWSEM_READER 256ll

struct rwsem_waiter {
	struct list_head entry;	/* under sem->lock */
	struct task *task;
	bool writer;
	bool granted;		/* release by the granter, which then is done with it */
};

void
init_rwsem(struct rw_semaphore *sem)
{
	atomic_init(&sem->count, 0);
	spin_lock_init(&sem->lock);
	INIT_LIST_HEAD(&sem->waiters);
}

/* Take @waiter off the queue and let it go on. Context: lock held, semaphore given. */
static void
grant(struct rwsem_waiter *waiter)
{
	struct task *task = waiter->task;

	list_del(&waiter->entry);
	smp_store_release(&waiter->granted, true);
	wake_up_process(task);
}

/* Context: lock held; the first waiter is a writer. */
static void
grant_writer(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	bool last = waiter->entry.next == &sem->waiters;
	s64 alone = RWSEM_WAITERS;

	if (atomic64_try_cmpxchg_acquire(&sem->count, &alone,
					 RWSEM_WRITER | (last ? 0 : RWSEM_WAITERS)))
		grant(waiter);
}

/* Context: lock held, no writer inside; the first waiter is a reader. */
static void
grant_readers(struct rw_semaphore *sem)
{
	struct rwsem_waiter *waiter;
	struct rwsem_waiter *next;

	list_for_each_entry_safe (waiter, next, &sem->waiters, entry) {
		bool last = waiter->entry.next == &sem->waiters;

		if (waiter->writer)
			break;
		atomic64_add(RWSEM_READER - (last ? RWSEM_WAITERS : 0), &sem->count);
		grant(waiter);
	}
}

/*
 * Let the first waiter in, or all readers up to the next writer, if the count
 * allows it. While the waiters bit is set only this function lets anybody in.
 * Context: lock held.
 */
static void
grant_waiters(struct rw_semaphore *sem)
{
	struct rwsem_waiter *first = list_first_entry(&sem->waiters, struct rwsem_waiter, entry);

	if (list_empty(&sem->waiters))
		return;
	if (first->writer)
		grant_writer(sem, first);
	else if (!(atomic64_read_acquire(&sem->count) & RWSEM_WRITER))
		grant_readers(sem);
}

/* Queue up behind those who wait already, and sleep until granted. */
static void
wait_for_grant(struct rw_semaphore *sem, bool writer)
{
	struct rwsem_waiter waiter = { .task = current, .writer = writer, .granted = false };

	spin_lock(&sem->lock);
	if (list_empty(&sem->waiters))
		atomic64_add(RWSEM_WAITERS, &sem->count);
	list_add_tail(&waiter.entry, &sem->waiters);
	if (!writer) /* what down_read() added */
		atomic64_sub(RWSEM_READER, &sem->count);
	grant_waiters(sem);
	spin_unlock(&sem->lock);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		/* Acquire: pairs with grant(). */
		if (smp_load_acquire(&waiter.granted))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

/* The last one has left and somebody waits. */
static void
wake_waiters(struct rw_semaphore *sem)
{
	spin_lock(&sem->lock);
	grant_waiters(sem);
	spin_unlock(&sem->lock);
}

void
down_read(struct rw_semaphore *sem)
{
	s64 old = __atomic_fetch_add(&sem->count.counter, RWSEM_READER, __ATOMIC_ACQUIRE);

	if (unlikely(old & (RWSEM_WRITER | RWSEM_WAITERS)))
		wait_for_grant(sem, false);
}

bool
down_read_trylock(struct rw_semaphore *sem)
{
	s64 count = atomic64_read(&sem->count);

	while (!(count & (RWSEM_WRITER | RWSEM_WAITERS)))
		if (atomic64_try_cmpxchg_acquire(&sem->count, &count, count + RWSEM_READER))
			return true;
	return false;
}

void
up_read(struct rw_semaphore *sem)
{
	s64 old = atomic64_fetch_sub_release(RWSEM_READER, &sem->count);

	BUG_ON(old < RWSEM_READER, "no reader inside, count %#llx", (long long)old);
	if (unlikely(old - RWSEM_READER == RWSEM_WAITERS))
		wake_waiters(sem);
}

void
down_write(struct rw_semaphore *sem)
{
	if (unlikely(!down_write_trylock(sem)))
		wait_for_grant(sem, true);
}

bool
down_write_trylock(struct rw_semaphore *sem)
{
	s64 count = 0;

	return atomic64_try_cmpxchg_acquire(&sem->count, &count, RWSEM_WRITER);
}

void
up_write(struct rw_semaphore *sem)
{
	s64 old = atomic64_fetch_sub_release(RWSEM_WRITER, &sem->count);

	BUG_ON(!(old & RWSEM_WRITER), "no writer inside, count %#llx", (long long)old);
	if (unlikely(old & RWSEM_WAITERS))
		wake_waiters(sem);
}
