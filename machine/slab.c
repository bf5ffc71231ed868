/*
 * slab.c - caches of equal objects
 *
 * Models mm/slub.c with its per-CPU sheaves (2025), which are Bonwick's
 * magazines ("Magazines and Vmem", 2001): arrays of free objects. A CPU owns
 * two, and swaps a full or empty one with its node's depot when both are used
 * up. A magazine holds objects of its depot's node only; an object that is
 * freed on another node goes straight back to its own depot.
 *
 *   CPU    loaded, previous     plain accesses, the CPU's own lines
 *   depot  full, empty, loose   under depot.lock; see depot.c
 *   slab   fresh objects        under depot.lock, until they are carved
 *
 * In builds with -DPOISON a freed object is poisoned and waits in a ring per
 * CPU until QUARANTINE more were freed there; objects of SLAB_TYPESAFE_BY_RCU
 * caches wait a grace period before that.
 *
 * Differences from Linux: objects are whole cache lines, so none shares one;
 * empty slabs are kept until the cache goes; no merging of caches, no memcg.
 */
#include "machine/slab.h"

#include <stdio.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/bug.h"
#include "machine/depot.h"
#include "machine/machine.h"
#include "machine/names.h"
#include "machine/shared/arena_map.h"

#define SLAB_OBJECTS 8		/* at least so many objects per slab */
#define SLAB_BYTES 4096		/* and at least so many bytes */
#define QUARANTINE 16

/* Written by its CPU only. */
struct cpu_magazines {
	struct magazine *loaded;	/* NULL: the CPU has not used the cache yet */
	struct magazine *previous;
	s64 in_use;			/* handed out here minus freed here */
#ifdef POISON
	void *quarantine[QUARANTINE];
	u32 quarantine_next;
#endif
};

struct kmem_cache {
	/* read-mostly line: constant after kmem_cache_create() */
	const char *name;
	u32 size;			/* whole lines */
	u32 slab_bytes;
	unsigned int flags;
	struct percpu cpu;		/* struct cpu_magazines */
	void (*ctor)(void *object);
	void (*namer)(const void *object, struct object_name *name); /* or NULL; set at boot */
	struct list_head entry;		/* in machine.caches */

	atomic_t users ____cacheline_aligned; /* the cache itself, and objects in a grace period */

	struct depot depots[];		/* by node */
};

static struct depot *
depot_of(struct kmem_cache *cache)
{
	return &cache->depots[numa_node_id()];
}

/* Run the constructor on the objects of @magazine, all of them fresh. */
static void
construct(struct kmem_cache *cache, struct magazine *magazine)
{
	for (u64 i = 0; i < magazine->nr; i++) {
		if (cache->ctor)
			cache->ctor(magazine->objects[i]);
		arena_poison(magazine->objects[i], cache->size, cache->name);
	}
}

/* Return: false if the CPU has no magazines of this cache and there is no memory for them. */
static bool
have_magazines(struct cpu_magazines *cpu)
{
	int node;

	if (likely(cpu->loaded))
		return true;
	node = numa_node_id();
	if (!cpu->previous)
		cpu->previous = magazine_create(node);
	if (cpu->previous)
		cpu->loaded = magazine_create(node);
	return cpu->loaded;
}

static void
swap_magazines(struct cpu_magazines *cpu)
{
	struct magazine *loaded = cpu->loaded;

	cpu->loaded = cpu->previous;
	cpu->previous = loaded;
}

/* Return: a loaded magazine with objects, or NULL without memory. */
static noinline struct magazine *
reload(struct kmem_cache *cache, struct cpu_magazines *cpu)
{
	bool fresh = false;

	if (!have_magazines(cpu))
		return NULL;
	if (!cpu->loaded->nr)
		swap_magazines(cpu);
	if (!cpu->loaded->nr)
		cpu->loaded = depot_exchange_for_full(depot_of(cache), cpu->loaded, &fresh);
	if (fresh)
		construct(cache, cpu->loaded);
	return cpu->loaded->nr ? cpu->loaded : NULL;
}

void *
kmem_cache_alloc(struct kmem_cache *cache)
{
	struct cpu_magazines *cpu = this_cpu_ptr(cache->cpu);
	struct magazine *magazine = cpu->loaded;
	void *object;

	if (unlikely(!magazine || !magazine->nr)) {
		magazine = reload(cache, cpu);
		if (!magazine)
			return NULL;
	}
	object = magazine->objects[--magazine->nr];
	cpu->in_use++;
	arena_unpoison(object, cache->size);
	if (cache->flags & SLAB_ZERO)
		memset(object, 0, cache->size);
	return object;
}

/* Wherever it belongs, and if that takes another magazine. */
static noinline void
put_back_slow(struct kmem_cache *cache, struct cpu_magazines *cpu, void *object)
{
	int node = arena_home(object);

	if (node != numa_node_id() || !have_magazines(cpu)) {
		depot_put(&cache->depots[node], object);
		return;
	}
	if (cpu->loaded->nr == MAGAZINE_OBJECTS)
		swap_magazines(cpu);
	if (cpu->loaded->nr == MAGAZINE_OBJECTS)
		cpu->loaded = depot_exchange_for_empty(depot_of(cache), cpu->loaded);
	cpu->loaded->objects[cpu->loaded->nr++] = object;
}

/* Make @object available again. */
static __always_inline void
put_back(struct kmem_cache *cache, struct cpu_magazines *cpu, void *object)
{
	struct magazine *magazine = cpu->loaded;

	if (likely(arena_home(object) == numa_node_id()) && likely(magazine) &&
	    likely(magazine->nr < MAGAZINE_OBJECTS))
		magazine->objects[magazine->nr++] = object;
	else
		put_back_slow(cache, cpu, object);
}

static size_t
cache_bytes(void)
{
	return sizeof(struct kmem_cache) + nr_node_ids * sizeof(struct depot);
}

/* Drop one user; the last one takes the memory with it. */
static void
drop_user(struct kmem_cache *cache)
{
	int cpu;
	int node;

	if (!atomic_dec_and_test(&cache->users))
		return;
	for_each_cpu (cpu) {
		struct cpu_magazines *magazines = per_cpu_ptr(cache->cpu, cpu);

		magazine_destroy(magazines->loaded);
		magazine_destroy(magazines->previous);
	}
	for_each_node (node)
		depot_free(&cache->depots[node]);
	arena_free(cache, cache_bytes());
}

#ifdef POISON

/* A freed object whose readers may not have left yet. */
struct grace_wait {
	struct rcu_head rcu;
	struct kmem_cache *cache;
	void *object;
};

static void
quarantine(struct kmem_cache *cache, void *object)
{
	struct cpu_magazines *cpu = this_cpu_ptr(cache->cpu);
	void **place = &cpu->quarantine[cpu->quarantine_next++ % QUARANTINE];
	void *oldest = *place;

	arena_poison(object, cache->size, cache->name);
	*place = object;
	if (oldest)
		put_back(cache, cpu, oldest);
}

static void
grace_is_over(struct rcu_head *head)
{
	struct grace_wait *wait = container_of(head, struct grace_wait, rcu);

	quarantine(wait->cache, wait->object);
	drop_user(wait->cache);
	arena_free(wait, sizeof(*wait));
}

static void
retire(struct kmem_cache *cache, void *object)
{
	struct grace_wait *wait;

	if (!(cache->flags & SLAB_TYPESAFE_BY_RCU)) {
		quarantine(cache, object);
		return;
	}
	wait = arena_alloc(sizeof(*wait), CACHE_LINE, arena_node(object));
	BUG_ON(!wait, "no memory to watch a freed %s", cache->name);
	wait->cache = cache;
	wait->object = object;
	atomic_inc(&cache->users);
	call_rcu(&wait->rcu, grace_is_over);
}

#else

static void
retire(struct kmem_cache *cache, void *object)
{
	put_back(cache, this_cpu_ptr(cache->cpu), object);
}

#endif

void
kmem_cache_free(struct kmem_cache *cache, void *object)
{
	struct cpu_magazines *cpu = this_cpu_ptr(cache->cpu);

	cpu->in_use--;
	retire(cache, object);
}

/* Return: false without memory; each depot can be freed even so. */
static bool
init_depots(struct kmem_cache *cache)
{
	bool complete = true;
	int node;

	for_each_node (node)
		complete &= depot_init(&cache->depots[node], node, cache->size, cache->slab_bytes);
	return complete;
}

struct kmem_cache *
kmem_cache_create(const char *name, size_t size, unsigned int flags, void (*ctor)(void *object))
{
	struct kmem_cache *cache = arena_alloc(cache_bytes(), CACHE_LINE, 0);

	BUG_ON((flags & SLAB_ZERO) && (ctor || (flags & SLAB_TYPESAFE_BY_RCU)),
	       "%s would lose what its objects keep while they are free", name);
	if (!cache)
		return NULL;
	cache->name = name;
	cache->size = ALIGN(size, CACHE_LINE);
	cache->slab_bytes = ALIGN(max(SLAB_OBJECTS * cache->size, (u32)SLAB_BYTES), SLAB_BYTES);
	cache->flags = flags;
	cache->ctor = ctor;
	cache->namer = NULL;
	cache->cpu = alloc_percpu(name, sizeof(struct cpu_magazines), CACHE_LINE);
	atomic_init(&cache->users, 1);
	if (!init_depots(cache)) {
		drop_user(cache);
		return NULL;
	}
	list_add_tail(&cache->entry, &kernel.machine->caches);
	return cache;
}

void
kmem_cache_set_namer(struct kmem_cache *cache,
		     void (*func)(const void *object, struct object_name *name))
{
	cache->namer = func;
}

size_t
kmem_cache_in_use(const struct kmem_cache *cache)
{
	s64 in_use = 0;
	int cpu;

	for_each_cpu (cpu) {
		const struct cpu_magazines *magazines = per_cpu_ptr(cache->cpu, cpu);

		in_use += magazines->in_use;
	}
	return in_use;
}

void
kmem_cache_destroy(struct kmem_cache *cache)
{
	size_t in_use;

	if (!cache)
		return;
	in_use = kmem_cache_in_use(cache);
	BUG_ON(in_use, "%zu objects of %s are still in use", in_use, cache->name);
	list_del(&cache->entry);
	drop_user(cache);
}

/* A free object may be looked at for its name, but not where that is an error by itself. */
static bool
may_look_at(const void *object)
{
#ifdef POISON
	return !arena_is_poisoned(object, 1);
#else
	return true;
#endif
}

/* Name @address if it lies in one of @cache's objects. */
static bool
name_in_cache(const struct kmem_cache *cache, const char *address, struct object_name *name)
{
	struct slab *slab;
	int node;

	for_each_node (node) {
		list_for_each_entry (slab, &cache->depots[node].slabs, entry) {
			size_t offset = address - slab->objects;
			u32 index = offset / cache->size;

			if (offset >= cache->slab_bytes ||
			    index >= cache->slab_bytes / cache->size)
				continue;
			snprintf(name->name, sizeof(name->name), "%s", cache->name);
			name->type = cache->name;
			name->start = slab->objects + index * cache->size;
			if (cache->namer && may_look_at(name->start))
				cache->namer(name->start, name);
			return true;
		}
	}
	return false;
}

static bool
lies_in(const char *address, const void *start, size_t size)
{
	return (size_t)(address - (const char *)start) < size;
}

static bool
is_magazine_of(const struct kmem_cache *cache, const char *address)
{
	const struct cpu_magazines *cpu_magazines;
	int cpu, node;

	for_each_cpu (cpu) {
		cpu_magazines = per_cpu_ptr(cache->cpu, cpu);
		if (lies_in(address, cpu_magazines->loaded, sizeof(struct magazine)) ||
		    lies_in(address, cpu_magazines->previous, sizeof(struct magazine)))
			return true;
	}
	for_each_node (node)
		if (depot_has_magazine(&cache->depots[node], address))
			return true;
	return false;
}

/* Name @address if it lies in what @cache is made of. */
static bool
name_of_cache(const struct kmem_cache *cache, const char *address, struct object_name *name)
{
	if (lies_in(address, cache, cache_bytes())) {
		name->type = "kmem_cache";
		name->start = cache;
		snprintf(name->name, sizeof(name->name), "kmem_cache %s", cache->name);
		return true;
	}
	if (!is_magazine_of(cache, address))
		return false;
	name->type = NULL;
	name->start = address - (uintptr_t)address % CACHE_LINE;
	snprintf(name->name, sizeof(name->name), "magazine of kmem_cache %s", cache->name);
	return true;
}

bool
kmem_cache_name(const void *address, struct object_name *name)
{
	struct kmem_cache *cache;

	list_for_each_entry (cache, &kernel.machine->caches, entry)
		if (name_in_cache(cache, address, name) || name_of_cache(cache, address, name))
			return true;
	return false;
}
