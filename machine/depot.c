/*
 * depot.c - magazines and slabs of one node
 *
 * CPUs come here when their own magazines are all full or all empty, and to give
 * back an object that is not of their node.
 *
 * Magazines never run out. With every slab come enough of them to hold all its
 * objects; CPUs only exchange theirs, one for one; and one more is the loose one.
 * So if none were empty, the depot's would hold all objects there are, and
 * nobody could have one to give back.
 *
 * Lock order: depot.lock is innermost.
 */
#include "machine/depot.h"

#include <string.h>

#include "machine/arena.h"

static void
push(struct magazine **list, struct magazine *magazine)
{
	magazine->next = *list;
	*list = magazine;
}

static struct magazine *
pop(struct magazine **list)
{
	struct magazine *magazine = *list;

	if (magazine)
		*list = magazine->next;
	return magazine;
}

struct magazine *
magazine_create(int node)
{
	struct magazine *magazine = arena_alloc(sizeof(*magazine), CACHE_LINE, node);

	if (magazine)
		magazine->nr = 0;
	return magazine;
}

void
magazine_destroy(struct magazine *magazine)
{
	if (magazine)
		arena_free(magazine, sizeof(*magazine));
}

static void
destroy_all(struct magazine *list)
{
	while (list)
		magazine_destroy(pop(&list));
}

bool
depot_init(struct depot *depot, int node, u32 object_bytes, u32 slab_bytes)
{
	memset(depot, 0, sizeof(*depot));
	spin_lock_init(&depot->lock);
	depot->object_bytes = object_bytes;
	depot->slab_bytes = slab_bytes;
	depot->node = node;
	INIT_LIST_HEAD(&depot->slabs);
	depot->loose = magazine_create(node);
	return depot->loose;
}

void
depot_free(struct depot *depot)
{
	struct slab *slab;
	struct slab *next;

	destroy_all(depot->full);
	destroy_all(depot->empty);
	magazine_destroy(depot->loose);
	list_for_each_entry_safe (slab, next, &depot->slabs, entry) {
		arena_unpoison(slab->objects, depot->slab_bytes);
		arena_free(slab->objects, depot->slab_bytes);
		arena_free(slab, sizeof(*slab));
	}
}

/* Magazines for @objects more. Context: depot.lock held. Return: false without memory. */
static bool
add_magazines(struct depot *depot, u32 objects)
{
	for (u32 i = 0; i < DIV_ROUND_UP(objects, MAGAZINE_OBJECTS); i++) {
		struct magazine *magazine = magazine_create(depot->node);

		if (!magazine)
			return false;
		push(&depot->empty, magazine);
	}
	return true;
}

/* A slab more. Context: depot.lock held. Return: false without memory. */
static bool
grow(struct depot *depot)
{
	u32 objects = depot->slab_bytes / depot->object_bytes;
	struct slab *slab = arena_alloc(sizeof(*slab), CACHE_LINE, depot->node);

	if (!slab)
		return false;
	slab->objects = arena_alloc(depot->slab_bytes, CACHE_LINE, depot->node);
	if (!slab->objects || !add_magazines(depot, objects)) {
		if (slab->objects)
			arena_free(slab->objects, depot->slab_bytes);
		arena_free(slab, sizeof(*slab));
		return false;
	}
	list_add(&slab->entry, &depot->slabs);
	depot->fresh = slab->objects;
	depot->fresh_end = slab->objects + objects * depot->object_bytes;
	return true;
}

/* Fill empty @magazine from the youngest slab. Context: depot.lock held. */
static void
carve(struct depot *depot, struct magazine *magazine)
{
	while (magazine->nr < MAGAZINE_OBJECTS && depot->fresh < depot->fresh_end) {
		magazine->objects[magazine->nr++] = depot->fresh;
		depot->fresh += depot->object_bytes;
	}
}

struct magazine *
depot_exchange_for_full(struct depot *depot, struct magazine *empty, bool *fresh)
{
	struct magazine *magazine;

	*fresh = false;
	spin_lock(&depot->lock);
	magazine = pop(&depot->full);
	if (magazine) {
		push(&depot->empty, empty);
	} else if (depot->loose->nr) {
		magazine = depot->loose;
		depot->loose = empty;
	} else {
		magazine = empty;
		*fresh = depot->fresh < depot->fresh_end || grow(depot);
		if (*fresh)
			carve(depot, magazine);
	}
	spin_unlock(&depot->lock);
	return magazine;
}

struct magazine *
depot_exchange_for_empty(struct depot *depot, struct magazine *full)
{
	struct magazine *magazine;

	spin_lock(&depot->lock);
	push(&depot->full, full);
	magazine = pop(&depot->empty);
	spin_unlock(&depot->lock);
	return magazine;
}

void
depot_put(struct depot *depot, void *object)
{
	spin_lock(&depot->lock);
	if (depot->loose->nr == MAGAZINE_OBJECTS) {
		push(&depot->full, depot->loose);
		depot->loose = pop(&depot->empty);
	}
	depot->loose->objects[depot->loose->nr++] = object;
	spin_unlock(&depot->lock);
}

static bool
is_in_list(const struct magazine *magazine, const char *address)
{
	for (; magazine; magazine = magazine->next)
		if ((size_t)(address - (const char *)magazine) < sizeof(*magazine))
			return true;
	return false;
}

bool
depot_has_magazine(const struct depot *depot, const void *address)
{
	return is_in_list(depot->full, address) || is_in_list(depot->empty, address) ||
	       (size_t)((const char *)address - (const char *)depot->loose) < sizeof(*depot->loose);
}
