/*
 * arena.h - the one address range that holds all of the kernel's memory
 *
 * Objects, vmemmap, page frames, per-CPU areas and task stacks lie in it; what
 * lies outside is the user's or the runtime's and is not modelled. Objects come
 * from one jemalloc arena per node; vmemmap and frames are memfd mappings.
 */
#ifndef MACHINE_ARENA_H
#define MACHINE_ARENA_H

#include "machine/cost.h"

/* arena_alloc() without the charge, for the runtimes. */
void *__arena_alloc(size_t size, size_t align, int node);

/*
 * Allocate @size bytes on @node, aligned to @align (power of two; at least 64
 * is used for anything of a line or more). Contents are undefined.
 * Context: any; never sleeps; charged as COST_alloc. Return: NULL without memory.
 */
static __always_inline void *
arena_alloc(size_t size, size_t align, int node)
{
	spend(COST_alloc);
	return __arena_alloc(size, align, node);
}

/* @size as it was asked for. Context: any; never sleeps. */
void arena_free(void *object, size_t size);

/* The node whose memory @object, from arena_alloc(), is. Not an access to it. */
int arena_node(const void *object);

/*
 * A memfd-backed mapping of @size bytes (rounded up to pages) whose lines are
 * homed on @node; zeroed. Context: boot. Return: NULL without memory.
 */
void *arena_map(size_t size, int node);

/* Move the home of [@start, @start + @size), pages, to @node. Context: boot. */
void arena_set_home(void *start, size_t size, int node);

/* Bytes that arena_alloc() handed out and that were not freed. */
size_t arena_bytes_in_use(void);

/*
 * Poisoning, in debug and sanitizer builds only; elsewhere nothing. An access
 * to a poisoned byte is a use after free, reported with @what.
 */
#ifdef POISON
void arena_poison(const void *start, size_t size, const char *what);
void arena_unpoison(const void *start, size_t size);
#else
#define arena_poison(start, size, what) ((void)(start), (void)(size), (void)(what))
#define arena_unpoison(start, size) ((void)(start), (void)(size))
#endif

/*
 * Plain accesses to [@start, @start + @size) may race by design, as those to
 * files' contents do: the virtual kind's race check does not look at them.
 * Context: boot.
 */
#ifdef MACHINE_VIRTUAL
void arena_allow_races(const void *start, size_t size);
#else
#define arena_allow_races(start, size) ((void)(start), (void)(size))
#endif

#endif
