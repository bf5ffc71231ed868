/*
 * rwsem.c - reader-writer semaphores
 *
 * Models kernel/locking/rwsem.c: a reader comes in with one fetch_add, a writer
 * with one cmpxchg, and both leave with one fetch_sub.
 *
 * A writer that finds a writer inside spins for as long as that one runs, one
 * spinner at a time; only then it sleeps (Documentation/locking/mutex-design.rst
 * calls it optimistic spinning). A sleeper that is woken tries like anybody else,
 * but after 4 ms it asks for hand-off: from then on only the oldest sleeper, or
 * the readers with it, come in. Were the semaphore handed over each time, all
 * would soon sleep, and each use of it last as long as a wake-up.
 *
 *   T1 leaves                          T2 is about to sleep, under sem->lock
 *   count -= WRITER (full)             count |= WAITERS
 *   WAITERS was set:                   set_current_state() (full)
 *     under sem->lock: wake the oldest   try to come in
 *
 * A reader that finds a writer or waiters has added itself already. Until it
 * takes that back, the last one inside may not see that it is the last; so it
 * must itself wake whoever can go on after it has queued up (sleep_for_read()).
 *
 * Differences from Linux: nobody spins while readers are inside; a spinner stops
 * after SPINS looks, where Linux looks whether another task should have the CPU.
 */
#include "machine/rwsem.h"

#include "machine/bug.h"
#include "machine/cpu_relax.h"
#include "machine/runtime.h"

#define RWSEM_WRITER 1ll
#define RWSEM_WAITERS 2ll
#define RWSEM_HANDOFF 4ll
#define RWSEM_READER 256ll

/* Looks of a spinner: tens of microseconds, many times what anybody stays inside. */
#define SPINS 1000

/* Linux waits for this long as well (RWSEM_WAIT_TIMEOUT, one tick at 250 Hz). */
#define HANDOFF_PS (4ull * 1000 * 1000 * 1000)

struct rwsem_waiter {
	struct list_head entry;	/* a ring, without a head; under sem->lock */
	struct task *task;
	u64 since;		/* ps */
	bool writer;
	bool granted;		/* reader: release by the granter, which then is done with it */
};

void
init_rwsem(struct rw_semaphore *sem)
{
	atomic_init(&sem->count, 0);
	sem->owner = NULL;
	spin_lock_init(&sem->spinners);
	spin_lock_init(&sem->lock);
	sem->first = NULL;
}

static bool
is_taken(s64 count)
{
	return count & RWSEM_WRITER || count >= RWSEM_READER;
}

/* --- the queue: sem->lock held ------------------------------------------ */

static void
add_waiter(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	if (sem->first) {
		list_add_tail(&waiter->entry, &sem->first->entry);
		return;
	}
	INIT_LIST_HEAD(&waiter->entry);
	sem->first = waiter;
	atomic64_add(RWSEM_WAITERS, &sem->count);
}

static bool
is_alone(const struct rwsem_waiter *waiter)
{
	return list_empty(&waiter->entry);
}

static struct rwsem_waiter *
next_waiter(const struct rwsem_waiter *waiter)
{
	return list_entry(waiter->entry.next, struct rwsem_waiter, entry);
}

/* The waiters bit is the caller's to clear, if @waiter was alone. */
static void
del_waiter(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	if (sem->first == waiter)
		sem->first = is_alone(waiter) ? NULL : next_waiter(waiter);
	list_del(&waiter->entry);
}

static bool
wants_handoff(const struct rwsem_waiter *first)
{
	return runtime_clock_ps() - first->since >= HANDOFF_PS;
}

/* Let the first waiter in, which is a reader. Return: false if a writer is inside. */
static bool
admit_first_reader(struct rw_semaphore *sem)
{
	s64 count = atomic64_read(&sem->count);
	s64 next;

	do {
		if (!(count & RWSEM_WRITER))
			next = (count & ~RWSEM_HANDOFF) + RWSEM_READER;
		else if (!(count & RWSEM_HANDOFF) && wants_handoff(sem->first))
			next = count | RWSEM_HANDOFF;
		else
			return false;
	} while (!atomic64_try_cmpxchg_acquire(&sem->count, &count, next));
	return !(next & RWSEM_WRITER);
}

/* Take @waiter off the queue and let it go on: it has been counted. */
static void
grant(struct rw_semaphore *sem, struct rwsem_waiter *waiter)
{
	struct task *task = waiter->task;

	del_waiter(sem, waiter);
	smp_store_release(&waiter->granted, true);
	wake_up_process(task);
}

/* The first waiter is a reader: it and all others come in together, past writers. */
static void
grant_readers(struct rw_semaphore *sem)
{
	struct rwsem_waiter *first = sem->first;
	struct rwsem_waiter *last = list_entry(first->entry.prev, struct rwsem_waiter, entry);
	struct rwsem_waiter *waiter = first;
	bool more = admit_first_reader(sem);

	while (more) {
		struct rwsem_waiter *next = next_waiter(waiter);

		more = waiter != last;
		if (!waiter->writer) {
			if (waiter != first)
				atomic64_add(RWSEM_READER, &sem->count);
			grant(sem, waiter);
		}
		waiter = next;
	}
	if (!sem->first)
		atomic64_sub(RWSEM_WAITERS, &sem->count);
}

/* Let the oldest sleepers go on, if there are any; a writer has to try. */
static void
wake_waiters(struct rw_semaphore *sem)
{
	struct rwsem_waiter *first = sem->first;

	if (!first)
		return;
	if (first->writer)
		wake_up_process(first->task);
	else
		grant_readers(sem);
}

/* --- readers -------------------------------------------------------------- */

static void
sleep_for_read(struct rw_semaphore *sem)
{
	struct rwsem_waiter waiter = { .task = current, .since = runtime_clock_ps() };

	spin_lock(&sem->lock);
	add_waiter(sem, &waiter);
	atomic64_sub(RWSEM_READER, &sem->count); /* what down_read() added */
	if (!sem->first->writer || !is_taken(atomic64_read(&sem->count)))
		wake_waiters(sem);
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

void
down_read(struct rw_semaphore *sem)
{
	s64 old = __atomic_fetch_add(&sem->count.counter, RWSEM_READER, __ATOMIC_ACQUIRE);

	if (likely(!(old & (RWSEM_WRITER | RWSEM_WAITERS | RWSEM_HANDOFF))))
		return;
	/* It is in if all others sleep. Beside readers it makes room for who waits. */
	if (old & (RWSEM_WRITER | RWSEM_HANDOFF) || old >= RWSEM_READER)
		sleep_for_read(sem);
}

bool
down_read_trylock(struct rw_semaphore *sem)
{
	s64 count = atomic64_read(&sem->count);

	while (!(count & (RWSEM_WRITER | RWSEM_WAITERS | RWSEM_HANDOFF)))
		if (atomic64_try_cmpxchg_acquire(&sem->count, &count, count + RWSEM_READER))
			return true;
	return false;
}

static void
wake(struct rw_semaphore *sem)
{
	spin_lock(&sem->lock);
	wake_waiters(sem);
	spin_unlock(&sem->lock);
}

void
up_read(struct rw_semaphore *sem)
{
	s64 old = atomic64_fetch_sub_release(RWSEM_READER, &sem->count);

	BUG_ON(old < RWSEM_READER, "no reader inside, count %#llx", (long long)old);
	if (unlikely((old - RWSEM_READER) & RWSEM_WAITERS && !is_taken(old - RWSEM_READER)))
		wake(sem);
}

/* --- writers -------------------------------------------------------------- */

/* Come in past those who sleep. */
static bool
steal(struct rw_semaphore *sem)
{
	s64 count = atomic64_read(&sem->count);

	while (!is_taken(count) && !(count & RWSEM_HANDOFF))
		if (atomic64_try_cmpxchg_acquire(&sem->count, &count, count | RWSEM_WRITER))
			return true;
	return false;
}

/* Whether one can soon come in: it is free, or the writer inside runs. */
static bool
is_worth_spinning(const struct rw_semaphore *sem)
{
	s64 count = atomic64_read(&sem->count);
	const struct task *owner;

	if (count & RWSEM_HANDOFF)
		return false;
	if (!(count & RWSEM_WRITER))
		return !is_taken(count);
	/* Not yet, or no longer, known: that is short. No task is destroyed while one runs. */
	owner = READ_ONCE(sem->owner);
	return !owner || runtime_on_cpu(owner);
}

static bool
spin_for_write(struct rw_semaphore *sem)
{
	bool taken = steal(sem);

	if (taken || !is_worth_spinning(sem))
		return taken;
	spin_lock(&sem->spinners);
	taken = steal(sem);
	for (int i = 0; !taken && i < SPINS && is_worth_spinning(sem); i++) {
		cpu_relax();
		taken = steal(sem);
	}
	spin_unlock(&sem->spinners);
	return taken;
}

/* Context: sem->lock held. */
static bool
take_as_waiter(struct rw_semaphore *sem, const struct rwsem_waiter *waiter)
{
	bool first = sem->first == waiter;
	s64 count = atomic64_read(&sem->count);
	s64 next;

	do {
		if (count & RWSEM_HANDOFF && !first)
			return false;
		if (!is_taken(count))
			next = RWSEM_WRITER | (is_alone(waiter) ? 0 : RWSEM_WAITERS);
		else if (first && !(count & RWSEM_HANDOFF) && wants_handoff(waiter))
			next = count | RWSEM_HANDOFF;
		else
			return false;
	} while (!atomic64_try_cmpxchg_acquire(&sem->count, &count, next));
	return !is_taken(count);
}

static void
sleep_for_write(struct rw_semaphore *sem)
{
	struct rwsem_waiter waiter = { .task = current, .since = runtime_clock_ps(),
				       .writer = true };

	spin_lock(&sem->lock);
	add_waiter(sem, &waiter);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (take_as_waiter(sem, &waiter))
			break;
		spin_unlock(&sem->lock);
		schedule();
		spin_lock(&sem->lock);
	}
	__set_current_state(TASK_RUNNING);
	del_waiter(sem, &waiter);
	spin_unlock(&sem->lock);
}

void
down_write(struct rw_semaphore *sem)
{
	if (down_write_trylock(sem))
		return;
	if (!spin_for_write(sem))
		sleep_for_write(sem);
	WRITE_ONCE(sem->owner, current);
}

bool
down_write_trylock(struct rw_semaphore *sem)
{
	s64 count = 0;

	if (!atomic64_try_cmpxchg_acquire(&sem->count, &count, RWSEM_WRITER))
		return false;
	WRITE_ONCE(sem->owner, current);
	return true;
}

void
up_write(struct rw_semaphore *sem)
{
	s64 old;

	WRITE_ONCE(sem->owner, NULL);
	old = atomic64_fetch_sub_release(RWSEM_WRITER, &sem->count);
	BUG_ON(!(old & RWSEM_WRITER), "no writer inside, count %#llx", (long long)old);
	if (unlikely(old & RWSEM_WAITERS))
		wake(sem);
}
