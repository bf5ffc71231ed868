/*
 * uaccess.c - see uaccess.h
 */
#include "pagecache/uaccess.h"

#if defined(MACHINE_HOST) && defined(__SANITIZE_THREAD__)
/* Byte by byte: the library's memcpy is watched, too, and so must not be called. */
noinline __attribute__((no_sanitize("thread"), optimize("no-tree-loop-distribute-patterns"))) void
racy_copy(void *to, const void *from, size_t size)
{
	const char *source = from;
	char *target = to;

	for (size_t i = 0; i < size; i++)
		target[i] = source[i];
}
#endif
