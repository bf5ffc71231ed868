/*
 * virtual_grace_test.c - when grace periods end and callbacks run, by hand
 *
 * toy-4 has no costs but those set here, and a hit takes 1 ns: LATE is what the
 * few accesses of a step come to at most.
 */
#include "tests/harness.h"

#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/sched.h"

#define NS 1000ull
#define US (1000 * NS)
#define LATE 1

#define assert_at(when_us, us) assert_in_range(when_us, us, (us) + LATE)

static struct {
	int log[8];		/* whose turn it was: CPUs, or the numbers of callbacks */
	u64 when[8];		/* us */
	int logged;
	struct rcu_head heads[RCU_QHIMARK + 2];
	u64 called;
} scene;

static u64
now_us(void)
{
	return runtime_clock_ps() / US;
}

static void
tell(int who)
{
	scene.when[scene.logged] = now_us();
	scene.log[scene.logged++] = who;
}

static void
begin(u64 grace_us)
{
	struct machine_spec spec = toy4;

	spec.cost_ps[COST_grace_period] = grace_us * US;
	scene.logged = 0;
	scene.called = 0;
	harness_boot(&(struct harness){ .spec = &spec, .no_pagecache = true });
}

static void
work_until(u64 us)
{
	runtime_work_ns((us - now_us()) * 1000);
	(void)runtime_clock_ps();
}

/* --- waiting ---------------------------------------------------------------------- */

static void
wait_or_read(void *arg)
{
	if (smp_processor_id() == 0) {
		work_until(1);
		synchronize_rcu();
		tell(0);
		return;
	}
	rcu_read_lock();
	work_until(50);
	rcu_read_unlock();
	tell(1);
	rcu_quiescent_state();
	work_until(100);
}

static void
a_reader_leaves_last(u64 grace_us)
{
	begin(grace_us);
	harness_run(2, wait_or_read, NULL);
	assert_int_equal(scene.logged, 2);
	assert_int_equal(scene.log[0], 1);
	assert_at(scene.when[0], 50);
	assert_int_equal(scene.log[1], 0);
	assert_at(scene.when[1], 50);
	harness_shutdown();
}

static void
a_grace_period_lasts_until_the_reader_has_left(void **state)
{
	a_reader_leaves_last(0);
	a_reader_leaves_last(20);
}

static void
wait_at_once_or_later(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu)
		work_until(40);
	synchronize_rcu();
	tell(cpu);
}

/*
 * From 0 to 100 us for CPU 0, with everybody asleep in the end. CPU 1, which
 * comes in the middle of it, needs a whole one: the next.
 */
static void
nor_is_it_shorter_than_the_machine_says(void **state)
{
	begin(100);
	harness_run(2, wait_at_once_or_later, NULL);
	assert_int_equal(scene.logged, 2);
	assert_int_equal(scene.log[0], 0);
	assert_at(scene.when[0], 100);
	assert_int_equal(scene.log[1], 1);
	assert_at(scene.when[1], 200);
	harness_shutdown();
}

static void
boot_code_waits_for_one_as_well(void **state)
{
	begin(100);
	synchronize_rcu();
	assert_int_equal(now_us(), 100);
	harness_shutdown();
}

/* --- callbacks -------------------------------------------------------------------- */

static void
tell_number(struct rcu_head *head)
{
	tell((int)(head - scene.heads));
}

static void
queue(int number)
{
	call_rcu(&scene.heads[number], tell_number);
}

/*
 *	   0 us   callback 0			the task for it begins to wait
 *	  10, 20  callbacks 1, 2
 *	 100	  the grace period is over	but its CPU is busy
 *	 110	  yield				0 runs; the wait for 1 and 2 begins
 *	 150	  callback 3
 *	 210	  the next one is over
 *	 220	  yield				1 and 2 run; the wait for 3 begins
 *	 320	  the last one is over		3 runs, on an idle CPU
 */
static void
queue_four(void *arg)
{
	queue(0);
	cond_resched();
	work_until(10);
	queue(1);
	work_until(20);
	queue(2);
	work_until(110);
	cond_resched();
	work_until(150);
	queue(3);
	work_until(220);
	cond_resched();
	tell(100);
}

static void
callbacks_of_a_grace_period_run_together(void **state)
{
	static const int order[] = { 0, 1, 2, 100, 3 };
	static const u64 when[] = { 110, 220, 220, 220, 320 };

	begin(100);
	harness_run(1, queue_four, NULL);
	harness_shutdown();
	assert_int_equal(scene.logged, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(scene.log[i], order[i]);
		assert_at(scene.when[i], when[i]);
	}
}

static void
count(struct rcu_head *head)
{
	scene.called++;
}

static void
queue_to_the_mark(void *arg)
{
	call_rcu(&scene.heads[0], count);
	cond_resched();
	for (int i = 1; i < RCU_QHIMARK; i++)
		call_rcu(&scene.heads[i], count);
	cond_resched();
	BUG_ON(scene.called, "%llu callbacks ran below the mark",
	       (unsigned long long)scene.called);
	call_rcu(&scene.heads[RCU_QHIMARK], count);
	/* The first one's grace period ends here, that of all others as its task sleeps. */
	cond_resched();
	cond_resched();
	BUG_ON(scene.called != RCU_QHIMARK + 1, "%llu callbacks ran at the mark",
	       (unsigned long long)scene.called);
	tell(0);
	/* Both wait for the same grace period, which is of the usual length again. */
	call_rcu(&scene.heads[RCU_QHIMARK + 1], count);
	rcu_barrier();
	tell(1);
}

/* A second, were it not for their number: 10,001 callbacks take 10 to 50 ns each. */
static void
many_callbacks_do_not_wait(void **state)
{
	begin(1000000);
	harness_run(1, queue_to_the_mark, NULL);
	assert_int_equal(scene.logged, 2);
	assert_in_range(scene.when[0], 100, 500);
	assert_in_range(scene.when[1] - scene.when[0], 1000000, 1000000 + LATE);
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grace_period_lasts_until_the_reader_has_left),
		cmocka_unit_test(nor_is_it_shorter_than_the_machine_says),
		cmocka_unit_test(boot_code_waits_for_one_as_well),
		cmocka_unit_test(callbacks_of_a_grace_period_run_together),
		cmocka_unit_test(many_callbacks_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
