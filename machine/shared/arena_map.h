/*
 * shared/arena_map.h - the arena as the runtimes see it
 *
 * One reserved range, which starts at any address and whose inside depends on
 * nothing: equal calls give equal offsets in every run.
 *
 *   base                                                       base + size
 *   | objects, node 0 | objects, node 1 | ... | mappings, any node |
 *
 * Objects come from one jemalloc arena per node, mappings from one memfd: a
 * mapping's offset in the file is its offset behind `maps`.
 *
 * Context: everything here is for machine/host and machine/virtual only.
 */
#ifndef MACHINE_SHARED_ARENA_MAP_H
#define MACHINE_SHARED_ARENA_MAP_H

#include "machine/types.h"

#define ARENA_PAGE_SHIFT 12
#define ARENA_PAGE (1ul << ARENA_PAGE_SHIFT)

/* Constant after arena_boot(), but for `home`, which arena_set_home() writes. */
struct arena_range {
	char *base;
	size_t size;		/* whole pages */
	char *maps;		/* where the mappings begin */
	int memfd;		/* what they map */
	u8 *home;		/* node of each page */
};

extern struct arena_range arena_range;

/*
 * Reserve the range: @object_bytes for each of @nodes, and room for mappings.
 * @bind, or NULL, is asked to put memory on a node; it is a wish.
 * Return: 0 or -errno.
 */
int arena_boot(int nodes, size_t object_bytes, void (*bind)(void *start, size_t size, int node));

/* Give everything back. BUG if an object was not freed. Context: nobody uses the range. */
void arena_shutdown(void);

/*
 * Private, zeroed memory of @size bytes (rounded up to pages), all of which will
 * be touched soon: in huge pages where the host allows it. Homed on node 0.
 * Context: boot. Return: NULL without memory.
 */
void *arena_map_dense(size_t size);

/*
 * A stack of @size bytes (whole pages) on @node with an inaccessible page below.
 * Return: its lowest usable address, or NULL without memory. Contents are undefined.
 */
void *arena_stack_alloc(size_t size, int node);
void arena_stack_free(void *stack, size_t size, int node);

static __always_inline bool
arena_contains(const void *address)
{
	return (size_t)((const char *)address - arena_range.base) < arena_range.size;
}

/* The number that stands for @address in every run. Context: arena_contains(@address). */
static __always_inline size_t
arena_offset(const void *address)
{
	return (const char *)address - arena_range.base;
}

static __always_inline int
arena_home(const void *address)
{
	return arena_range.home[arena_offset(address) >> ARENA_PAGE_SHIFT];
}

/*
 * Have @func told of every piece of memory that is handed out: what happened to
 * it before has nothing to do with what happens from now on. Context: boot.
 */
void arena_watch_reuse(void (*func)(const void *start, size_t size));

/* arena_boot() and arena_shutdown() call them. Return: 0 or -ENOMEM. */
int arena_poison_boot(void);
void arena_poison_shutdown(void);

#ifdef POISON
/* One bit per byte of the range: poisoned. Written by arena_poison() and its opposite. */
extern u64 *arena_poison_map;

/* Whether an access of @size bytes, 1 .. 64, at @address touches a poisoned byte. */
static __always_inline bool
arena_is_poisoned(const void *address, size_t size)
{
	size_t bit = arena_offset(address);
	const u64 *word = &arena_poison_map[bit / 64];
	unsigned int shift = bit % 64;
	u64 mask = ~0ull >> (64 - size);
	u64 high = shift ? mask >> (64 - shift) : 0;

	return (word[0] & mask << shift) || (high && (word[1] & high));
}

/* What was said when the byte at @address was poisoned. */
const char *arena_poison_what(const void *address);
#endif

#endif
