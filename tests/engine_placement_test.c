/*
 * engine_placement_test.c - which CPUs a `place:` is on a machine
 *
 * Two sockets of two clusters of three cores with two threads each: CPUs 0 to
 * 11 are the first threads, 12 to 23 the second.
 */
#include "tests/cmocka_all.h"

#include "engine/placement.h"

static const struct machine_spec small = {
	.name = "small",
	.sockets = 2,
	.clusters_per_socket = 2,
	.cores_per_cluster = 3,
	.threads_per_core = 2,
};

static const struct machine_spec single = {
	.name = "single",
	.sockets = 1,
	.clusters_per_socket = 1,
	.cores_per_cluster = 1,
	.threads_per_core = 1,
};

static int
partner_of_cpu_0(enum distance pair, const struct machine_spec *spec)
{
	const struct task_place place = { .pair = pair };

	assert_true(placement_given(&place));
	assert_int_equal(placement_cpu(&place, spec, 0), 0);
	return placement_cpu(&place, spec, 1);
}

static void
a_pair_is_as_far_apart_as_it_says(void **state)
{
	(void)state;
	assert_int_equal(partner_of_cpu_0(DISTANCE_SMT, &small), 12);
	assert_int_equal(partner_of_cpu_0(DISTANCE_CLUSTER, &small), 1);
	assert_int_equal(partner_of_cpu_0(DISTANCE_SOCKET, &small), 3);
	assert_int_equal(partner_of_cpu_0(DISTANCE_REMOTE, &small), 6);
}

static void
a_machine_may_have_no_such_pair(void **state)
{
	(void)state;
	for (int pair = DISTANCE_SMT; pair < DISTANCE_MAX; pair++)
		assert_int_equal(partner_of_cpu_0(pair, &single), -1);
}

static void
a_list_is_taken_in_its_order_as_far_as_there_are_cpus(void **state)
{
	int cpus[] = { 23, 0, 24 };
	const struct task_place place = { .cpus = cpus, .cpus_count = 3 };

	(void)state;
	assert_int_equal(placement_cpu(&place, &small, 0), 23);
	assert_int_equal(placement_cpu(&place, &small, 1), 0);
	assert_int_equal(placement_cpu(&place, &small, 2), -1);
}

static void
nothing_said_is_nothing_given(void **state)
{
	const struct task_place place = { 0 };

	(void)state;
	assert_false(placement_given(&place));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_as_far_apart_as_it_says),
		cmocka_unit_test(a_machine_may_have_no_such_pair),
		cmocka_unit_test(a_list_is_taken_in_its_order_as_far_as_there_are_cpus),
		cmocka_unit_test(nothing_said_is_nothing_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
