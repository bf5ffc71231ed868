/*
 * page_flags_test.c - flag bits, the unlocking xor, and what a free page must not have
 */
#include "tests/harness.h"

#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"

/* The numbers of Linux 7.x: everything the end of an I/O flips is in the low byte. */
static void
test_numbers(void **state)
{
	assert_int_equal(PG_locked, 0);
	assert_int_equal(PG_writeback, 1);
	assert_int_equal(PG_uptodate, 3);
	assert_int_equal(PG_dirty, 4);
	assert_int_equal(PG_head, 6);
	assert_int_equal(PG_waiters, 7);
	assert_int_equal(PG_swapbacked, 17);
	assert_int_equal(PG_hwpoison, 21);
}

/* One xor unlocks, publishes, and tells whether somebody waits. */
static void
test_unlocking_xor(void **state)
{
	unsigned long word = BIT(PG_locked) | BIT(PG_swapbacked);

	assert_false(xor_unlock_is_negative_byte(BIT(PG_locked), &word));
	assert_int_equal(word, BIT(PG_swapbacked));
	word = BIT(PG_locked) | BIT(PG_waiters);
	assert_true(xor_unlock_is_negative_byte(BIT(PG_locked) | BIT(PG_uptodate), &word));
	assert_int_equal(word, BIT(PG_waiters) | BIT(PG_uptodate));
}

/* folio_end_read() is both halves of the end of a read, or only the unlocking. */
static void
check_end_read(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	__folio_set_locked(folio);
	folio_end_read(folio, false);
	BUG_ON(folio_test_locked(folio) || folio_test_uptodate(folio), "flags %#lx", folio->flags);
	BUG_ON(!folio_trylock(folio), "not unlocked");
	BUG_ON(folio_trylock(folio), "locked twice");
	folio_end_read(folio, true);
	BUG_ON(folio_test_locked(folio) || !folio_test_uptodate(folio), "flags %#lx", folio->flags);
	folio_put(folio);
}

static void
test_end_read(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_end_read, NULL);
	harness_shutdown();
}

/* Flags that say nothing to the allocator are gone when the page comes back. */
static void
check_flags_are_cleared(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);
	struct folio *again;

	folio_mark_uptodate(folio);
	folio_set_dirty(folio);
	folio_set_referenced(folio);
	folio_put(folio);
	again = folio_alloc(0, -1);
	BUG_ON(again != folio, "the last page freed is not the first allocated");
	BUG_ON(again->flags & PAGE_FLAGS_MASK, "flags %#lx", again->flags);
	folio_put(again);
}

static void
test_flags_are_cleared(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_flags_are_cleared, NULL);
	harness_shutdown();
}

static void
put_locked(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	__folio_set_locked(folio);
	folio_put(folio);
}

static void
free_a_locked_page(void)
{
	harness_boot(NULL);
	harness_run(1, put_locked, NULL);
}

static void
put_mapped(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	atomic_set(&folio->_mapcount, 0);
	folio_put(folio);
}

static void
free_a_mapped_page(void)
{
	harness_boot(NULL);
	harness_run(1, put_mapped, NULL);
}

/* A page that somebody still counts on is not freed silently. */
static void
test_bad_pages(void **state)
{
	assert_true(harness_expect_panic(free_a_locked_page, VERDICT_BUG, "flag set at free"));
	assert_true(harness_expect_panic(free_a_mapped_page, VERDICT_BUG, "mapped at free"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),		cmocka_unit_test(test_unlocking_xor),
		cmocka_unit_test(test_end_read),	cmocka_unit_test(test_flags_are_cleared),
		cmocka_unit_test(test_bad_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
