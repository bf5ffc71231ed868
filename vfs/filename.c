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
	memcpy(copy, path, len);
	memset(copy + len, 0, FILENAME_PAD);
	filename->name = copy;
	filename->len = len;
	return 0;
}

void
putname(struct filename *filename)
{
	if (unlikely(filename->name != filename->iname))
		arena_free((char *)filename->name, filename->len + FILENAME_PAD);
}
