/*
 * bitops.h - atomic operations on the bits of a word
 *
 * set_bit() and clear_bit() are relaxed; test_and_*() are fully ordered; the
 * _lock form is an acquire and the _unlock forms are releases, which makes one
 * bit a lock. Names with two underscores are plain: the caller owns the word.
 */
#ifndef MACHINE_BITOPS_H
#define MACHINE_BITOPS_H

#include "machine/atomic.h"

static __always_inline bool
test_bit(unsigned int nr, const unsigned long *word)
{
	return READ_ONCE(*word) & BIT(nr);
}

static __always_inline bool
test_bit_acquire(unsigned int nr, const unsigned long *word)
{
	return smp_load_acquire(word) & BIT(nr);
}

static __always_inline void
set_bit(unsigned int nr, unsigned long *word)
{
	__atomic_fetch_or(word, BIT(nr), __ATOMIC_RELAXED);
}

static __always_inline void
clear_bit(unsigned int nr, unsigned long *word)
{
	__atomic_fetch_and(word, ~BIT(nr), __ATOMIC_RELAXED);
}

static __always_inline bool
test_and_set_bit(unsigned int nr, unsigned long *word)
{
	return __atomic_fetch_or(word, BIT(nr), __ATOMIC_SEQ_CST) & BIT(nr);
}

static __always_inline bool
test_and_clear_bit(unsigned int nr, unsigned long *word)
{
	return __atomic_fetch_and(word, ~BIT(nr), __ATOMIC_SEQ_CST) & BIT(nr);
}

/* Return: the bit's old value; false means that the caller holds the lock now. */
static __always_inline bool
test_and_set_bit_lock(unsigned int nr, unsigned long *word)
{
	return __atomic_fetch_or(word, BIT(nr), __ATOMIC_ACQUIRE) & BIT(nr);
}

static __always_inline void
clear_bit_unlock(unsigned int nr, unsigned long *word)
{
	__atomic_fetch_and(word, ~BIT(nr), __ATOMIC_RELEASE);
}

/*
 * Flip @mask in the low byte of @word with release order.
 * Return: whether the byte's sign bit (bit 7) is set afterwards. One locked
 * instruction on x86: the sign flag answers without a second access.
 */
static __always_inline bool
xor_unlock_is_negative_byte(u8 mask, unsigned long *word)
{
	return __atomic_xor_fetch((s8 *)word, (s8)mask, __ATOMIC_RELEASE) < 0;
}

static __always_inline void
__set_bit(unsigned int nr, unsigned long *words)
{
	words[nr / 64] |= BIT(nr % 64);
}

static __always_inline void
__clear_bit(unsigned int nr, unsigned long *words)
{
	words[nr / 64] &= ~BIT(nr % 64);
}

static __always_inline bool
__test_bit(unsigned int nr, const unsigned long *words)
{
	return words[nr / 64] & BIT(nr % 64);
}

#endif
