/*
 * virtual_tasks_test.c - run queues and placement, by hand
 */
#include "tests/harness.h"

#include "machine/runtime.h"
#include "machine/sched.h"

#define NS 1000ull

static struct {
	int log[8];		/* pids, in the order of running */
	u64 when[8];		/* ns */
	int logged;
	struct task *sleeper;
} scene;

static void
tell(void)
{
	scene.when[scene.logged] = runtime_clock_ps() / NS;
	scene.log[scene.logged++] = current->pid;
}

static void
begin(const struct machine_spec *spec)
{
	scene.logged = 0;
	harness_boot(&(struct harness){ .spec = spec, .no_pagecache = true });
}

/* --- one CPU, several tasks -------------------------------------------------------- */

static void
yield_once(void *arg)
{
	tell();
	runtime_work_ns(100);
	runtime_yield();
	tell();
}

static void
tasks_of_one_cpu_take_turns_and_pay_the_switch(void **state)
{
	struct machine_spec spec = toy4;
	struct task *tasks[2];

	spec.cost_ps[COST_switch] = 30 * NS;
	begin(&spec);
	for (int i = 0; i < 2; i++)
		tasks[i] = runtime_task_create(yield_once, NULL, 1, "yield");
	for (int i = 0; i < 2; i++)
		runtime_task_start(tasks[i]);
	runtime_join();
	assert_int_equal(scene.log[0], tasks[0]->pid);
	assert_int_equal(scene.log[1], tasks[1]->pid);
	assert_int_equal(scene.log[2], tasks[0]->pid);
	assert_int_equal(scene.log[3], tasks[1]->pid);
	assert_in_range(scene.when[1] - scene.when[0], 130, 135); /* and the hits of tell() */
	for (int i = 0; i < 2; i++)
		runtime_task_destroy(tasks[i]);
	harness_shutdown();
}

static void
sleep_first(void *arg)
{
	scene.sleeper = current;
	runtime_block();
	tell();
}

static void
wake_the_sleeper(void *arg)
{
	runtime_work_ns(1000);
	runtime_unblock(scene.sleeper);
	tell();
	runtime_work_ns(1000);
}

/* Nobody is preempted: the woken task waits until its CPU's present one ends. */
static void
a_woken_task_waits_for_its_busy_cpu(void **state)
{
	struct task *tasks[2];

	begin(NULL);
	tasks[0] = runtime_task_create(sleep_first, NULL, 1, "sleeper");
	tasks[1] = runtime_task_create(wake_the_sleeper, NULL, 1, "waker");
	for (int i = 0; i < 2; i++)
		runtime_task_start(tasks[i]);
	runtime_join();
	assert_int_equal(scene.log[0], tasks[1]->pid);
	assert_int_equal(scene.log[1], tasks[0]->pid);
	assert_true(scene.when[1] - scene.when[0] >= 1000);
	for (int i = 0; i < 2; i++)
		runtime_task_destroy(tasks[i]);
	harness_shutdown();
}

static void
sleep_for_ever(void *arg)
{
	tell();
	for (;;)
		runtime_block();
}

static void
start_a_thread(void *arg)
{
	assert_non_null(kthread_run(sleep_for_ever, NULL, 2, "sleeper"));
	runtime_work_ns(1000);
	(void)runtime_clock_ps();
}

static void
join_does_not_wait_for_kernel_threads(void **state)
{
	begin(NULL);
	harness_run(1, start_a_thread, NULL);
	assert_int_equal(scene.logged, 1);
	harness_shutdown();
}

/* --- placement ------------------------------------------------------------------------ */

/* Two sockets of two cores of two threads: 0-1 and 2-3, then their second threads 4-5, 6-7. */
static void
check_places(enum placement placement, const int *expected)
{
	struct machine_spec spec = toy4;

	spec.threads_per_core = 2;
	spec.placement = placement;
	begin(&spec);
	for (int i = 0; i < 8; i++)
		assert_int_equal(runtime_place(i), expected[i]);
	assert_int_equal(runtime_place(8), -1);
	assert_int_equal(cpu_to_node(5), 0);
	assert_int_equal(cpu_to_node(6), 1);
	harness_shutdown();
}

static void
places_follow_the_machine_file(void **state)
{
	check_places(PLACE_CORES_FIRST, (const int[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
	check_places(PLACE_THREADS_FIRST, (const int[]){ 0, 4, 1, 5, 2, 6, 3, 7 });
	check_places(PLACE_SOCKETS_ALTERNATE, (const int[]){ 0, 2, 1, 3, 4, 6, 5, 7 });
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_one_cpu_take_turns_and_pay_the_switch),
		cmocka_unit_test(a_woken_task_waits_for_its_busy_cpu),
		cmocka_unit_test(join_does_not_wait_for_kernel_threads),
		cmocka_unit_test(places_follow_the_machine_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
