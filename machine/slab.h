/*
 * slab.h - caches of equal objects, with a magazine per CPU
 *
 * An allocation pops the calling CPU's magazine, a free pushes onto it; only an
 * empty or full one touches the shared depot. Objects go back to the arena at
 * kmem_cache_destroy(), which reports every one still in use.
 *
 * SLAB_TYPESAFE_BY_RCU: an object's memory stays an object of this cache until
 * a grace period after its free, but may be *reused* at once. A lockless reader
 * must re-check identity after taking its reference. The constructor runs once
 * per memory, not once per allocation.
 */
#ifndef MACHINE_SLAB_H
#define MACHINE_SLAB_H

#include "machine/names.h"

struct kmem_cache;

enum slab_flags {
	SLAB_TYPESAFE_BY_RCU = 1,
	SLAB_ZERO = 2,		/* clear every object handed out; not with the other, nor a ctor */
};

/*
 * @name is the struct's name ("file" for struct file): reports look up fields
 * by it; it must outlive the cache. @size is rounded up to whole lines.
 * Context: boot. Return: NULL without memory.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size, unsigned int flags,
				     void (*ctor)(void *object));

/*
 * Let reports say more than the cache's name: name_of() hands @func the object's
 * start with @name filled in as usual, to be refined ("file /path"). The object
 * may be free by then. Context: boot.
 */
void kmem_cache_set_namer(struct kmem_cache *cache,
			  void (*func)(const void *object, struct object_name *name));

/* Context: task; never sleeps. Return: an object on the CPU's node, or NULL. */
void *kmem_cache_alloc(struct kmem_cache *cache);
void kmem_cache_free(struct kmem_cache *cache, void *object);

/* Objects handed out and not freed. Context: no task uses the cache. */
size_t kmem_cache_in_use(const struct kmem_cache *cache);

/* Context: shutdown; @cache may be NULL. BUG, with the count, if objects are still in use. */
void kmem_cache_destroy(struct kmem_cache *cache);

#endif
