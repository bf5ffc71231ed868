/*
 * fd_alloc/bitmap.h - `fd_alloc: bitmap`: two levels, always both
 *
 * Mirrors find_next_fd() and its neighbours of fs/file.c until 6.12. Whatever
 * descriptor is asked for, full_fds_bits is searched for a word with room, and then
 * open_fds from there on; a free clears the word's full bit, set or not; and the
 * slot of a new descriptor is looked at. All of that under file_lock.
 */
#ifndef VFS_FD_ALLOC_BITMAP_H
#define VFS_FD_ALLOC_BITMAP_H

#include "machine/bitops.h"
#include "machine/bug.h"
#include "vfs/fd_alloc/find_zero_bit.h"
#include "vfs/fdtable.h"

static inline unsigned int
fd_alloc_bitmap_find(const struct fdtable *fdt, unsigned int start)
{
	unsigned int words = fdt->max_fds / BITS_PER_LONG;
	unsigned int word = find_next_zero_bit(fdt->full_fds_bits, words, start / BITS_PER_LONG);

	if (word >= words)
		return fdt->max_fds;
	return find_next_zero_bit(fdt->open_fds, fdt->max_fds, max(start, word * BITS_PER_LONG));
}

static inline void
fd_alloc_bitmap_clear_full(struct fdtable *fdt, unsigned int word)
{
	__clear_bit(word, fdt->full_fds_bits);
}

static inline void
fd_alloc_bitmap_check_free(const struct fdtable *fdt, unsigned int fd)
{
	BUG_ON(READ_ONCE(fdt->fd[fd]), "free descriptor %u has a file", fd);
}

#endif
