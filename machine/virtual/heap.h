/*
 * heap.h - events in order of (time, sequence)
 *
 * A 4-ary heap of 16-byte entries. Entry 0 is the earliest; the four children
 * of entry i lie in one host cache line. There is always an entry at the root:
 * EVENT_NEVER when nothing is queued, so that looking at the next time needs
 * no test.
 *
 * Zone line of an event's second word, which orders equal times:
 *
 *	63 ........ 27  26 .. 24  23 ....... 0
 *	sequence        kind      index
 */
#ifndef MACHINE_VIRTUAL_HEAP_H
#define MACHINE_VIRTUAL_HEAP_H

#include "machine/types.h"

#define EVENT_KIND_SHIFT 24
#define EVENT_SEQUENCE_SHIFT 27
#define EVENT_INDEX_MASK ((1u << EVENT_KIND_SHIFT) - 1)

/* Far away, and still small enough to add a bound to it. */
#define EVENT_NEVER (1ull << 62)

enum event_kind {
	EVENT_RESUME,	/* the CPU of `index` goes on; cpu.h */
	EVENT_ARRIVE,	/* the data of request `index` has arrived */
	EVENT_READY,	/* shared line `index` can serve its next waiter */
	EVENT_INTERRUPT, /* an interrupt reaches CPU `index` */
	EVENT_GRACE,	/* grace period `index` has lasted as long as it must */
};

struct event {
	u64 time;	/* picoseconds */
	u64 order;	/* see above */
};

struct event_heap {
	struct event *entry;	/* entry[1..3] unused: children of i are 4i + 4 .. 4i + 7 */
	u32 count;
	u32 capacity;
	u64 sequence;
};

static __always_inline enum event_kind
event_kind(struct event event)
{
	return event.order >> EVENT_KIND_SHIFT & 7;
}

static __always_inline u32
event_index(struct event event)
{
	return event.order & EVENT_INDEX_MASK;
}

static __always_inline bool
event_before(struct event a, struct event b)
{
	return a.time < b.time || (a.time == b.time && a.order < b.order);
}

static __always_inline u64
heap_next_time(const struct event_heap *heap)
{
	return heap->entry[0].time;
}

static __always_inline struct event
heap_event(struct event_heap *heap, u64 time, enum event_kind kind, u32 index)
{
	return (struct event){ time, heap->sequence++ << EVENT_SEQUENCE_SHIFT |
					     (u64)kind << EVENT_KIND_SHIFT | index };
}

/* Position i of the tree lies in slot 0, or in slot i + 3: groups of four are aligned. */
static __always_inline u32
heap_slot(u32 position)
{
	return position ? position + 3 : 0;
}

/* Put @event where the root was and restore the order below. */
static __always_inline void
heap_sift_down(struct event_heap *heap, struct event event)
{
	struct event *entry = heap->entry;
	u32 count = heap->count;
	u32 position = 0;

	for (;;) {
		u32 child = 4 * position + 1;
		u32 best = child;
		u32 last;

		if (child >= count)
			break;
		last = child + 4 < count ? child + 4 : count;
		for (u32 i = child + 1; i < last; i++)
			if (event_before(entry[i + 3], entry[best + 3]))
				best = i;
		if (!event_before(entry[best + 3], event))
			break;
		entry[heap_slot(position)] = entry[best + 3];
		position = best;
	}
	entry[heap_slot(position)] = event;
}

/* Room for one more; see heap.c. */
void heap_grow(struct event_heap *heap);

static __always_inline void
heap_push(struct event_heap *heap, struct event event)
{
	u32 position = heap->count;

	if (unlikely(position + 4 > heap->capacity))
		heap_grow(heap);
	heap->count++;
	while (position) {
		u32 parent = (position - 1) / 4;
		struct event above = heap->entry[heap_slot(parent)];

		if (!event_before(event, above))
			break;
		heap->entry[heap_slot(position)] = above;
		position = parent;
	}
	heap->entry[heap_slot(position)] = event;
}

/* Context: the heap is not empty. */
static __always_inline struct event
heap_pop(struct event_heap *heap)
{
	struct event first = heap->entry[0];
	struct event last = heap->entry[heap_slot(--heap->count)];

	if (heap->count)
		heap_sift_down(heap, last);
	else
		heap->entry[0].time = EVENT_NEVER;
	return first;
}

/* Push @event and pop the earliest, in one descent. */
static __always_inline struct event
heap_push_pop(struct event_heap *heap, struct event event)
{
	struct event first = heap->entry[0];

	if (!heap->count || event_before(event, first))
		return event;
	heap_sift_down(heap, event);
	return first;
}

void heap_init(struct event_heap *heap, u32 capacity);
void heap_free(struct event_heap *heap);

#endif
