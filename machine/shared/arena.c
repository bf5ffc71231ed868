/*
 * shared/arena.c - the reserved range, its jemalloc arenas and its mappings
 *
 * What makes equal calls give equal offsets in every run:
 *  - one jemalloc arena per node, fed by a bump pointer (object_extent_alloc)
 *    and never given memory back, so that purging cannot follow the clock;
 *  - no thread caches;
 *  - page alignment for everything above SMALL_BYTES: jemalloc starts large
 *    objects at a random line of their first page otherwise, from a generator
 *    that is seeded by an address;
 *  - the range starts on a boundary of RANGE_ALIGN, more than any alignment
 *    that is ever asked for.
 *
 * Locking: a region's bump pointer is used under its jemalloc arena's own lock;
 * `maps.lock` guards the mappings' bump pointer and the lists of free stacks.
 */
#include "machine/arena.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/atomic.h"
#include "machine/bug.h"
#include "machine/shared/arena_map.h"

#define RANGE_ALIGN (1ul << 30)
#define MAPS_BYTES (16ul << 30)	/* address space for arena_map() */
#define SMALL_BYTES 8192
#define HUGE_PAGE (2ul << 20)
#define MAX_NODES 16
#define STACK_CHUNK 16		/* stacks that are mapped at once */

/* Objects of one node. */
struct region {
	extent_hooks_t hooks;	/* first: the hooks find their region by it */
	char *start;
	char *next;		/* bump pointer */
	char *end;
	unsigned int arena;	/* jemalloc's number */
	atomic64_t in_use;	/* bytes handed out and not freed */
};

/* Written into a free stack. */
struct free_stack {
	void *next;		/* lowest address of the next one */
};

/* Stacks that were mapped and never used. */
struct chunk {
	char *next;
	int left;
};

struct maps {
	pthread_mutex_t lock;
	char *next;
	void *stacks[MAX_NODES];	/* free ones */
	struct chunk chunks[MAX_NODES];
	size_t stack_bytes;	/* all stacks of a run have one size */
};

struct arena_range arena_range = { .memfd = -1 };
static struct region regions[MAX_NODES];
static struct maps maps = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int nr_regions;
static void *reserved;
static void (*bind_memory)(void *start, size_t size, int node);
static void (*reused)(const void *start, size_t size);

static void *
object_extent_alloc(extent_hooks_t *hooks, void *new_addr, size_t size, size_t alignment,
		    bool *zero, bool *commit, unsigned int arena)
{
	struct region *region = container_of(hooks, struct region, hooks);
	char *start = (char *)ALIGN((uintptr_t)region->next, alignment);

	if ((new_addr && new_addr != start) || start > region->end ||
	    size > (size_t)(region->end - start))
		return NULL;
	region->next = start + size;
	*zero = true;
	*commit = true;
	return start;
}

/* Keep it: jemalloc will use the extent again, at the same place. */
static bool
object_extent_dalloc(extent_hooks_t *hooks, void *start, size_t size, bool committed,
		     unsigned int arena)
{
	return true;
}

static bool
object_extent_split(extent_hooks_t *hooks, void *start, size_t size, size_t size_a, size_t size_b,
		    bool committed, unsigned int arena)
{
	return false;
}

static bool
object_extent_merge(extent_hooks_t *hooks, void *start_a, size_t size_a, void *start_b,
		    size_t size_b, bool committed, unsigned int arena)
{
	return false;
}

static bool
object_extent_purge(extent_hooks_t *hooks, void *start, size_t size, size_t offset, size_t length,
		    unsigned int arena)
{
	return true;
}

static const extent_hooks_t object_hooks = {
	.alloc = object_extent_alloc,
	.dalloc = object_extent_dalloc,
	.split = object_extent_split,
	.merge = object_extent_merge,
	.purge_lazy = object_extent_purge,
	.purge_forced = object_extent_purge,
};

static int
region_never_purge(const struct region *region, const char *which)
{
	char name[48];
	ssize_t never = -1;

	snprintf(name, sizeof(name), "arena.%u.%s_decay_ms", region->arena, which);
	return mallctl(name, NULL, NULL, &never, sizeof(never));
}

static int
region_boot(struct region *region, char *start, size_t size)
{
	extent_hooks_t *hooks = &region->hooks;
	size_t length = sizeof(region->arena);

	region->hooks = object_hooks;
	region->start = start;
	region->next = start;
	region->end = start + size;
	atomic64_set(&region->in_use, 0);
	if (mallctl("arenas.create", &region->arena, &length, &hooks, sizeof(hooks)) ||
	    region_never_purge(region, "dirty") || region_never_purge(region, "muzzy"))
		return -ENOMEM;
	return 0;
}

static void *
reserve(size_t size, int protection)
{
	void *start = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			   0);

	return start == MAP_FAILED ? NULL : start;
}

static void
bind_to_node(void *start, size_t size, int node)
{
	if (bind_memory)
		bind_memory(start, size, node);
}

static int
range_boot(int nodes, size_t object_bytes)
{
	size_t objects = nodes * object_bytes;
	struct arena_range *range = &arena_range;

	range->size = objects + MAPS_BYTES;
	reserved = reserve(range->size + RANGE_ALIGN, PROT_NONE);
	range->home = reserve(range->size >> ARENA_PAGE_SHIFT, PROT_READ | PROT_WRITE);
	range->memfd = memfd_create("arena", MFD_CLOEXEC);
	if (!reserved || !range->home || range->memfd < 0)
		return -ENOMEM;
	range->base = (char *)ALIGN((uintptr_t)reserved, RANGE_ALIGN);
	range->maps = range->base + objects;
	maps.next = range->maps;
	memset(maps.stacks, 0, sizeof(maps.stacks));
	memset(maps.chunks, 0, sizeof(maps.chunks));
	maps.stack_bytes = 0;
	if (mprotect(range->base, objects, PROT_READ | PROT_WRITE) ||
	    ftruncate(range->memfd, MAPS_BYTES))
		return -ENOMEM;
	return 0;
}

/*
 * Nothing may stay poisoned: a sanitizer remembers addresses, and somebody else
 * may get them next.
 */
static void
region_shutdown(struct region *region)
{
	char name[32];

	if (!region->hooks.alloc)
		return;
	arena_unpoison(region->start, region->next - region->start);
	snprintf(name, sizeof(name), "arena.%u.destroy", region->arena);
	mallctl(name, NULL, NULL, NULL, 0);
	memset(region, 0, sizeof(*region));
}

static void
range_shutdown(void)
{
	struct arena_range *range = &arena_range;

	if (range->memfd >= 0)
		close(range->memfd);
	if (range->home)
		munmap(range->home, range->size >> ARENA_PAGE_SHIFT);
	if (reserved)
		munmap(reserved, range->size + RANGE_ALIGN);
	reserved = NULL;
	*range = (struct arena_range){ .memfd = -1 };
}

void
arena_shutdown(void)
{
	size_t left = arena_bytes_in_use();

	BUG_ON(left, "%zu bytes of the arena leaked", left);
	if (arena_range.maps)
		arena_unpoison(arena_range.maps, maps.next - arena_range.maps);
	for (int node = 0; node < nr_regions; node++)
		region_shutdown(&regions[node]);
	arena_poison_shutdown();
	range_shutdown();
	reused = NULL;
}

int
arena_boot(int nodes, size_t object_bytes, void (*bind)(void *start, size_t size, int node))
{
	size_t bytes = ALIGN(object_bytes, ARENA_PAGE);
	int error;

	if (nodes < 1 || nodes > MAX_NODES)
		return -EINVAL;
	bind_memory = bind;
	nr_regions = nodes;
	error = range_boot(nodes, bytes);
	if (!error)
		error = arena_poison_boot();
	for (int node = 0; node < nodes && !error; node++) {
		char *start = arena_range.base + node * bytes;

		arena_set_home(start, bytes, node);
		error = region_boot(&regions[node], start, bytes);
	}
	if (error)
		arena_shutdown();
	return error;
}

void
arena_watch_reuse(void (*func)(const void *start, size_t size))
{
	reused = func;
}

void *
__arena_alloc(size_t size, size_t align, int node)
{
	struct region *region = &regions[node];
	size_t least = size > SMALL_BYTES ? ARENA_PAGE : size >= CACHE_LINE ? CACHE_LINE : 1;
	int flags = MALLOCX_ARENA(region->arena) | MALLOCX_TCACHE_NONE |
		    MALLOCX_ALIGN(max(align, least));
	void *object = mallocx(size, flags);

	if (!object)
		return NULL;
	atomic64_add(size, &region->in_use);
	if (reused)
		reused(object, size);
	return object;
}

void
arena_free(void *object, size_t size)
{
	struct region *region = &regions[arena_home(object)];

	atomic64_sub(size, &region->in_use);
	dallocx(object, MALLOCX_ARENA(region->arena) | MALLOCX_TCACHE_NONE);
}

size_t
arena_bytes_in_use(void)
{
	size_t bytes = 0;

	for (int node = 0; node < nr_regions; node++)
		bytes += atomic64_read(&regions[node].in_use);
	return bytes;
}

int
arena_node(const void *object)
{
	return arena_home(object);
}

void
arena_set_home(void *start, size_t size, int node)
{
	memset(&arena_range.home[arena_offset(start) >> ARENA_PAGE_SHIFT], node,
	       size >> ARENA_PAGE_SHIFT);
	bind_to_node(start, size, node);
}

/*
 * @memfd -1 maps private pages, for memory that is never mapped twice.
 * Context: maps.lock held.
 */
static void *
map_locked(size_t size, int node, int memfd)
{
	int flags = memfd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *start = maps.next;
	size_t offset = start - arena_range.maps;

	if (size > MAPS_BYTES - offset)
		return NULL;
	if (mmap(start, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED | MAP_NORESERVE, memfd,
		 memfd < 0 ? 0 : offset) == MAP_FAILED)
		return NULL;
	maps.next += size;
	arena_set_home(start, size, node);
	return start;
}

void *
arena_map(size_t size, int node)
{
	void *start;

	pthread_mutex_lock(&maps.lock);
	start = map_locked(ALIGN(size, ARENA_PAGE), node, arena_range.memfd);
	pthread_mutex_unlock(&maps.lock);
	return start;
}

void *
arena_map_dense(size_t size)
{
	size_t bytes = ALIGN(size, ARENA_PAGE);
	void *start;

	pthread_mutex_lock(&maps.lock);
	maps.next = (char *)ALIGN((uintptr_t)maps.next, HUGE_PAGE);
	start = map_locked(bytes, 0, -1);
	pthread_mutex_unlock(&maps.lock);
	if (start)
		madvise(start, bytes, MADV_HUGEPAGE); /* only a hint: fewer faults at boot */
	return start;
}

/* The next stack of the node's chunk, untouched: pages are backed where used. */
static void *
new_stack_locked(size_t size, int node)
{
	size_t step = size + ARENA_PAGE;
	struct chunk *chunk = &maps.chunks[node];
	char *guard;

	if (!chunk->left) {
		chunk->next = map_locked(STACK_CHUNK * step, node, -1);
		if (!chunk->next)
			return NULL;
		chunk->left = STACK_CHUNK;
	}
	guard = chunk->next;
	chunk->next += step;
	chunk->left--;
	return mprotect(guard, ARENA_PAGE, PROT_NONE) ? NULL : guard + ARENA_PAGE;
}

/* The link lies where a stack is used first. */
static struct free_stack *
free_stack_of(void *start, size_t size)
{
	return (struct free_stack *)((char *)start + size) - 1;
}

void *
arena_stack_alloc(size_t size, int node)
{
	void *start;

	pthread_mutex_lock(&maps.lock);
	BUG_ON(maps.stack_bytes && maps.stack_bytes != size, "stack of %zu bytes, not %zu", size,
	       maps.stack_bytes);
	maps.stack_bytes = size;
	if (maps.stacks[node]) {
		start = maps.stacks[node];
		maps.stacks[node] = free_stack_of(start, size)->next;
	} else {
		start = new_stack_locked(size, node);
	}
	pthread_mutex_unlock(&maps.lock);
	return start;
}

void
arena_stack_free(void *start, size_t size, int node)
{
	arena_unpoison(start, size); /* what the sanitizer knows of frames that are gone */
	pthread_mutex_lock(&maps.lock);
	free_stack_of(start, size)->next = maps.stacks[node];
	maps.stacks[node] = start;
	pthread_mutex_unlock(&maps.lock);
}
