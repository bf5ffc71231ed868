/*
 * heap.c - memory of the event heap; see heap.h
 */
#include "machine/virtual/heap.h"

#include <stdlib.h>
#include <string.h>

#include "machine/bug.h"

static void
heap_allocate(struct event_heap *heap, u32 capacity)
{
	struct event *entry = aligned_alloc(CACHE_LINE, capacity * sizeof(*entry));

	if (!entry)
		runtime_panic(VERDICT_FAILED, NULL, NULL, "no memory for %u events", capacity);
	memset(entry, 0, capacity * sizeof(*entry));
	if (heap->entry)
		memcpy(entry, heap->entry, heap->capacity * sizeof(*entry));
	free(heap->entry);
	heap->entry = entry;
	heap->capacity = capacity;
}

/* @capacity: a multiple of 4. */
void
heap_init(struct event_heap *heap, u32 capacity)
{
	*heap = (struct event_heap){ 0 };
	heap_allocate(heap, capacity);
	heap->entry[0].time = EVENT_NEVER;
}

void
heap_grow(struct event_heap *heap)
{
	heap_allocate(heap, heap->capacity * 2);
}

void
heap_free(struct event_heap *heap)
{
	free(heap->entry);
	*heap = (struct event_heap){ 0 };
}
