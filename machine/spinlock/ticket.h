/*
 * spinlock/ticket.h - first come, first served, all on one line
 *
 * What x86 had before 4.2. A waiter draws the next number and spins until the
 * owner's half shows it; each unlock sends the line to every waiter, of which
 * one can go on.
 */
#ifndef MACHINE_SPINLOCK_TICKET_H
#define MACHINE_SPINLOCK_TICKET_H

#include "machine/atomic.h"
#include "machine/spinlock_types.h"

#define TICKET_NEXT 0x00010000u

/* Wait for @ticket's turn. Context: as spin_lock(). */
void ticket_spin_lock_slow(spinlock_t *lock, u16 ticket);

static __always_inline void
ticket_spin_lock(spinlock_t *lock)
{
	u32 old = __atomic_fetch_add(&lock->word, TICKET_NEXT, __ATOMIC_ACQUIRE);
	u16 ticket = old >> 16;

	if (unlikely((u16)old != ticket))
		ticket_spin_lock_slow(lock, ticket);
}

static __always_inline bool
ticket_spin_trylock(spinlock_t *lock)
{
	u32 old = READ_ONCE(lock->word);

	return (u16)old == old >> 16 && try_cmpxchg_acquire(&lock->word, &old, old + TICKET_NEXT);
}

/* Only the holder changes its half: no RMW is needed. Marked, as RMWs of others cover it. */
static __always_inline void
ticket_spin_unlock(spinlock_t *lock)
{
	u16 owner = READ_ONCE(lock->owner);

	smp_store_release(&lock->owner, owner + 1);
}

static __always_inline bool
ticket_spin_is_locked(const spinlock_t *lock)
{
	u32 word = READ_ONCE(lock->word);

	return (u16)word != word >> 16;
}

#endif
