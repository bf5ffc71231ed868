/*
 * spinlock.h - spinlocks of four bytes
 *
 * The choices of the `spinlock` family share one word (spinlock_types.h); each
 * is a file in spinlock/. Fast paths are inline, waiting is in spinlock.c.
 *
 * Context: any; the holder must not sleep. A task that takes a lock it already
 * holds deadlocks and is reported as such by the virtual kind.
 */
#ifndef MACHINE_SPINLOCK_H
#define MACHINE_SPINLOCK_H

#include "machine/policy.h"
#include "machine/spinlock/queued.h"
#include "machine/spinlock/test_and_set.h"
#include "machine/spinlock/ticket.h"

static __always_inline void
spin_lock_init(spinlock_t *lock)
{
	lock->word = 0;
}

/* Acquire; pairs with the release in spin_unlock(). */
static __always_inline void
spin_lock(spinlock_t *lock)
{
	switch (policy_choice(spinlock)) {
	case spinlock_queued:
		queued_spin_lock(lock);
		break;
	case spinlock_ticket:
		ticket_spin_lock(lock);
		break;
	case spinlock_test_and_set:
	default:
		test_and_set_spin_lock(lock);
	}
}

/* Return: true if the lock was free and is the caller's now. */
static __always_inline bool __must_check
spin_trylock(spinlock_t *lock)
{
	switch (policy_choice(spinlock)) {
	case spinlock_queued:
		return queued_spin_trylock(lock);
	case spinlock_ticket:
		return ticket_spin_trylock(lock);
	case spinlock_test_and_set:
	default:
		return test_and_set_spin_trylock(lock);
	}
}

static __always_inline void
spin_unlock(spinlock_t *lock)
{
	switch (policy_choice(spinlock)) {
	case spinlock_queued:
		queued_spin_unlock(lock);
		break;
	case spinlock_ticket:
		ticket_spin_unlock(lock);
		break;
	case spinlock_test_and_set:
	default:
		test_and_set_spin_unlock(lock);
	}
}

/* Whether @word, a spinlock's, says that nobody holds it or waits for it. */
static __always_inline bool
spin_value_unlocked(u32 word)
{
	if (likely(!word))
		return true;
	return policy_value[POLICY_spinlock] == spinlock_ticket && (u16)word == word >> 16;
}

/* Whether anybody holds the lock: for assertions, else out of date at once. */
static __always_inline bool
spin_is_locked(const spinlock_t *lock)
{
	switch (policy_choice(spinlock)) {
	case spinlock_queued:
		return queued_spin_is_locked(lock);
	case spinlock_ticket:
		return ticket_spin_is_locked(lock);
	case spinlock_test_and_set:
	default:
		return test_and_set_spin_is_locked(lock);
	}
}

#endif
