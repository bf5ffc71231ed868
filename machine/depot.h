/*
 * depot.h - one node's free objects of a cache, by the magazine; for slab.c only
 */
#ifndef MACHINE_DEPOT_H
#define MACHINE_DEPOT_H

#include "machine/list.h"
#include "machine/spinlock.h"

#define MAGAZINE_OBJECTS 14	/* makes it two lines */

/* An array of free objects, all of one node. */
struct magazine {
	struct magazine *next;	/* in a depot's list */
	u64 nr;
	void *objects[MAGAZINE_OBJECTS];
};

_Static_assert(sizeof(struct magazine) == 2 * CACHE_LINE, "a magazine is two lines");

/* Memory of one slab; never changes until the cache goes. */
struct slab {
	struct list_head entry;		/* in depot.slabs */
	char *objects;
};

/* All but the first three fields under the lock. */
struct depot {
	spinlock_t lock ____cacheline_aligned;
	u32 object_bytes;		/* constant; whole lines */
	u32 slab_bytes;			/* constant */
	int node;			/* constant */
	struct magazine *full;
	struct magazine *empty;
	struct magazine *loose;		/* takes single objects */
	char *fresh;			/* next object of the youngest slab to carve */
	char *fresh_end;
	struct list_head slabs;
};

/* Return: an empty magazine that is in no depot yet, or NULL without memory. */
struct magazine *magazine_create(int node);

/* Its objects are not freed. @magazine may be NULL. */
void magazine_destroy(struct magazine *magazine);

/* Context: boot. Return: false without memory; depot_free() is called even so. */
bool depot_init(struct depot *depot, int node, u32 object_bytes, u32 slab_bytes);

/* Free all magazines and slabs of the depot. Context: nobody uses it. */
void depot_free(struct depot *depot);

/*
 * Exchange @empty for a magazine with objects. *@fresh says that they were carved
 * from a slab just now and were never used.
 * Context: any; never sleeps. Return: it, or @empty itself, still empty, without memory.
 */
struct magazine *depot_exchange_for_full(struct depot *depot, struct magazine *empty, bool *fresh);

/* Exchange @full for an empty magazine. Context: any; never sleeps. Return: never NULL. */
struct magazine *depot_exchange_for_empty(struct depot *depot, struct magazine *full);

/* Is @address in one of its magazines? Context: reporting. */
bool depot_has_magazine(const struct depot *depot, const void *address);

/* Give back one object of the depot's node. Context: any; never sleeps. */
void depot_put(struct depot *depot, void *object);

#endif
