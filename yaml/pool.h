/*
 * pool.h - memory that is freed all at once
 *
 * A load makes many small strings and arrays with one lifetime. Running out of
 * memory here ends the process: nothing has run yet that could be lost.
 */
#ifndef YAML_POOL_H
#define YAML_POOL_H

#include "machine/types.h"

struct pool_block;

/* Zero-initialise; end with pool_free(). */
struct pool {
	struct pool_block *blocks;
};

/* @size zeroed bytes. Return: never NULL. */
void *pool_alloc(struct pool *pool, size_t size);
char *pool_strdup(struct pool *pool, const char *text);
char *pool_printf(struct pool *pool, const char *format, ...) __printf(2, 3);
void pool_free(struct pool *pool);

/*
 * Room for one more element at the end of @array, which holds @count of @size
 * bytes and was made by this function (NULL when @count is 0).
 * Return: the array, which may have moved.
 */
void *pool_grow(struct pool *pool, void *array, size_t count, size_t size);

#endif
