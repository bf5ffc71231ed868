/*
 * virtual_measure_test.c - line reports say what happened, on toy-4, by hand
 */
#include "tests/harness.h"

#include <string.h>

#include "machine/measure.h"
#include "machine/rawline.h"
#include "machine/runtime.h"

#define NS 1000ull

static struct {
	u64 *hot;
	u64 *warm;
	struct measurement measured;
} scene;

static void
at(u64 ns)
{
	runtime_work_ns(ns - runtime_clock_ps() / NS);
	assert_int_equal(runtime_clock_ps(), ns * NS);
}

/* CPU 0 owns both lines; CPU 1 takes `hot` (50 ns), CPU 2 takes it (100) and `warm` (100). */
static void
take_lines(void *arg)
{
	switch (smp_processor_id()) {
	case 0:
		at(1000);
		raw_fetch_add(scene.hot, 1);
		raw_fetch_add(scene.warm, 1);
		at(1500);
		measure_begin();
		at(5000);
		measure_end(&scene.measured);
		/* Not counted any more. */
		raw_fetch_add(scene.hot, 1);
		break;
	case 1:
		at(2000);
		raw_fetch_add(scene.hot, 1);
		break;
	case 2:
		at(3000);
		assert_false(raw_cmpxchg(scene.hot, 99, 1));
		at(4000);
		raw_fetch_add(scene.warm, 1);
		break;
	}
}

static int
play(struct line_report *reports, int max)
{
	int count;

	harness_boot(&(struct harness){ .no_pagecache = true });
	scene.hot = raw_line_create(0, "hot");
	scene.warm = raw_line_create(0, "warm");
	harness_run(3, take_lines, NULL);
	raw_line_destroy(scene.hot);
	raw_line_destroy(scene.warm);
	count = measure_lines(reports, max); /* they were named when the measurement ended */
	harness_shutdown();
	return count;
}

static void
a_measurement_counts_between_begin_and_end(void **state)
{
	struct line_report reports[4];

	play(reports, 4);
	assert_int_equal(scene.measured.transactions, 3);
	assert_int_equal(scene.measured.stall_ps, (50 + 100 + 100) * NS);
	assert_int_equal(scene.measured.events[EVENT_CMPXCHG], 1);
	assert_int_equal(scene.measured.events[EVENT_CMPXCHG_FAILED], 1);
	assert_true(scene.measured.accesses >= 3);
}

static void
lines_come_by_stall_with_their_distances(void **state)
{
	struct line_report reports[4];
	int count = play(reports, 4);

	assert_int_equal(count, 2);
	assert_non_null(strstr(reports[0].object.name, "hot"));
	assert_int_equal(reports[0].stall_ps, 150 * NS);
	assert_int_equal(reports[0].transactions[DISTANCE_CLUSTER], 1);
	assert_int_equal(reports[0].transactions[DISTANCE_REMOTE], 1);
	assert_int_equal(reports[0].cmpxchg, 1);
	assert_int_equal(reports[0].cmpxchg_failed, 1);
	assert_non_null(strstr(reports[1].object.name, "warm"));
	assert_int_equal(reports[1].stall_ps, 100 * NS);
	assert_int_equal(play(reports, 1), 1);
}

static void
sites_come_by_stall_with_their_offset(void **state)
{
	struct line_report reports[4];

	play(reports, 4);
	assert_int_equal(reports[0].nr_sites, 2);
	assert_int_equal(reports[0].offset, 0);
	assert_int_equal(reports[0].sites[0].stall_ps, 100 * NS);
	assert_int_equal(reports[0].sites[0].cmpxchg_failed, 1);
	assert_int_equal(reports[0].sites[1].stall_ps, 50 * NS);
	assert_int_equal(reports[0].sites[1].transactions, 1);
	assert_ptr_not_equal(reports[0].sites[0].pc, reports[0].sites[1].pc);
	/* The same source line made both additions. */
	assert_ptr_equal(reports[0].sites[1].pc, reports[1].sites[0].pc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measurement_counts_between_begin_and_end),
		cmocka_unit_test(lines_come_by_stall_with_their_distances),
		cmocka_unit_test(sites_come_by_stall_with_their_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
