/*
 * random_test.c - streams are named, and their distributions what they say
 */
#include "tests/harness.h"

#include "machine/random.h"

#define DRAWS 200000

/* xoshiro256**, by hand: state 1, 2, 3, 4 gives rotl(2 * 5, 7) * 9 = 11520 first. */
static void
the_generator_is_xoshiro(void **state)
{
	struct random_stream stream = { .state = { 1, 2, 3, 4 } };

	assert_int_equal(random_u64(&stream), 11520);
	/* The second word became 2 ^ (3 ^ 1) = 0. */
	assert_int_equal(random_u64(&stream), 0);
}

static void
equal_names_give_equal_streams(void **state)
{
	struct random_stream a;
	struct random_stream b;

	random_init(&a, 7, "jitter");
	random_init(&b, 7, "jitter");
	for (int i = 0; i < 100; i++)
		assert_true(random_u64(&a) == random_u64(&b));
}

static void
another_name_or_seed_gives_another_stream(void **state)
{
	struct random_stream a;
	struct random_stream b;
	struct random_stream c;
	u64 first;

	random_init(&a, 7, "jitter");
	random_init(&b, 7, "arbitration");
	random_init(&c, 8, "jitter");
	first = random_u64(&a);
	assert_true(first != random_u64(&b));
	assert_true(first != random_u64(&c));
}

static void
below_fills_its_range_evenly(void **state)
{
	struct random_stream stream;
	int hits[7] = { 0 };

	random_init(&stream, 1, "test");
	for (int i = 0; i < 7 * 10000; i++)
		hits[random_below(&stream, 7)]++;
	for (int i = 0; i < 7; i++) /* 10000 +- 5 standard deviations of 93 */
		assert_in_range(hits[i], 9500, 10500);
	assert_int_equal(random_below(&stream, 1), 0);
}

static void
exponential_has_mean_and_tail(void **state)
{
	struct random_stream stream;
	u64 sum = 0;
	int above_one = 0;
	int above_seven = 0;

	random_init(&stream, 1, "test");
	for (int i = 0; i < DRAWS; i++) {
		u64 value = random_exponential(&stream, 1000000);

		sum += value;
		above_one += value > 1000000;
		above_seven += value > 7000000;
	}
	assert_in_range(sum / DRAWS, 990000, 1010000);
	/* 1/e is 36.79 %; e^-7 is 0.0912 %, beyond the last step of the table. */
	assert_in_range(above_one, DRAWS * 0.362, DRAWS * 0.374);
	assert_in_range(above_seven, 182 - 70, 182 + 70);
	assert_int_equal(random_exponential(&stream, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_xoshiro),
		cmocka_unit_test(equal_names_give_equal_streams),
		cmocka_unit_test(another_name_or_seed_gives_another_stream),
		cmocka_unit_test(below_fills_its_range_evenly),
		cmocka_unit_test(exponential_has_mean_and_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
