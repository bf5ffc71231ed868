/*
 * memory.c - see memory.h
 */
#include "engine/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/exit_code.h"

static void *
checked(void *p)
{
	if (p)
		return p;
	fputs("engine: out of memory\n", stderr);
	_exit(EXIT_RESOURCE);
}

void *
xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *
xcalloc_lines(size_t count, size_t size)
{
	size_t bytes = ALIGN(count * size, (size_t)CACHE_LINE);

	return memset(checked(aligned_alloc(CACHE_LINE, bytes)), 0, bytes);
}

void *
xrealloc(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

char *
xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *
xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

char *
xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&s, fmt, args) < 0)
		s = NULL;
	va_end(args);
	return checked(s);
}
