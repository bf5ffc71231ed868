/*
 * page_test.c - struct page: numbers, addresses, nodes, compound pages
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/names.h"
#include "pagecache/page_alloc.h"

#include <string.h>

/* A page's number, line and frame follow from each other; blocks are contiguous. */
static void
check_addresses(void *arg)
{
	struct page *page = alloc_pages(3, 0);
	unsigned long pfn = page_to_pfn(page);

	BUG_ON(pfn_to_page(pfn) != page, "pfn %lu", pfn);
	BUG_ON(pfn % 8, "block of order 3 at pfn %lu", pfn);
	BUG_ON((char *)&page[7] - (char *)page != 7 * 64, "struct pages are not lines");
	BUG_ON((char *)page_address(&page[7]) - (char *)page_address(page) != 7 * 4096,
	       "frames are not contiguous");
	BUG_ON(page_to_nid(page) != 0, "node %d", page_to_nid(page));
	memset(page_address(page), 0xa5, 8 * PAGE_SIZE);
	put_page(page);
}

static void
page_frame_and_number_map_to_each_other(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_addresses, NULL);
	harness_shutdown();
}

/* The head says how large a folio is; tails lead to the head and hold no references. */
static void
check_compound(void *arg)
{
	struct folio *folio = folio_alloc(4, -1);
	struct page *page = &folio->page;

	BUG_ON(folio_order(folio) != 4, "order %u", folio_order(folio));
	BUG_ON(folio_nr_pages(folio) != 16, "%lu pages", folio_nr_pages(folio));
	BUG_ON(folio_size(folio) != 65536, "%zu bytes", folio_size(folio));
	BUG_ON(!PageHead(page) || PageTail(page), "the head is none");
	for (int i = 1; i < 16; i++) {
		BUG_ON(!PageTail(&page[i]) || page_folio(&page[i]) != folio, "tail %d", i);
		BUG_ON(page_ref_count(&page[i]), "tail %d is referenced", i);
	}
	BUG_ON(folio_ref_count(folio) != 1, "count %d", folio_ref_count(folio));
	put_page(&page[9]);
	BUG_ON(PageHead(page) || PageTail(&page[9]), "still compound when free");

	folio = folio_alloc(0, -1);
	BUG_ON(folio_order(folio) || folio_nr_pages(folio) != 1, "a small folio is large");
	folio_put(folio);
}

static void
a_compound_page_has_a_head_and_tails(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_compound, NULL);
	harness_shutdown();
}

/* Pages come from the node asked for and, when it is empty, from the next. */
static void
check_nodes(void *arg)
{
	struct page *blocks[4];
	struct page *page;

	if (nr_node_ids != 2)
		return;
	/* 4 MiB a node are one block of order 10, which node 0 split for the zero page. */
	for (int i = 0; i < 4; i++)
		blocks[i] = NULL;
	page = alloc_pages(0, 1);
	BUG_ON(page_to_nid(page) != 1, "node %d", page_to_nid(page));
	put_page(page);
	blocks[0] = alloc_pages(9, 0);
	blocks[1] = alloc_pages(9, 0);
	BUG_ON(page_to_nid(blocks[0]) != 0 || page_to_nid(blocks[1]) != 1, "nodes %d and %d",
	       page_to_nid(blocks[0]), page_to_nid(blocks[1]));
	blocks[2] = alloc_pages(9, 0);
	blocks[3] = alloc_pages(9, 0);
	BUG_ON(blocks[3], "a fifth of four quarters");
	for (int i = 0; i < 3; i++)
		put_page(blocks[i]);
}

static void
pages_come_from_the_node_asked_for(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_nodes, NULL);
	harness_shutdown();
}

static void
keep_a_page(void *arg)
{
	struct page *page = alloc_pages(2, -1);

	page->private = 1;
}

static void
leak_a_page(void)
{
	harness_boot(NULL);
	harness_run(1, keep_a_page, NULL);
	harness_shutdown();
}

/* A dropped put is caught at shutdown, with the number of pages and the first one's name. */
static void
a_leaked_page_is_named(void **state)
{
	assert_true(harness_expect_panic(leak_a_page, VERDICT_BUG,
					 "4 pages still in use; the first is page "));
}

static void
put_twice(void *arg)
{
	struct page *page = alloc_pages(0, -1);

	put_page(page);
	put_page(page);
}

static void
put_a_free_page(void)
{
	harness_boot(NULL);
	harness_run(1, put_twice, NULL);
}

/* A put too many is caught at once where poisoning is on. */
static void
a_put_too_many_is_a_bug(void **state)
{
#ifndef POISON
	skip();
#endif
	assert_true(harness_expect_panic(put_a_free_page, VERDICT_BUG, "put of 1 on a page"));
}

static void
get_freed(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	folio_put(folio);
	folio_get(folio);
}

static void
get_a_free_page(void)
{
	harness_boot(NULL);
	harness_run(1, get_freed, NULL);
}

static void
a_get_of_a_free_page_is_a_bug(void **state)
{
#ifndef POISON
	skip();
#endif
	assert_true(harness_expect_panic(get_a_free_page, VERDICT_BUG, "get on a frozen page"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_frame_and_number_map_to_each_other),
		cmocka_unit_test(a_compound_page_has_a_head_and_tails),
		cmocka_unit_test(pages_come_from_the_node_asked_for),
		cmocka_unit_test(a_leaked_page_is_named),
		cmocka_unit_test(a_put_too_many_is_a_bug),
		cmocka_unit_test(a_get_of_a_free_page_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
