/*
 * pcp_test.c - per-CPU page lists: limits, recycling, batches
 */
#include "tests/harness.h"

#include "pagecache/page_alloc.h"
#include "pagecache/pcp.h"

/*
 * Linux's figures: 63 pages a batch on any zone of 1 GiB or more; a small zone
 * moves single pages. high is the low watermark's share, at least four batches.
 */
static void
batch_and_high_follow_linuxs_formulas(void **state)
{
	struct zone zone = { .managed_pages = 1 << 20 }; /* 4 GiB */

	pcp_set_limits(&zone, 4);
	assert_int_equal(zone.pcp_batch, 63);
	/* sqrt(4 GiB in KiB * 16) = 8192 KiB = 2048 pages; + 1048576 / 1000 = 3096; / 4 */
	assert_int_equal(zone.pcp_high, 774);

	zone.managed_pages = 1 << 10;
	pcp_set_limits(&zone, 4);
	assert_int_equal(zone.pcp_batch, 1);
	/* sqrt(4096 KiB * 16) = 256 KiB = 64 pages; + 64 / 4 = 80; / 4 */
	assert_int_equal(zone.pcp_high, 20);
}

static struct per_cpu_pages *
my_pages(const struct zone *zone)
{
	struct per_cpu_pages *zones = this_cpu_ptr(kernel.pagecache->pcp);

	return &zones[zone->node];
}

/* Last in, first out: the page whose line is in the cache comes back first. */
static void
check_recycling(void *arg)
{
	struct page *a = alloc_pages(0, 0);
	struct page *b = alloc_pages(0, 0);

	put_page(a);
	put_page(b);
	BUG_ON(alloc_pages(0, 0) != b, "not the last page freed");
	BUG_ON(alloc_pages(0, 0) != a, "not the one before");
	put_page(b);
	put_page(a);
}

static void
the_page_freed_last_comes_back_first(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_recycling, NULL);
	harness_shutdown();
}

/* What a CPU keeps stays below high, and nothing is lost on the way. */
static void
check_high(void *arg)
{
	static struct page *pages[512];
	struct zone *zone = kernel.pagecache->zones[0];
	struct per_cpu_pages *pcp = my_pages(zone);

	for (int i = 0; i < 512; i++)
		pages[i] = alloc_pages(0, 0);
	for (int i = 0; i < 512; i++) {
		put_page(pages[i]);
		BUG_ON(pcp->count >= zone->pcp_high + zone->pcp_batch, "%d kept, high %d",
		       pcp->count, zone->pcp_high);
	}
	BUG_ON(zone->free_pages + pcp_count(zone) + 1 != zone->managed_pages,
	       "%lu free + %lu kept of %lu", zone->free_pages, pcp_count(zone),
	       zone->managed_pages);
	drain_all_pages();
	BUG_ON(pcp->count, "%d kept after draining", pcp->count);
	BUG_ON(zone->free_pages + 1 != zone->managed_pages, "%lu free", zone->free_pages);
}

static void
a_cpu_keeps_less_than_high(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_high, NULL);
	harness_shutdown();
}

/* Also when single blocks are as large as all that a CPU may keep. */
static void
check_large_blocks(void *arg)
{
	static struct page *pages[64];
	struct zone *zone = kernel.pagecache->zones[0];
	struct per_cpu_pages *pcp = my_pages(zone);

	drain_all_pages();
	zone->pcp_batch = 1;
	zone->pcp_high = 4;
	for (int i = 0; i < 64; i++) /* three single pages, a large block, and so on */
		pages[i] = alloc_pages(i % 4 == 3 ? PAGE_ALLOC_COSTLY_ORDER : 0, 0);
	for (int i = 0; i < 64; i++) {
		put_page(pages[i]);
		BUG_ON(pcp->count >= zone->pcp_high, "%d kept, high %d", pcp->count,
		       zone->pcp_high);
	}
}

static void
large_blocks_do_not_pile_up(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_large_blocks, NULL);
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_and_high_follow_linuxs_formulas),
		cmocka_unit_test(the_page_freed_last_comes_back_first),
		cmocka_unit_test(a_cpu_keeps_less_than_high),
		cmocka_unit_test(large_blocks_do_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
