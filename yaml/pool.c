/*
 * pool.c - see pool.h
 */
#include "yaml/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool_block {
	struct pool_block *next;
	max_align_t data[];
};

void *
pool_alloc(struct pool *pool, size_t size)
{
	struct pool_block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		fprintf(stderr, "engine: out of memory\n");
		abort();
	}
	block->next = pool->blocks;
	pool->blocks = block;
	return block->data;
}

char *
pool_strdup(struct pool *pool, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(pool_alloc(pool, size), text, size);
}

char *
pool_printf(struct pool *pool, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = pool_alloc(pool, length + 1);
	va_start(args, format);
	vsnprintf(text, length + 1, format, args);
	va_end(args);
	return text;
}

void *
pool_grow(struct pool *pool, void *array, size_t count, size_t size)
{
	void *larger;

	/* The capacity is the next power of two, so it is used up at each of them. */
	if (count & (count - 1))
		return array;
	larger = pool_alloc(pool, (count ? 2 * count : 1) * size);
	if (count)
		memcpy(larger, array, count * size);
	return larger;
}

void
pool_free(struct pool *pool)
{
	struct pool_block *next;

	for (struct pool_block *block = pool->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	pool->blocks = NULL;
}
