/*
 * buddy.c - see buddy.h
 *
 * Struct pages are initialised block by block as memory is needed for the first
 * time (CONFIG_DEFERRED_STRUCT_PAGE_INIT of mm/mm_init.c), so that booting costs
 * the same whatever the size. Pages not initialised yet are zero: free, on no
 * list, and nobody's buddy.
 */
#include "pagecache/buddy.h"

#include "pagecache/page_flags.h"
#include "pagecache/page_ref.h"

static void
add_to_free_list(struct zone *zone, struct page *page, unsigned int order)
{
	struct free_area *area = &zone->free_area[order];

	page->private = order;
	__SetPageBuddy(page);
	list_add(&page->lru, &area->free_list);
	area->nr_free++;
}

static void
del_from_free_list(struct zone *zone, struct page *page, unsigned int order)
{
	list_del(&page->lru);
	__ClearPageBuddy(page);
	page->private = 0;
	zone->free_area[order].nr_free--;
}

/*
 * The other half of the block that @page's block came from.
 * Return: NULL unless it is a free block of the same size in the same zone.
 */
static struct page *
find_buddy(struct zone *zone, unsigned long pfn, unsigned int order)
{
	unsigned long buddy_pfn = pfn ^ BIT(order);
	struct page *buddy;

	if (!zone_spans_pfn(zone, buddy_pfn))
		return NULL;
	buddy = pfn_to_page(buddy_pfn);
	return PageBuddy(buddy) && buddy->private == order ? buddy : NULL;
}

void
__free_one_page(struct zone *zone, struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);
	struct page *buddy;

	BUG_ON(pfn & (BIT(order) - 1), "block of order %u at pfn %lu", order, pfn);
	WRITE_ONCE(zone->free_pages, zone->free_pages + BIT(order));
	while (order < MAX_PAGE_ORDER && (buddy = find_buddy(zone, pfn, order))) {
		del_from_free_list(zone, buddy, order);
		pfn &= ~BIT(order);
		order++;
	}
	add_to_free_list(zone, pfn_to_page(pfn), order);
}

/* Halve @page's block from @high down to @low; the upper halves stay free. */
static void
expand(struct zone *zone, struct page *page, unsigned int low, unsigned int high)
{
	while (high > low) {
		high--;
		add_to_free_list(zone, page + BIT(high), high);
	}
}

/* A free block of @order from the lists, or NULL. */
static struct page *
rmqueue_smallest(struct zone *zone, unsigned int order)
{
	for (unsigned int found = order; found < NR_PAGE_ORDERS; found++) {
		struct free_area *area = &zone->free_area[found];
		struct page *page;

		if (list_empty(&area->free_list))
			continue;
		page = list_first_entry(&area->free_list, struct page, lru);
		del_from_free_list(zone, page, found);
		expand(zone, page, order, found);
		return page;
	}
	return NULL;
}

/* A page as it is before its first use: free of everything, and frozen. */
static void
init_page(const struct zone *zone, struct page *page)
{
	page->flags = (unsigned long)zone->node << NODES_PGSHIFT;
	page->page_type = ~0u;
	set_page_count_frozen(page);
}

/*
 * Initialise the next largest block of pages and put it on the lists.
 * Return: false if there is none left.
 */
static bool
deferred_grow_zone(struct zone *zone)
{
	unsigned long start = zone->first_deferred_pfn;
	unsigned long end = zone->start_pfn + zone->managed_pages;

	if (start == end)
		return false;
	end = min(end, start + MAX_ORDER_NR_PAGES);
	for (unsigned long pfn = start; pfn < end; pfn++)
		init_page(zone, pfn_to_page(pfn));
	zone->first_deferred_pfn = end;
	/* Backwards: lists are stacks, and low page numbers shall go first. */
	while (start < end) {
		unsigned int order = MAX_PAGE_ORDER;

		while (end - start < BIT(order) || end & (BIT(order) - 1))
			order--;
		end -= BIT(order);
		add_to_free_list(zone, pfn_to_page(end), order);
	}
	return true;
}

struct page *
__rmqueue(struct zone *zone, unsigned int order)
{
	struct page *page;

	do {
		page = rmqueue_smallest(zone, order);
	} while (!page && deferred_grow_zone(zone));
	if (page)
		WRITE_ONCE(zone->free_pages, zone->free_pages - BIT(order));
	return page;
}

void
zone_init(struct zone *zone, int node, unsigned long start_pfn, unsigned long nr_pages)
{
	zone->node = node;
	zone->start_pfn = start_pfn;
	zone->managed_pages = nr_pages;
	zone->free_pages = nr_pages;
	zone->first_deferred_pfn = start_pfn;
	spin_lock_init(&zone->lock);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		INIT_LIST_HEAD(&zone->free_area[order].free_list);
		zone->free_area[order].nr_free = 0;
	}
	deferred_grow_zone(zone);
}
