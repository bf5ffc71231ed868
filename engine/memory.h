/*
 * memory.h - allocation for the program itself, which cannot go on without it
 *
 * Out of memory ends the process with EXIT_RESOURCE: in a point's child that
 * costs the point, in the parent the run. Everything comes zeroed; free with
 * free().
 */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include "machine/types.h"

void *xcalloc(size_t count, size_t size);
void *xcalloc_lines(size_t count, size_t size); /* on a cache line of its own */
void *xrealloc(void *old, size_t size);	/* what is added is not zeroed */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
__printf(1, 2) char *xasprintf(const char *fmt, ...);

#endif
