/*
 * bit_spinlock.h - one bit of a word as a spinlock
 *
 * For data that cannot afford four bytes: hash chains, mm_ids. Unfair, and all
 * waiters spin on the word's line. Context: any; the holder must not sleep.
 */
#ifndef MACHINE_BIT_SPINLOCK_H
#define MACHINE_BIT_SPINLOCK_H

#include "machine/bitops.h"
#include "machine/cpu_relax.h"

static __always_inline void
bit_spin_lock(unsigned int nr, unsigned long *word)
{
	while (unlikely(test_and_set_bit_lock(nr, word)))
		smp_cond_load_relaxed(word, !(VAL & BIT(nr)));
}

static __always_inline void
bit_spin_unlock(unsigned int nr, unsigned long *word)
{
	clear_bit_unlock(nr, word);
}

#endif
