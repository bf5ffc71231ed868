/*
 * pcp.h - per-CPU lists of free pages in front of the buddy allocator
 *
 * Models: struct per_cpu_pages of mm/page_alloc.c. A CPU keeps, for each zone
 * and for blocks up to order 3, the pages that it freed last and hands them out
 * again, last in first out: the struct page is in its cache and often the
 * contents, too. The zone lock is taken once for a batch.
 *
 * The lock is for the rare stranger who drains another CPU's lists; the owner
 * only tries it and goes to the buddy allocator when that fails.
 *
 * Lock order: pcp->lock > zone->lock.
 *
 * Differences from Linux: `high` does not float between bounds (6.7 and later
 * let it), and there is no list for huge pages.
 */
#ifndef PAGECACHE_PCP_H
#define PAGECACHE_PCP_H

#include "pagecache/buddy.h"

#define PAGE_ALLOC_COSTLY_ORDER 3u
#define NR_PCP_LISTS (PAGE_ALLOC_COSTLY_ORDER + 1)

struct per_cpu_pages {
	spinlock_t lock;	/* guards all fields; see above */
	int count;		/* pages on all lists; read without the lock as a hint */
	int free_count;		/* pages freed lately: how much to give back at once */
	struct list_head lists[NR_PCP_LISTS];	/* by order */
} ____cacheline_aligned;

/* Set batch and high of @zone, which @nr_cpus CPUs are near to. Context: boot. */
void pcp_set_limits(struct zone *zone, int nr_cpus);

/* Make every CPU's lists. Context: boot, before the first allocation. */
void pcp_init(void);

/* Context: any; never sleeps. Return: a frozen block of @zone, or NULL to ask the buddy. */
struct page *pcp_alloc(struct zone *zone, unsigned int order);

/* Context: any; never sleeps. Return: false if the buddy has to take @page. */
bool pcp_free(struct zone *zone, struct page *page, unsigned int order);

/* Give all pages of all CPUs back to the buddy. Context: any; never sleeps. */
void drain_all_pages(void);

/* Pages on all CPUs' lists of @zone. Context: no task runs. */
unsigned long pcp_count(const struct zone *zone);

#endif
