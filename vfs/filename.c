/*
 * filename.c - copying a path from user memory; mirrors getname() of fs/namei.c
 *
 * Differences from Linux: a short path is copied to the caller's stack, where
 * Linux has a slab object.
 */
#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/task.h"
#include "vfs/namei.h"

/* Word by word, the last one over the one before: string instructions take long to start. */
static __always_inline void
copy_path(char *to, const char *from, size_t len)
{
	size_t at;

	if (likely(len >= sizeof(u64))) {
		for (at = 0; at < len - sizeof(u64); at += sizeof(u64))
			store_name_word(to + at, load_name_word(from + at));
		at = len - sizeof(u64);
		store_name_word(to + at, load_name_word(from + at));
		return;
	}
	for (at = 0; at < len; at++)
		to[at] = from[at];
}

int
getname(struct filename *filename, const char *path, unsigned int flags)
{
	size_t len = strnlen(path, PATH_MAX);
	char *copy = filename->iname;

	if (unlikely(len == PATH_MAX))
		return -ENAMETOOLONG;
	if (unlikely(!len) && !(flags & LOOKUP_EMPTY))
		return -ENOENT;
	spend(COST_path_name);
	if (unlikely(len + FILENAME_PAD > sizeof(filename->iname))) {
		copy = arena_alloc(len + FILENAME_PAD, CACHE_LINE,
				   cpu_to_node(smp_processor_id()));
		if (!copy)
			return -ENOMEM;
	}
	copy_path(copy, path, len);
	store_name_word(copy + len, 0);
	filename->name = copy;
	filename->len = len;
	return 0;
}

void
free_long_name(struct filename *filename)
{
	arena_free((char *)filename->name, filename->len + FILENAME_PAD);
}
