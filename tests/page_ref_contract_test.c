/*
 * page_ref_contract_test.c - what every choice of the page_ref family promises
 *
 * Runs over the table, so a new choice is tested by existing. Choices marked
 * ONE_TASK run the same programs with one task.
 */
/* Here the frozen bit's reset limit is four strays, so that it can be reached. */
#define PAGE_REF_RESET_BIT 2

#include "tests/harness.h"

#include <string.h>

#include "machine/random.h"
#include "pagecache/page_alloc.h"

#define NR_PAGES 200

/* What the tasks of one scenario share; outside the arena, so not modelled. */
static struct {
	struct page *page[NR_PAGES];
	atomic_t dropped[NR_PAGES];	/* whether somebody took on the first reference */
	atomic_t freed[NR_PAGES];	/* puts that were told to free */
	atomic_t inside;		/* somebody owns page 0 exclusively */
	atomic_t frozen;		/* how often somebody did */
	atomic_t acquired;		/* successful gets */
	int frozen_word;		/* the count's word when frozen and left alone */
	int tasks;
} shared;

static void
boot_with(int choice)
{
	const struct harness options = { .races = true };
	bool alone = harness_choice_flags(POLICY_page_ref, choice) & POLICY_ONE_TASK;

	memset(&shared, 0, sizeof(shared));
	shared.tasks = alone ? 1 : 4;
	policy_value[POLICY_page_ref] = choice;
	harness_boot(&options);
}

static void
for_each_choice(void (*test)(void))
{
	for (int choice = 0; choice < harness_choices(POLICY_page_ref); choice++) {
		boot_with(choice);
		test();
		harness_shutdown();
	}
}

static void
alloc_shared(void *arg)
{
	for (int i = 0; i < NR_PAGES; i++)
		shared.page[i] = alloc_pages(0, -1);
}

/* All pages have one reference left: the one they were allocated with. */
static void
free_shared(void *arg)
{
	for (int i = 0; i < NR_PAGES; i++) {
		BUG_ON(page_ref_count(shared.page[i]) != 1, "page %d has %d references", i,
		       page_ref_count(shared.page[i]));
		put_page(shared.page[i]);
	}
}

/* --- against a plain counter --- */

/* One random verb on @page, whose count should be @count (0: frozen). Return: the new one. */
static int
random_step(struct page *page, struct random_stream *random, int count)
{
	int nr = 1 + random_below(random, 3);
	bool last;

	switch (random_below(random, 5)) {
	case 0:
		if (!page_ref_add_unless_frozen(page, nr)) {
			BUG_ON(count, "count %d refused", count);
			return 0;
		}
		BUG_ON(!count, "%d acquired on a frozen page", nr);
		return count + nr;
	case 1:
		if (!count)
			return 0;
		page_ref_add(page, nr);
		return count + nr;
	case 2:
		if (count < nr)
			return count;
		last = page_ref_sub_and_test(page, nr);
		BUG_ON(last != (count == nr), "%d of %d dropped, last %d", nr, count, last);
		return count - nr;
	case 3:
		if (!count)
			return 0;
		BUG_ON(page_ref_freeze(page, count + 1), "%d taken for %d", count, count + 1);
		BUG_ON(!page_ref_freeze(page, count), "%d not recognised", count);
		return 0;
	default:
		if (count)
			return count;
		page_ref_unfreeze(page, nr);
		return nr;
	}
}

static void
random_program(void *arg)
{
	struct page *page = alloc_pages(0, -1);
	struct random_stream random;
	int count = 1;

	random_init(&random, smp_processor_id(), "page_ref");
	for (int step = 0; step < 2000; step++) {
		count = random_step(page, &random, count);
		BUG_ON(page_ref_count(page) != count, "%d, not %d", page_ref_count(page), count);
	}
	if (!count)
		page_ref_unfreeze(page, count = 1);
	if (count > 1)
		BUG_ON(page_ref_sub_and_test(page, count - 1), "%d were the last", count - 1);
	put_page(page);
}

static void
run_random_programs(void)
{
	harness_run(1, random_program, NULL);
}

/* Random programs of every verb agree with a plain counter. */
static void
verbs_agree_with_a_plain_counter(void **state)
{
	for_each_choice(run_random_programs);
}

/* --- many tasks --- */

static void
get_and_put(void *arg)
{
	struct page *page = shared.page[0];
	struct random_stream random;
	int held = 0;

	random_init(&random, smp_processor_id(), "get_and_put");
	for (int step = 0; step < 1000; step++) {
		if (held && random_below(&random, 2)) {
			BUG_ON(page_ref_sub_and_test(page, 1), "freed with %d held", held);
			held--;
			continue;
		}
		BUG_ON(!page_ref_add_unless_frozen(page, 1), "an owned page refused");
		held++;
	}
	for (; held; held--)
		BUG_ON(page_ref_sub_and_test(page, 1), "freed with %d held", held);
}

static void
run_balance(void)
{
	harness_run(1, alloc_shared, NULL);
	harness_run(shared.tasks, get_and_put, NULL);
	harness_run(1, free_shared, NULL);
}

/* No reference is lost or made up, whatever meets. */
static void
no_reference_is_lost_or_made_up(void **state)
{
	for_each_choice(run_balance);
}

static void
drop(int i)
{
	if (page_ref_sub_and_test(shared.page[i], 1))
		atomic_inc(&shared.freed[i]);
}

/* Get and put each page; one of us also drops the reference it was made with. */
static void
put_the_last(void *arg)
{
	for (int i = 0; i < NR_PAGES; i++) {
		bool got = page_ref_add_unless_frozen(shared.page[i], 1);

		if (!atomic_xchg(&shared.dropped[i], 1))
			drop(i);
		if (got)
			drop(i);
	}
}

static void
free_frozen(void *arg)
{
	for (int i = 0; i < NR_PAGES; i++) {
		BUG_ON(atomic_read(&shared.freed[i]) != 1, "page %d freed %d times", i,
		       atomic_read(&shared.freed[i]));
		BUG_ON(page_ref_count(shared.page[i]), "page %d is not frozen", i);
		free_frozen_pages(shared.page[i], 0);
	}
}

static void
run_last_put(void)
{
	harness_run(1, alloc_shared, NULL);
	harness_run(shared.tasks, put_the_last, NULL);
	harness_run(1, free_frozen, NULL);
}

/* However getters and putters meet, one put is told to free, and only one. */
static void
the_last_put_frees_exactly_once(void **state)
{
	for_each_choice(run_last_put);
}

static void
freeze_or_get(void *arg)
{
	struct page *page = shared.page[0];
	struct random_stream random;

	random_init(&random, smp_processor_id(), "freeze_or_get");
	for (int step = 0; step < 1500; step++) {
		if (random_below(&random, 3) == 0 && page_ref_freeze(page, 1)) {
			atomic_inc(&shared.frozen);
			BUG_ON(atomic_xchg(&shared.inside, 1), "two freezers");
			BUG_ON(page_ref_count(page), "a frozen page has %d references",
			       page_ref_count(page));
			atomic_set(&shared.inside, 0);
			page_ref_unfreeze(page, 1);
		} else if (page_ref_add_unless_frozen(page, 1)) {
			atomic_inc(&shared.acquired);
			BUG_ON(atomic_read(&shared.inside), "a frozen page was acquired");
			BUG_ON(page_ref_sub_and_test(page, 1), "freed");
		}
	}
}

static void
run_freezers(void)
{
	harness_run(1, alloc_shared, NULL);
	harness_run(shared.tasks, freeze_or_get, NULL);
	assert_true(atomic_read(&shared.frozen) > 0);
	assert_true(atomic_read(&shared.acquired) > 0);
	harness_run(1, free_shared, NULL);
}

/* While one task owns a page exclusively nobody gets a reference. */
static void
a_frozen_page_is_never_acquired(void **state)
{
	for_each_choice(run_freezers);
}

static void
freeze_shared(void *arg)
{
	alloc_shared(NULL);
	BUG_ON(!page_ref_freeze(shared.page[0], 1), "not frozen");
	shared.frozen_word = atomic_read(&shared.page[0]->_refcount);
}

static void
stray(void *arg)
{
	for (int i = 0; i < 500; i++)
		BUG_ON(page_ref_add_unless_frozen(shared.page[0], 1), "acquired");
}

static void
thaw_shared(void *arg)
{
	int word = atomic_read(&shared.page[0]->_refcount);

	BUG_ON(word != shared.frozen_word, "strays left %#x", (unsigned int)word);
	page_ref_unfreeze(shared.page[0], 1);
	free_shared(NULL);
}

static void
run_strays(void)
{
	harness_run(1, freeze_shared, NULL);
	harness_run(shared.tasks, stray, NULL);
	harness_run(1, thaw_shared, NULL);
}

/* Failed gets leave nothing behind once they are all through. */
static void
strays_leave_nothing_behind(void **state)
{
	for_each_choice(run_strays);
}

/* --- the frozen bit's own limit --- */

static unsigned int
reset(unsigned int word, unsigned int seen)
{
	struct page page;

	atomic_set(&page._refcount, (int)word);
	page_ref_locked_bit_reset(&page, seen);
	return atomic_read(&page._refcount);
}

/* F is the frozen bit; the limit is F + 4 in this file. */
static void
beyond_the_limit_a_stray_insists(void **state)
{
	const unsigned int f = PAGE_REF_FROZEN;

	assert_int_equal(PAGE_REF_RESET_LIMIT, f + 4);
	/* Nobody came after us: reset. */
	assert_int_equal(reset(f + 3, f + 3), f);
	/* Somebody did, and will reset: one try, no loop. */
	assert_int_equal(reset(f + 6, f + 3), f + 6);
	/* At the limit we insist. */
	assert_int_equal(reset(f + 6, f + 4), f);
	assert_int_equal(reset(f, f + 4), f);
	/* But never on a page that was allocated meanwhile. */
	assert_int_equal(reset(1, f + 4), 1);
	assert_int_equal(reset(1, f + 1), 1);
}

/* Strays that nobody resets do not turn a frozen page into an owned one. */
static void
strays_do_not_thaw_a_frozen_page(void **state)
{
	struct page page;

	for (unsigned int strays = 0; strays < 100; strays++) {
		atomic_set(&page._refcount, (int)(PAGE_REF_FROZEN + strays));
		assert_int_equal(page_ref_locked_bit_count(&page), 0);
		assert_false(page_ref_locked_bit_try_get(&page, 1));
		assert_int_equal(atomic_read(&page._refcount), (int)PAGE_REF_FROZEN);
	}
	/* The last value before the carry out of bit 31. */
	atomic_set(&page._refcount, -2);
	assert_false(page_ref_locked_bit_try_get(&page, 1));
	assert_int_equal(atomic_read(&page._refcount), (int)PAGE_REF_FROZEN);
}

/* A page staged for freeing may be revived; then the putter does not free. */
static void
a_staged_page_may_be_revived(void **state)
{
	struct page page;

	atomic_set(&page._refcount, 0);
	assert_true(page_ref_locked_bit_try_get(&page, 1));
	assert_int_equal(page_ref_locked_bit_count(&page), 1);
	assert_true(page_ref_locked_bit_put(&page, 1));
	assert_int_equal(atomic_read(&page._refcount), (int)PAGE_REF_FROZEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs_agree_with_a_plain_counter),
		cmocka_unit_test(no_reference_is_lost_or_made_up),
		cmocka_unit_test(the_last_put_frees_exactly_once),
		cmocka_unit_test(a_frozen_page_is_never_acquired),
		cmocka_unit_test(strays_leave_nothing_behind),
		cmocka_unit_test(beyond_the_limit_a_stray_insists),
		cmocka_unit_test(strays_do_not_thaw_a_frozen_page),
		cmocka_unit_test(a_staged_page_may_be_revived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
