/*
 * page_alloc.c - see page_alloc.h
 *
 * Every check that a page passes on its way out and back is here: a free page
 * has no flags, no mapping, no mapcount, and is frozen. References that come
 * and go on it all the same (page_ref.h) change none of that.
 */
#include "pagecache/page_alloc.h"

#include "machine/arena.h"
#include "machine/names.h"
#include "pagecache/events.h"
#include "pagecache/pcp.h"

/* --- compound pages --- */

static void
prep_compound_page(struct page *head, unsigned int order)
{
	struct folio *folio = (struct folio *)head;

	for (unsigned long i = 1; i < BIT(order); i++) {
		head[i].mapping = TAIL_MAPPING;
		WRITE_ONCE(head[i].compound_head, (unsigned long)head | 1);
	}
	folio->_flags_1 = (folio->_flags_1 & ~0xfful) | order;
	folio->_nr_pages = BIT(order);
	atomic_init(&folio->_large_mapcount, -1);
	atomic_init(&folio->_nr_pages_mapped, 0);
	atomic_init(&folio->_entire_mapcount, -1);
	atomic_init(&folio->_pincount, 0);
	folio->_mm_ids[0] = 0;
	folio->_mm_ids[1] = 0;
	set_bit(PG_head, &head->flags);
}

static void
bad_page(const struct page *page, const char *why)
{
	BUG("bad page, pfn %lu: %s; flags %#lx, %s mapping, mapcount %d, refcount %#x",
	    page_to_pfn(page), why, page->flags & PAGE_FLAGS_MASK, page->mapping ? "a" : "no",
	    atomic_read(&page->_mapcount), (unsigned int)atomic_read(&page->_refcount));
}

static void
destroy_compound_page(struct page *head, unsigned int order)
{
	struct folio *folio = (struct folio *)head;

	if (atomic_read(&folio->_large_mapcount) != -1 ||
	    atomic_read(&folio->_entire_mapcount) != -1 || atomic_read(&folio->_pincount))
		bad_page(head, "mapped or pinned");
	folio->_flags_1 &= ~0xfful;
	folio->_nr_pages = 0;
	/* The first tail kept counts of the whole folio where the others say TAIL_MAPPING. */
	head[1].mapping = TAIL_MAPPING;
	for (unsigned long i = 1; i < BIT(order); i++) {
		if (head[i].compound_head != ((unsigned long)head | 1))
			bad_page(&head[i], "tail without its head");
		if (head[i].mapping != TAIL_MAPPING)
			bad_page(&head[i], "tail has a mapping");
		if (atomic_read(&head[i]._mapcount) != -1)
			bad_page(&head[i], "tail is mapped");
		if (page_ref_count(&head[i]))
			bad_page(&head[i], "tail is referenced");
		head[i].mapping = NULL;
		WRITE_ONCE(head[i].compound_head, 0);
	}
}

/* --- in and out --- */

static void
free_pages_prepare(struct page *page, unsigned int order)
{
	unsigned long flags = READ_ONCE(page->flags);

	if (flags & PAGE_FLAGS_CHECK_AT_FREE)
		bad_page(page, "flag set at free");
	if (page->mapping)
		bad_page(page, "mapping set at free");
	if (atomic_read(&page->_mapcount) != -1)
		bad_page(page, "mapped at free");
	if (page_ref_count(page))
		bad_page(page, "referenced at free");
	if (order)
		destroy_compound_page(page, order);
	WRITE_ONCE(page->flags, flags & ~PAGE_FLAGS_MASK);
	page->private = 0;
	arena_poison(page_address(page), PAGE_SIZE << order, "free page");
}

static void
prep_new_page(struct page *page, unsigned int order)
{
	if (READ_ONCE(page->flags) & PAGE_FLAGS_MASK)
		bad_page(page, "flag set while free");
	if (page->mapping)
		bad_page(page, "mapping set while free");
	arena_unpoison(page_address(page), PAGE_SIZE << order);
	if (order)
		prep_compound_page(page, order);
	set_page_refcounted(page);
}

static struct page *
rmqueue(struct zone *zone, unsigned int order)
{
	struct page *page = pcp_alloc(zone, order);

	if (page || READ_ONCE(zone->free_pages) < BIT(order))
		return page;
	zone_lock(zone);
	page = __rmqueue(zone, order);
	spin_unlock(&zone->lock);
	return page;
}

static struct page *
get_page_from_nodes(unsigned int order, int first)
{
	for (int i = 0; i < nr_node_ids; i++) {
		struct zone *zone = kernel.pagecache->zones[(first + i) % nr_node_ids];
		struct page *page = rmqueue(zone, order);

		if (page)
			return page;
	}
	return NULL;
}

struct page *
alloc_pages(unsigned int order, int node)
{
	int first = node < 0 ? numa_node_id() : node;
	struct page *page;

	if (order > MAX_PAGE_ORDER)
		return NULL;
	page = get_page_from_nodes(order, first);
	if (unlikely(!page)) {
		drain_all_pages();
		page = get_page_from_nodes(order, first);
		if (!page)
			return NULL;
	}
	count_event(EVENT_PAGE_ALLOC);
	prep_new_page(page, order);
	return page;
}

void
free_frozen_pages(struct page *page, unsigned int order)
{
	struct zone *zone = page_zone(page);

	free_pages_prepare(page, order);
	if (pcp_free(zone, page, order))
		return;
	zone_lock(zone);
	__free_one_page(zone, page, order);
	spin_unlock(&zone->lock);
}

/*
 * What to do is read from the page itself, never from what the caller took it
 * for: a stray reference may make anybody the last holder of anything, and see
 * the known race in page_ref/locked_bit.h.
 */
void
__folio_put(struct folio *folio)
{
	free_frozen_pages(&folio->page, folio_order(folio));
}

void
put_page(struct page *page)
{
	folio_put(page_folio(page));
}

/* --- accounting --- */

unsigned long
nr_used_pages(void)
{
	unsigned long used = 0;
	int node;

	for_each_node(node) {
		const struct zone *zone = kernel.pagecache->zones[node];

		used += zone->managed_pages - zone->free_pages - pcp_count(zone);
	}
	return used;
}

/* First page of @zone that is in use. Context: per-CPU lists are empty. */
static struct page *
first_used_page(const struct zone *zone)
{
	unsigned long pfn = zone->start_pfn;

	while (pfn < zone->first_deferred_pfn) {
		struct page *page = pfn_to_page(pfn);

		if (!PageBuddy(page))
			return page;
		pfn += BIT(page->private);
	}
	return NULL;
}

void
check_page_leaks(void)
{
	struct object_name name = { .name = "page" };
	unsigned long used = nr_used_pages();
	struct page *page = NULL;

	if (!used)
		return;
	drain_all_pages();
	for (int node = 0; node < nr_node_ids && !page; node++)
		page = first_used_page(kernel.pagecache->zones[node]);
	BUG_ON(!page, "%lu pages are lost", used);
	name_of(page, &name);
	BUG("%lu pages still in use; the first is %s, pfn %lu, refcount %d, flags %#lx", used,
	    name.name, page_to_pfn(page), page_ref_count(page), page->flags & PAGE_FLAGS_MASK);
}
