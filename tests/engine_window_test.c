/*
 * engine_window_test.c - which completions count, worked out by hand
 */
#include "tests/cmocka_all.h"

#include "engine/window.h"

#define US 1000000ull

static u64 per_task[4];

static void
begin(struct window *window, const struct measure *measure, int tasks)
{
	for (int i = 0; i < 4; i++)
		per_task[i] = 0;
	window_init(window, measure, tasks, per_task);
}

/*
 * Two tasks, one completion per us, taking turns. The rounds are completions 1
 * to 6, the 20 us more end at 26 us: that completion opens and does not count.
 * Eight operations later, at 34 us, it closes.
 */
static void
automatic_warm_up_then_eight_operations(void **state)
{
	const struct measure measure = { .warmup_auto = true, .operations = 8 };
	struct window window;
	u64 us;

	(void)state;
	begin(&window, &measure, 2);
	window_task_started(&window, 0);
	window_task_started(&window, 0);
	for (us = 1; !window_completion(&window, us % 2, us * US); us++)
		assert_int_equal(window.state, WINDOW_WARMING);
	assert_int_equal(us, 26);
	assert_int_equal(window.state, WINDOW_OPEN);
	for (us++; !window_completion(&window, us % 2, us * US); us++)
		assert_int_equal(window.state, WINDOW_OPEN);
	assert_int_equal(us, 34);
	assert_int_equal(window.state, WINDOW_CLOSED);
	assert_int_equal(window.closed_ps - window.opened_ps, 8 * US);
	assert_int_equal(window.counted, 8);
	assert_int_equal(per_task[0], 4);
	assert_int_equal(per_task[1], 4);
}

static void
nothing_counts_while_a_task_is_still_in_its_setup(void **state)
{
	const struct measure measure = { .warmup_ns = 0, .operations = 1 };
	struct window window;

	(void)state;
	begin(&window, &measure, 2);
	window_task_started(&window, 1 * US);
	for (int i = 0; i < 100; i++)
		assert_false(window_completion(&window, 0, (2 + i) * US));
	assert_int_equal(window.state, WINDOW_STARTING);
	window_task_started(&window, 200 * US);
	assert_true(window_completion(&window, 1, 201 * US));
	assert_int_equal(window.state, WINDOW_OPEN);
}

/* A warm-up of 5 us from 10 us on, then the first completion not before 3 us later. */
static void
given_warm_up_and_duration(void **state)
{
	const struct measure measure = { .warmup_ns = 5000, .duration_ns = 3000 };
	struct window window;

	(void)state;
	begin(&window, &measure, 1);
	window_task_started(&window, 10 * US);
	assert_false(window_completion(&window, 0, 14 * US));
	assert_true(window_completion(&window, 0, 16 * US));
	assert_int_equal(window.opened_ps, 16 * US);
	assert_false(window_completion(&window, 0, 17 * US));
	assert_false(window_completion(&window, 0, 18 * US));
	assert_true(window_completion(&window, 0, 20 * US));
	assert_int_equal(window.counted, 3);
	assert_int_equal(window.closed_ps - window.opened_ps, 4 * US);
}

static void
completions_after_the_end_do_not_count(void **state)
{
	const struct measure measure = { .operations = 1 };
	struct window window;

	(void)state;
	begin(&window, &measure, 1);
	window_task_started(&window, 0);
	assert_true(window_completion(&window, 0, 1 * US));
	assert_true(window_completion(&window, 0, 2 * US));
	assert_false(window_completion(&window, 0, 3 * US));
	assert_int_equal(window.counted, 1);
	assert_int_equal(per_task[0], 1);
	assert_int_equal(window.closed_ps, 2 * US);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(automatic_warm_up_then_eight_operations),
		cmocka_unit_test(nothing_counts_while_a_task_is_still_in_its_setup),
		cmocka_unit_test(given_warm_up_and_duration),
		cmocka_unit_test(completions_after_the_end_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
