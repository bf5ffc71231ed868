/*
 * spinlock/queued.h - each waiter spins on a line of its own
 *
 * Mirrors kernel/locking/qspinlock.c. The first waiter sets `pending` and spins
 * on the lock's line; only further ones queue up, in a list of per-CPU nodes
 * (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
 * shared-memory multiprocessors", 1991) whose last CPU `tail` names. A hand-over
 * then costs a fixed number of transfers, however many wait.
 */
#ifndef MACHINE_SPINLOCK_QUEUED_H
#define MACHINE_SPINLOCK_QUEUED_H

#include "machine/atomic.h"
#include "machine/spinlock_types.h"

#define QUEUED_LOCKED 0x00000001u
#define QUEUED_PENDING 0x00000100u

/* The lock was seen as @seen, not 0. Context: as spin_lock(). */
void queued_spin_lock_slow(spinlock_t *lock, u32 seen);

static __always_inline void
queued_spin_lock(spinlock_t *lock)
{
	u32 seen = 0;

	if (unlikely(!try_cmpxchg_acquire(&lock->word, &seen, QUEUED_LOCKED)))
		queued_spin_lock_slow(lock, seen);
}

static __always_inline bool
queued_spin_trylock(spinlock_t *lock)
{
	u32 seen = READ_ONCE(lock->word);

	return !seen && try_cmpxchg_acquire(&lock->word, &seen, QUEUED_LOCKED);
}

/* One byte: waiters own the other bits. */
static __always_inline void
queued_spin_unlock(spinlock_t *lock)
{
	smp_store_release(&lock->locked, 0);
}

static __always_inline bool
queued_spin_is_locked(const spinlock_t *lock)
{
	return READ_ONCE(lock->word);
}

#endif
