/*
 * rcu_test.c - readers are never pulled the rug from under
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/rcu.h"
#include "machine/sched.h"

#define ROUNDS 50
#define CALLBACKS 100
#define ALIVE 0x600d
#define DEAD 0xdead

struct item {
	struct rcu_head rcu;
	u64 magic;		/* plain: written before publication and after a grace period */
	u64 number;
};

struct shared {
	struct item *item;	/* by rcu_assign_pointer() */
	bool done;		/* marked */
	u64 called;		/* callbacks that ran; by the callback task */
	bool ordered;		/* so far each callback had the next number */
};

static struct shared *shared;

static struct item *
make_item(u64 number)
{
	struct item *item = arena_alloc(sizeof(*item), CACHE_LINE, 0);

	item->magic = ALIVE;
	item->number = number;
	return item;
}

static void
boot(void)
{
	struct harness options = { .no_pagecache = true, .races = true };

	harness_boot(&options);
	shared = arena_alloc(sizeof(*shared), CACHE_LINE, 0);
	*shared = (struct shared){ .item = make_item(0), .ordered = true };
}

static void
shut_down(void)
{
	arena_free(shared->item, sizeof(*shared->item));
	arena_free(shared, sizeof(*shared));
	harness_shutdown();
}

static void
kill_item(struct item *item)
{
	BUG_ON(item->magic != ALIVE, "freed twice, magic %#llx", (unsigned long long)item->magic);
	item->magic = DEAD;
	arena_free(item, sizeof(*item));
}

static void
read_until_done(void)
{
	while (!READ_ONCE(shared->done)) {
		struct item *item;

		rcu_read_lock();
		rcu_read_lock();
		item = rcu_dereference(shared->item);
		BUG_ON(item->magic != ALIVE, "a reader sees %#llx",
		       (unsigned long long)item->magic);
		rcu_read_unlock();
		cpu_relax();
		BUG_ON(item->magic != ALIVE, "an outer reader sees %#llx",
		       (unsigned long long)item->magic);
		rcu_read_unlock();
		cond_resched();
	}
}

static struct item *
replace(u64 number)
{
	struct item *old = shared->item;

	rcu_assign_pointer(shared->item, make_item(number));
	return old;
}

static void
replace_or_read(void *arg)
{
	if (!*(bool *)arg) {
		read_until_done();
		return;
	}
	for (u64 i = 1; i <= ROUNDS; i++) {
		struct item *old = replace(i);

		synchronize_rcu();
		kill_item(old);
	}
	WRITE_ONCE(shared->done, true);
}

static bool roles[] = { true, false, false };
static void *role_args[] = { &roles[0], &roles[1], &roles[2] };

static void
synchronize_waits_for_readers(void **state)
{
	boot();
	harness_run_each(3, replace_or_read, role_args);
	assert_int_equal(shared->item->number, ROUNDS);
	shut_down();
}

static void
item_is_old(struct rcu_head *head)
{
	struct item *item = container_of(head, struct item, rcu);

	shared->ordered &= item->number == shared->called;
	shared->called++;
	kill_item(item);
}

static void
call_or_read(void *arg)
{
	if (!*(bool *)arg) {
		read_until_done();
		return;
	}
	for (u64 i = 1; i <= CALLBACKS; i++) {
		call_rcu(&replace(i)->rcu, item_is_old);
		rcu_quiescent_state();
	}
	rcu_barrier();
	BUG_ON(shared->called != CALLBACKS, "%llu ran before the barrier",
	       (unsigned long long)shared->called);
	WRITE_ONCE(shared->done, true);
}

static void
callbacks_run_in_order_and_the_barrier_waits_for_them(void **state)
{
	boot();
	harness_run_each(3, call_or_read, role_args);
	assert_true(shared->ordered);
	shut_down();
}

static void
queue_again(struct rcu_head *head)
{
	struct item *item = container_of(head, struct item, rcu);

	if (item->number--)
		call_rcu(head, queue_again);
	else
		kill_item(item);
}

static void
queue_chain(void *arg)
{
	call_rcu(&make_item(3)->rcu, queue_again);
}

/* Nobody waits for them; shutdown would find the item in the arena otherwise. */
static void
shutdown_runs_what_is_left(void **state)
{
	boot();
	harness_run(1, queue_chain, NULL);
	shut_down();
}

static void
barrier_or_first_callback(void *arg)
{
	if (!*(bool *)arg) {
		call_rcu(&make_item(0)->rcu, queue_again);
		return;
	}
	for (int i = 0; i < ROUNDS; i++)
		rcu_barrier();
}

/* A CPU's callback task is made by its first callback, whoever waits for callbacks just then. */
static void
a_barrier_may_meet_the_first_callback_of_a_cpu(void **state)
{
	boot();
	harness_run_each(3, barrier_or_first_callback, role_args);
	shut_down();
}

static void
sleep_inside(void *arg)
{
	rcu_read_lock();
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
}

static void
scenario_sleep_inside(void)
{
	boot();
	harness_run(1, sleep_inside, NULL);
}

static void
synchronize_inside(void *arg)
{
	rcu_read_lock();
	synchronize_rcu();
}

static void
scenario_synchronize_inside(void)
{
	boot();
	harness_run(1, synchronize_inside, NULL);
}

static void
a_reader_that_sleeps_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_sleep_inside, VERDICT_BUG,
					 "inside rcu_read_lock"));
	assert_true(harness_expect_panic(scenario_synchronize_inside, VERDICT_BUG,
					 "inside rcu_read_lock"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronize_waits_for_readers),
		cmocka_unit_test(callbacks_run_in_order_and_the_barrier_waits_for_them),
		cmocka_unit_test(shutdown_runs_what_is_left),
		cmocka_unit_test(a_barrier_may_meet_the_first_callback_of_a_cpu),
		cmocka_unit_test(a_reader_that_sleeps_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
