/*
 * buddy.h - one node's free memory, in blocks of 2^order pages
 *
 * Models: struct zone and the free lists of mm/page_alloc.c. A free block of
 * order n starts at a multiple of 2^n; its buddy differs in that one bit of the
 * page number. Two free buddies are always merged.
 *
 * Lock order: zone->lock is a leaf; the per-CPU lists' lock is taken outside.
 *
 * Differences from Linux: one zone per node, one migrate type, no watermarks.
 */
#ifndef PAGECACHE_BUDDY_H
#define PAGECACHE_BUDDY_H

#include "machine/list.h"
#include "machine/spinlock.h"
#include "pagecache/events.h"
#include "pagecache/page.h"

#define MAX_PAGE_ORDER 10u
#define NR_PAGE_ORDERS (MAX_PAGE_ORDER + 1)
#define MAX_ORDER_NR_PAGES (1ul << MAX_PAGE_ORDER)

struct free_area {
	struct list_head free_list;
	unsigned long nr_free;		/* blocks */
};

struct zone {
	/* constant after boot */
	int node;
	int pcp_batch;			/* pages moved under one hold of lock */
	int pcp_high;			/* pages that a CPU may keep */
	unsigned long start_pfn;
	unsigned long managed_pages;

	/* everything below is guarded by lock */
	spinlock_t lock ____cacheline_aligned;
	unsigned long free_pages;	/* deferred ones included; read without it as a hint */
	unsigned long first_deferred_pfn;	/* from here on pages are not initialised yet */
	struct free_area free_area[NR_PAGE_ORDERS];
};

/* Make @zone of [@start_pfn, @start_pfn + @nr_pages), zeroed and all free. Context: boot. */
void zone_init(struct zone *zone, int node, unsigned long start_pfn, unsigned long nr_pages);

/* Context: zone->lock held. Return: a frozen block, from the smallest that fits, or NULL. */
struct page *__rmqueue(struct zone *zone, unsigned int order);

/* Give back a block and merge it as far as possible. Context: zone->lock held. */
void __free_one_page(struct zone *zone, struct page *page, unsigned int order);

static __always_inline void
zone_lock(struct zone *zone)
{
	count_event(EVENT_ZONE_LOCK);
	spin_lock(&zone->lock);
}

static __always_inline struct zone *
page_zone(const struct page *page)
{
	return kernel.pagecache->zones[page_to_nid(page)];
}

static __always_inline bool
zone_spans_pfn(const struct zone *zone, unsigned long pfn)
{
	return pfn - zone->start_pfn < zone->managed_pages;
}

#endif
