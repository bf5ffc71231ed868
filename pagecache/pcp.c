/*
 * pcp.c - see pcp.h
 */
#include "pagecache/pcp.h"

static struct per_cpu_pages *
pcp_of(const struct zone *zone, int cpu)
{
	struct per_cpu_pages *zones = per_cpu_ptr(kernel.pagecache->pcp, cpu);

	return &zones[zone->node];
}

static unsigned long
int_sqrt(unsigned long x)
{
	unsigned long root = 0;

	for (unsigned long bit = 1ul << 31; bit; bit >>= 1) {
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	}
	return root;
}

static unsigned long
rounddown_pow_of_two(unsigned long x)
{
	return 1ul << (63 - __builtin_clzl(x));
}

/*
 * A batch is 1/4096 of the zone, at most 256 KiB, stretched to one less than a
 * power of two: 63 pages on any zone of 1 GiB or more.
 */
static int
zone_batchsize(const struct zone *zone)
{
	unsigned long batch = min(zone->managed_pages >> 12, (256ul << 10) / PAGE_SIZE);

	batch = max(batch, 1ul);
	return rounddown_pow_of_two(batch + batch / 2) - 1;
}

/* Pages below which reclaim would start: Linux's min_free_kbytes and its distance. */
static unsigned long
zone_low_watermark(const struct zone *zone)
{
	unsigned long kbytes = zone->managed_pages << (PAGE_SHIFT - 10);
	unsigned long min_pages = int_sqrt(kbytes * 16) >> (PAGE_SHIFT - 10);

	return min_pages + max(min_pages / 4, zone->managed_pages / 1000);
}

void
pcp_set_limits(struct zone *zone, int nr_cpus)
{
	unsigned long share = zone_low_watermark(zone) / max(nr_cpus, 1);

	zone->pcp_batch = max(zone_batchsize(zone), 1);
	zone->pcp_high = max(share, 4ul * zone->pcp_batch);
}

static void
pcp_init_one(struct per_cpu_pages *pcp)
{
	spin_lock_init(&pcp->lock);
	pcp->count = 0;
	pcp->free_count = 0;
	for (unsigned int order = 0; order < NR_PCP_LISTS; order++)
		INIT_LIST_HEAD(&pcp->lists[order]);
}

void
pcp_init(void)
{
	int cpu;
	int node;

	kernel.pagecache->pcp =
		alloc_percpu("pcp", nr_node_ids * sizeof(struct per_cpu_pages), CACHE_LINE);
	for_each_cpu(cpu) {
		for_each_node(node)
			pcp_init_one(pcp_of(kernel.pagecache->zones[node], cpu));
	}
}

/* Refill an empty list, lowest page first. Context: pcp->lock held. */
static void
rmqueue_bulk(struct zone *zone, struct per_cpu_pages *pcp, unsigned int order)
{
	int blocks = max(zone->pcp_batch >> order, 1);

	zone_lock(zone);
	for (int i = 0; i < blocks; i++) {
		struct page *page = __rmqueue(zone, order);

		if (!page)
			break;
		list_add_tail(&page->lru, &pcp->lists[order]);
		WRITE_ONCE(pcp->count, pcp->count + (1 << order));
	}
	spin_unlock(&zone->lock);
}

static struct page *
pcp_pop(struct per_cpu_pages *pcp, struct list_head *from, unsigned int order)
{
	struct page *page = list_entry(from, struct page, lru);

	list_del(&page->lru);
	WRITE_ONCE(pcp->count, pcp->count - (1 << order));
	return page;
}

struct page *
pcp_alloc(struct zone *zone, unsigned int order)
{
	struct per_cpu_pages *pcp = pcp_of(zone, smp_processor_id());
	struct page *page = NULL;
	struct list_head *list;

	if (order > PAGE_ALLOC_COSTLY_ORDER || !spin_trylock(&pcp->lock))
		return NULL;
	list = &pcp->lists[order];
	pcp->free_count >>= 1;
	if (list_empty(list))
		rmqueue_bulk(zone, pcp, order);
	if (!list_empty(list))
		page = pcp_pop(pcp, list->next, order);
	spin_unlock(&pcp->lock);
	return page;
}

/*
 * Give @pages pages back, oldest first, from each list in turn, @order's first.
 * Context: pcp->lock held.
 */
static void
free_pcppages_bulk(struct zone *zone, struct per_cpu_pages *pcp, int pages, unsigned int order)
{
	zone_lock(zone);
	pages = min(pages, pcp->count);
	while (pages > 0) {
		struct list_head *list = &pcp->lists[order];

		if (!list_empty(list)) {
			__free_one_page(zone, pcp_pop(pcp, list->prev, order), order);
			pages -= 1 << order;
		}
		order = (order + 1) % NR_PCP_LISTS;
	}
	spin_unlock(&zone->lock);
}

/*
 * Above high: as much as was freed lately, but leave a batch, one batch a lock
 * hold. The list that has just grown comes first, so that a block larger than
 * high on a small machine goes back, too.
 */
static void
pcp_trim(struct zone *zone, struct per_cpu_pages *pcp, unsigned int order)
{
	int batch = zone->pcp_batch;
	int pages = min(max(pcp->free_count, batch), zone->pcp_high - batch);

	for (; pages > 0; pages -= batch)
		free_pcppages_bulk(zone, pcp, min(pages, batch), order);
}

bool
pcp_free(struct zone *zone, struct page *page, unsigned int order)
{
	struct per_cpu_pages *pcp = pcp_of(zone, smp_processor_id());

	if (order > PAGE_ALLOC_COSTLY_ORDER || !spin_trylock(&pcp->lock))
		return false;
	list_add(&page->lru, &pcp->lists[order]);
	WRITE_ONCE(pcp->count, pcp->count + (1 << order));
	pcp->free_count = min(pcp->free_count + (1 << order), zone->pcp_batch << 5);
	if (pcp->count >= zone->pcp_high)
		pcp_trim(zone, pcp, order);
	VM_BUG_ON(pcp->count >= zone->pcp_high, "%d pages kept, of %d", pcp->count,
		  zone->pcp_high);
	spin_unlock(&pcp->lock);
	return true;
}

void
drain_all_pages(void)
{
	int cpu;
	int node;

	for_each_cpu(cpu) {
		for_each_node(node) {
			struct zone *zone = kernel.pagecache->zones[node];
			struct per_cpu_pages *pcp = pcp_of(zone, cpu);

			if (!READ_ONCE(pcp->count))
				continue;
			spin_lock(&pcp->lock);
			free_pcppages_bulk(zone, pcp, pcp->count, 0);
			spin_unlock(&pcp->lock);
		}
	}
}

unsigned long
pcp_count(const struct zone *zone)
{
	unsigned long pages = 0;
	int cpu;

	for_each_cpu(cpu)
		pages += pcp_of(zone, cpu)->count;
	return pages;
}
