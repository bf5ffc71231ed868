/*
 * page_flags_test.c - flag bits, the unlocking xor, and what a free page must not have
 */
#include "tests/harness.h"

#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"

/* The numbers of Linux 7.x: everything the end of an I/O flips is in the low byte. */
static void
the_numbers_are_those_of_linux_7(void **state)
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
one_xor_unlocks_and_tells_of_waiters(void **state)
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
the_end_of_a_read_publishes_and_unlocks(void **state)
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
a_free_page_has_no_flags(void **state)
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

static void
put_head_of_a_referenced_tail(void *arg)
{
	struct folio *folio = folio_alloc(2, -1);

	atomic_set(&(&folio->page)[3]._refcount, 1);
	folio_put(folio);
}

static void
free_a_referenced_tail(void)
{
	harness_boot(NULL);
	harness_run(1, put_head_of_a_referenced_tail, NULL);
}

/* A page that somebody still counts on is not freed silently. */
static void
a_page_still_counted_on_is_not_freed(void **state)
{
	assert_true(harness_expect_panic(free_a_locked_page, VERDICT_BUG, "flag set at free"));
	assert_true(harness_expect_panic(free_a_mapped_page, VERDICT_BUG, "mapped at free"));
	assert_true(harness_expect_panic(free_a_referenced_tail, VERDICT_BUG,
					 "tail is referenced"));
}

static void
unlock_twice(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	folio_lock(folio);
	folio_unlock(folio);
	folio_unlock(folio);
}

static void
unlock_an_unlocked_folio(void)
{
	harness_boot(NULL);
	harness_run(1, unlock_twice, NULL);
}

static void
end_read_of_uptodate(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);

	folio_lock(folio);
	folio_mark_uptodate(folio);
	folio_end_read(folio, true);
}

static void
end_a_read_twice(void)
{
	harness_boot(NULL);
	harness_run(1, end_read_of_uptodate, NULL);
}

/* An xor would set what it means to clear: caught where poisoning is on. */
static void
only_a_locked_folio_is_unlocked(void **state)
{
#ifndef POISON
	skip();
#endif
	assert_true(harness_expect_panic(unlock_an_unlocked_folio, VERDICT_BUG,
					 "unlock of an unlocked folio"));
	assert_true(harness_expect_panic(end_a_read_twice, VERDICT_BUG,
					 "read into an uptodate folio ends"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_linux_7),
		cmocka_unit_test(one_xor_unlocks_and_tells_of_waiters),
		cmocka_unit_test(the_end_of_a_read_publishes_and_unlocks),
		cmocka_unit_test(a_free_page_has_no_flags),
		cmocka_unit_test(a_page_still_counted_on_is_not_freed),
		cmocka_unit_test(only_a_locked_folio_is_unlocked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
