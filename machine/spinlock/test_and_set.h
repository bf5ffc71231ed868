/*
 * spinlock/test_and_set.h - whoever exchanges first
 *
 * The textbook lock, and what a virtual machine's guests fall back to. Waiters
 * watch the line; each unlock starts a race in which all of them take it for
 * writing and one wins.
 */
#ifndef MACHINE_SPINLOCK_TEST_AND_SET_H
#define MACHINE_SPINLOCK_TEST_AND_SET_H

#include "machine/atomic.h"
#include "machine/spinlock_types.h"

/* Context: as spin_lock(). */
void test_and_set_spin_lock_slow(spinlock_t *lock);

static __always_inline bool
test_and_set_spin_trylock(spinlock_t *lock)
{
	return !__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE);
}

static __always_inline void
test_and_set_spin_lock(spinlock_t *lock)
{
	if (unlikely(!test_and_set_spin_trylock(lock)))
		test_and_set_spin_lock_slow(lock);
}

static __always_inline void
test_and_set_spin_unlock(spinlock_t *lock)
{
	smp_store_release(&lock->locked, 0);
}

static __always_inline bool
test_and_set_spin_is_locked(const spinlock_t *lock)
{
	return READ_ONCE(lock->locked);
}

#endif
