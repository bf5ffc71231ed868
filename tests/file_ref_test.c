/*
 * file_ref_test.c - the zones of file_ref_t at their real width
 *
 * Goal: every boundary value of the word behaves as its zone says. Method: set
 * the word, do one operation, compare with values written out by hand.
 */
#include "tests/harness.h"
#include "vfs/file_ref.h"

#define MAXREF 0x7fffffffffffffffll
#define SATURATED ((s64)0xa000000000000000ull)
#define RELEASED ((s64)0xc000000000000000ull)
#define DEAD ((s64)0xe000000000000000ull)
#define NOREF (-1ll)

static void
constants_are_the_kernels(void **state)
{
	assert_int_equal(FILE_REF_ONEREF, 0);
	assert_true(FILE_REF_MAXREF == MAXREF);
	assert_true(FILE_REF_SATURATED == SATURATED);
	assert_true(FILE_REF_RELEASED == RELEASED);
	assert_true(FILE_REF_DEAD == DEAD);
	assert_true(FILE_REF_NOREF == NOREF);
}

static void
get_adds_one_and_says_whether_the_file_lives(void **state)
{
	static const struct {
		s64 before;
		s64 after;
		bool taken;
	} cases[] = {
		{ 0, 1, true },
		{ 41, 42, true },
		{ MAXREF - 1, MAXREF, true },
		{ MAXREF, -MAXREF - 1, false },	 /* one too many: saturated */
		{ SATURATED, SATURATED + 1, false },
		{ DEAD, DEAD + 1, false },	 /* a stray: left as it is */
		{ DEAD + 5, DEAD + 6, false },
		{ NOREF, 0, true },		 /* in time: the last put will notice */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		file_ref_t ref = { cases[i].before };

		assert_int_equal(file_ref_get(&ref), cases[i].taken);
		assert_true(ref.counter == cases[i].after);
	}
}

static void
put_frees_only_from_the_last_reference(void **state)
{
	static const struct {
		s64 before;
		s64 after;
		bool last;
	} cases[] = {
		{ 0, DEAD, true },
		{ 1, 0, false },
		{ MAXREF, MAXREF - 1, false },
		{ SATURATED, SATURATED, false },
		{ RELEASED, SATURATED, false },	/* RELEASED - 1 is in the saturated zone */
		{ -MAXREF, SATURATED, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		file_ref_t ref = { cases[i].before };

		assert_int_equal(file_ref_put(&ref), cases[i].last);
		assert_true(ref.counter == cases[i].after);
	}
}

static void
put_close_takes_the_short_way_from_one_reference_only(void **state)
{
	file_ref_t one = { 0 };
	file_ref_t two = { 1 };

	assert_true(file_ref_put_close(&one));
	assert_true(one.counter == DEAD);
	assert_false(file_ref_put_close(&two));
	assert_true(two.counter == 0);
}

/* A get that comes between a put's decrement and its cmpxchg keeps the file. */
static void
get_in_the_noref_window_wins(void **state)
{
	file_ref_t ref = { NOREF };

	assert_true(file_ref_get(&ref));
	assert_false(file_ref_put_slow(&ref, FILE_REF_NOREF));
	assert_true(ref.counter == 0);
	assert_true(file_ref_put(&ref));
}

static void
read_counts_references(void **state)
{
	file_ref_t ref = { 0 };

	file_ref_init(&ref);
	assert_int_equal(file_ref_read(&ref), 1);
	file_ref_inc(&ref);
	assert_int_equal(file_ref_read(&ref), 2);
	ref.counter = NOREF;
	assert_int_equal(file_ref_read(&ref), 0);
	ref.counter = DEAD;
	assert_int_equal(file_ref_read(&ref), 0);
	ref.counter = SATURATED;
	assert_true(file_ref_read(&ref) == 0xa000000000000001ull);
}

static void
put_a_dead_file(void)
{
	file_ref_t ref = { DEAD };

	harness_boot(NULL);
	(void)!file_ref_put(&ref);
}

static void
inc_a_dead_file(void)
{
	file_ref_t ref = { DEAD };

	harness_boot(NULL);
	file_ref_inc(&ref);
}

static void
unbalanced_use_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(put_a_dead_file, VERDICT_BUG,
					 "put of a file that is dead already: 0xdfffffffffffffff"));
	assert_true(harness_expect_panic(inc_a_dead_file, VERDICT_BUG,
					 "reference taken on a file without any"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_are_the_kernels),
		cmocka_unit_test(get_adds_one_and_says_whether_the_file_lives),
		cmocka_unit_test(put_frees_only_from_the_last_reference),
		cmocka_unit_test(put_close_takes_the_short_way_from_one_reference_only),
		cmocka_unit_test(get_in_the_noref_window_wins),
		cmocka_unit_test(read_counts_references),
		cmocka_unit_test(unbalanced_use_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
