/*
 * fd_alloc/find_zero_bit.h - the search that both choices are made of
 */
#ifndef VFS_FD_ALLOC_FIND_ZERO_BIT_H
#define VFS_FD_ALLOC_FIND_ZERO_BIT_H

#include "machine/types.h"
#include "vfs/fdtable.h"

/* Return: the first clear bit of @words from @start on, or @bits. */
static inline unsigned int
find_next_zero_bit(const unsigned long *words, unsigned int bits, unsigned int start)
{
	unsigned int word = start / BITS_PER_LONG;
	unsigned long ignored = BIT(start % BITS_PER_LONG) - 1;

	for (; word * BITS_PER_LONG < bits; word++, ignored = 0) {
		unsigned long zeroes = ~(words[word] | ignored);

		if (likely(zeroes))
			return min(bits,
				   word * BITS_PER_LONG + (unsigned int)__builtin_ctzl(zeroes));
	}
	return bits;
}

#endif
