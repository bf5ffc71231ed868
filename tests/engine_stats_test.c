/*
 * engine_stats_test.c - statistics against values worked out by hand
 */
#include "tests/cmocka_all.h"

#include "engine/report/format.h"
#include "engine/result.h"
#include "engine/stats.h"

static void
median_of_odd_and_even_counts(void **state)
{
	const u64 odd[] = { 30, 10, 20 };
	const u64 even[] = { 40, 10, 21, 30 };
	struct summary summary;

	(void)state;
	stats_summarise(odd, 3, &summary);
	assert_int_equal(summary.median, 20);
	assert_int_equal(summary.min, 10);
	assert_int_equal(summary.max, 30);
	stats_summarise(even, 4, &summary);
	assert_int_equal(summary.median, 25); /* (21 + 30) / 2, rounded down */
}

static void
median_of_huge_values_does_not_overflow(void **state)
{
	const u64 huge[] = { UINT64_MAX, UINT64_MAX - 2 };
	struct summary summary;

	(void)state;
	stats_summarise(huge, 2, &summary);
	assert_true(summary.median == UINT64_MAX - 1);
}

/* Coverage of [x(k+1), x(n-k)] is 1 - 2 * sum(C(n,i), i <= k) / 2^n. */
static void
interval_ranks_follow_the_binomial(void **state)
{
	(void)state;
	assert_int_equal(stats_ci_rank(1), -1);
	assert_int_equal(stats_ci_rank(5), -1);	 /* 1 - 2/32 = 93.75 % */
	assert_int_equal(stats_ci_rank(6), 0);	 /* 1 - 2/64 = 96.9 % */
	assert_int_equal(stats_ci_rank(8), 0);	 /* k = 1: 1 - 2 * 9 / 256 = 93.0 % */
	assert_int_equal(stats_ci_rank(9), 1);	 /* 1 - 2 * 10 / 512 = 96.1 % */
	assert_int_equal(stats_ci_rank(11), 1);	 /* k = 2: 1 - 2 * 67 / 2048 = 93.5 % */
	assert_int_equal(stats_ci_rank(12), 2);	 /* 1 - 2 * 79 / 4096 = 96.1 % */
	assert_int_equal(stats_ci_rank(100), 39); /* the textbook's 40th and 61st of 100 */
}

/* Beyond exact arithmetic the rank must stay on the safe side and close. */
static void
interval_ranks_of_many_samples_are_conservative(void **state)
{
	(void)state;
	assert_int_equal(stats_ci_rank(120), 48);
	assert_in_range(stats_ci_rank(121), 47, 49);
	assert_in_range(stats_ci_rank(10000), 4900, 4901); /* 5000 - 98 - 1 */
}

static void
interval_of_eleven_samples_leaves_out_one_at_each_end(void **state)
{
	const u64 samples[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6 };
	struct summary summary;

	(void)state;
	stats_summarise(samples, 11, &summary);
	assert_true(summary.has_ci);
	assert_int_equal(summary.median, 6);
	assert_int_equal(summary.ci_low, 2);
	assert_int_equal(summary.ci_high, 10);
	stats_summarise(samples, 5, &summary);
	assert_false(summary.has_ci);
}

static void
fairness_is_jains_index(void **state)
{
	const u64 equal[] = { 7, 7, 7, 7 };
	const u64 alone[] = { 9, 0, 0, 0 };
	const u64 uneven[] = { 1, 2, 3 };
	const u64 nothing[] = { 0, 0 };

	(void)state;
	assert_int_equal(stats_fairness_permille(equal, 4), 1000);
	assert_int_equal(stats_fairness_permille(alone, 4), 250);
	assert_int_equal(stats_fairness_permille(uneven, 3), 857); /* 36 / (3 * 14) */
	assert_int_equal(stats_fairness_permille(nothing, 2), 1000);
}

static void
ratios_round_half_up_and_survive_large_operands(void **state)
{
	(void)state;
	assert_int_equal(scaled_ratio(1, 3, 10000), 3333);
	assert_int_equal(scaled_ratio(2, 3, 10000), 6667);
	assert_int_equal(scaled_ratio(1, 2, 1), 1);
	assert_int_equal(scaled_ratio(5, 0, 100), 0);
	assert_int_equal(scaled_ratio(1ull << 62, 1ull << 63, 10000), 5000);
}

/* pread64 on 24 tasks: 2182500 modelled, 2325998 published: 6.17 % too low. */
static void
errors_and_boosts_are_relative(void **state)
{
	char text[FORMAT_SIZE];

	(void)state;
	assert_int_equal(relative_error(2182500, 2325998, RATIO_ONE), 617);
	assert_int_equal(relative_error(110, 100, RATIO_ONE), 1000);
	assert_string_equal(format_error(text, 617), "6.2%");
	assert_string_equal(format_boost(text, boost_permille(1344401, 1343381)), "+0.1%");
	assert_string_equal(format_boost(text, boost_permille(4529737, 2325998)), "+94.7%");
	assert_string_equal(format_boost(text, boost_permille(50, 100)), "-50.0%");
}

static void
thousands_are_separated_by_spaces(void **state)
{
	char text[FORMAT_SIZE];

	(void)state;
	assert_string_equal(format_thousands(text, 0), "0");
	assert_string_equal(format_thousands(text, 999), "999");
	assert_string_equal(format_thousands(text, 1342500), "1 342 500");
	assert_string_equal(format_thousands(text, UINT64_MAX), "18 446 744 073 709 551 615");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_odd_and_even_counts),
		cmocka_unit_test(median_of_huge_values_does_not_overflow),
		cmocka_unit_test(interval_ranks_follow_the_binomial),
		cmocka_unit_test(interval_ranks_of_many_samples_are_conservative),
		cmocka_unit_test(interval_of_eleven_samples_leaves_out_one_at_each_end),
		cmocka_unit_test(fairness_is_jains_index),
		cmocka_unit_test(ratios_round_half_up_and_survive_large_operands),
		cmocka_unit_test(errors_and_boosts_are_relative),
		cmocka_unit_test(thousands_are_separated_by_spaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
