/*
 * fd_alloc/bitmap_fastpath.h - `fd_alloc: bitmap-fastpath`: one word mostly suffices
 *
 * Mirrors fs/file.c since 6.13. The word of open_fds that next_fd lies in mostly
 * has a free bit, and then that is the answer; full_fds_bits is written only where
 * it changes; the slot is not looked at.
 */
#ifndef VFS_FD_ALLOC_BITMAP_FASTPATH_H
#define VFS_FD_ALLOC_BITMAP_FASTPATH_H

#include "machine/bitops.h"
#include "vfs/fd_alloc/find_zero_bit.h"
#include "vfs/fdtable.h"

static inline unsigned int
fd_alloc_bitmap_fastpath_find(const struct fdtable *fdt, unsigned int start)
{
	unsigned int words = fdt->max_fds / BITS_PER_LONG;
	unsigned int word = start / BITS_PER_LONG;
	unsigned int bit = find_next_zero_bit(&fdt->open_fds[word], BITS_PER_LONG,
					      start % BITS_PER_LONG);

	if (likely(bit < BITS_PER_LONG))
		return word * BITS_PER_LONG + bit;
	word = find_next_zero_bit(fdt->full_fds_bits, words, word + 1);
	if (word >= words)
		return fdt->max_fds;
	return find_next_zero_bit(fdt->open_fds, fdt->max_fds, word * BITS_PER_LONG);
}

static inline void
fd_alloc_bitmap_fastpath_clear_full(struct fdtable *fdt, unsigned int word)
{
	if (__test_bit(word, fdt->full_fds_bits))
		__clear_bit(word, fdt->full_fds_bits);
}

#endif
