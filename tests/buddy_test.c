/*
 * buddy_test.c - random allocation and freeing against a bitmap; splitting and merging
 */
#include "tests/harness.h"

#include <string.h>

#include "machine/random.h"
#include "pagecache/page_alloc.h"
#include "pagecache/pcp.h"

#define MAX_PFN 65536
#define MAX_BLOCKS 400

struct block {
	struct page *page;
	unsigned int order;
};

/* Which pages the program below holds. */
static bool used[MAX_PFN];

static void
mark(const struct block *block, bool use)
{
	unsigned long pfn = page_to_pfn(block->page);

	BUG_ON(pfn & (BIT(block->order) - 1), "order %u at pfn %lu", block->order, pfn);
	for (unsigned long i = 0; i < BIT(block->order); i++) {
		BUG_ON(used[pfn + i] == use, "pfn %lu handed out twice", pfn + i);
		used[pfn + i] = use;
	}
}

/* Free blocks below the largest order, on every node; those alone depend on merging. */
static void
snapshot(unsigned long counts[][MAX_PAGE_ORDER])
{
	drain_all_pages();
	for (int node = 0; node < nr_node_ids; node++) {
		const struct zone *zone = kernel.pagecache->zones[node];
		unsigned long pages = zone->start_pfn + zone->managed_pages -
				      zone->first_deferred_pfn;

		for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
			pages += zone->free_area[order].nr_free << order;
		BUG_ON(pages != zone->free_pages, "%lu pages on the lists, %lu free", pages,
		       zone->free_pages);
		for (unsigned int order = 0; order < MAX_PAGE_ORDER; order++)
			counts[node][order] = zone->free_area[order].nr_free;
	}
}

static void
random_program(struct random_stream *random)
{
	static struct block blocks[MAX_BLOCKS];
	int nr = 0;

	memset(used, 0, sizeof(used));
	for (int step = 0; step < 4000; step++) {
		struct block *block = &blocks[nr];

		if (nr == MAX_BLOCKS || (nr && random_below(random, 100) < 48)) {
			unsigned int victim = random_below(random, nr);

			mark(&blocks[victim], false);
			put_page(blocks[victim].page);
			blocks[victim] = blocks[--nr];
			continue;
		}
		/* Mostly small ones, up to the largest. */
		block->order = random_below(random, random_below(random, NR_PAGE_ORDERS) + 1);
		block->page = alloc_pages(block->order, random_below(random, nr_node_ids));
		if (!block->page)
			continue;
		mark(block, true);
		nr++;
	}
	while (nr--) {
		mark(&blocks[nr], false);
		put_page(blocks[nr].page);
	}
}

/* No page is handed out twice, and in the end everything has merged back. */
static void
check_random(void *arg)
{
	static unsigned long before[64][MAX_PAGE_ORDER];
	static unsigned long after[64][MAX_PAGE_ORDER];
	struct random_stream random;

	random_init(&random, 1, "buddy_test");
	snapshot(before);
	random_program(&random);
	snapshot(after);
	BUG_ON(memcmp(before, after, sizeof(before)), "free blocks did not merge back");
	BUG_ON(nr_used_pages() != 1, "%lu pages in use beside the zero page", nr_used_pages() - 1);
}

static void
no_page_is_handed_out_twice(void **state)
{
	const struct harness options = { .memory_bytes = 32 << 20 };

	harness_boot(&options);
	harness_run(1, check_random, NULL);
	harness_shutdown();
}

/* A block is halved down to what is asked for, and its halves find each other again. */
static void
check_split(void *arg)
{
	struct zone *zone = kernel.pagecache->zones[nr_node_ids - 1];
	/* The zero page may have split one already, so that a half of it is free. */
	struct page *spare = zone->free_area[9].nr_free ? alloc_pages(9, zone->node) : NULL;
	struct page *block = alloc_pages(10, zone->node);
	unsigned long largest;
	struct page *low;
	struct page *high;

	put_page(block);
	largest = zone->free_area[10].nr_free;
	low = alloc_pages(9, zone->node);
	high = alloc_pages(9, zone->node);
	BUG_ON(high != low + 512, "the second half does not follow the first");
	BUG_ON(zone->free_area[10].nr_free != largest - 1, "%lu", zone->free_area[10].nr_free);
	put_page(low);
	BUG_ON(zone->free_area[9].nr_free != 1, "%lu halves", zone->free_area[9].nr_free);
	put_page(high);
	BUG_ON(zone->free_area[9].nr_free, "%lu halves", zone->free_area[9].nr_free);
	BUG_ON(zone->free_area[10].nr_free != largest, "not merged");
	if (spare)
		put_page(spare);
}

static void
a_block_is_halved_and_merged_again(void **state)
{
	const struct harness options = { .memory_bytes = 32 << 20 };

	harness_boot(&options);
	harness_run(1, check_split, NULL);
	harness_shutdown();
}

/* Allocate all there is, in single pages; every page comes once. */
static void
check_exhaustion(void *arg)
{
	static struct page *pages[MAX_PFN];
	unsigned long total = 0;
	unsigned long nr = 0;
	int node;

	for_each_node(node)
		total += kernel.pagecache->zones[node]->managed_pages;
	while ((pages[nr] = alloc_pages(0, -1)))
		nr++;
	BUG_ON(nr != total - 1, "%lu of %lu pages", nr, total);
	while (nr--)
		put_page(pages[nr]);
}

static void
all_there_is_can_be_allocated(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_exhaustion, NULL);
	harness_shutdown();
}

/* Four tasks take and give back at once. */
static void
churn(void *arg)
{
	struct page *held[32] = { NULL };
	struct random_stream random;

	random_init(&random, smp_processor_id(), "churn");
	for (int step = 0; step < 3000; step++) {
		unsigned int slot = random_below(&random, 32);

		if (held[slot]) {
			/* Nobody else got it meanwhile. */
			BUG_ON(held[slot]->private != (unsigned long)(smp_processor_id() + 1),
			       "page of CPU %lu", held[slot]->private);
			put_page(held[slot]);
			held[slot] = NULL;
			continue;
		}
		held[slot] = alloc_pages(random_below(&random, 5), -1);
		if (held[slot])
			held[slot]->private = smp_processor_id() + 1;
	}
	for (int slot = 0; slot < 32; slot++) {
		if (held[slot])
			put_page(held[slot]);
	}
}

static void
four_tasks_take_and_give_back_at_once(void **state)
{
	const struct harness options = { .races = true };

	harness_boot(&options);
	harness_run(4, churn, NULL);
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_page_is_handed_out_twice),
		cmocka_unit_test(a_block_is_halved_and_merged_again),
		cmocka_unit_test(all_there_is_can_be_allocated),
		cmocka_unit_test(four_tasks_take_and_give_back_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
