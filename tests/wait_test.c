/*
 * wait_test.c - who sleeps, and whom a wake-up wakes
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/event.h"
#include "machine/runtime.h"
#include "machine/wait.h"

#define ROUNDS 200

struct table {
	struct wait_queue_head queue;
	u64 turn;		/* whose move it is; marked */
	u64 woken;		/* tasks that came out; marked */
};

static struct table *table;

static void
set_up(int tasks)
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = tasks };

	harness_boot(&options);
	table = arena_alloc(sizeof(*table), CACHE_LINE, 0);
	*table = (struct table){ .turn = 0 };
	init_waitqueue_head(&table->queue);
}

static void
tear_down(void)
{
	arena_free(table, sizeof(*table));
	harness_shutdown();
}

static void
play(void *arg)
{
	u64 me = *(int *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		wait_event(&table->queue, READ_ONCE(table->turn) % 2 == me);
		WRITE_ONCE(table->turn, READ_ONCE(table->turn) + 1);
		wake_up_all(&table->queue);
	}
}

static void
two_tasks_take_turns(void **state)
{
	int players[] = { 0, 1 };
	void *args[] = { &players[0], &players[1] };

	set_up(2);
	harness_run_each(2, play, args);
	assert_int_equal(table->turn, 2 * ROUNDS);
	assert_true(list_empty(&table->queue.head));
	tear_down();
}

/* Queue up and come out only because a waker took the entry off the queue. */
static void
sleep_until_woken(bool exclusive)
{
	struct wait_queue_entry entry;

	init_wait(&entry);
	if (exclusive)
		prepare_to_wait_exclusive(&table->queue, &entry);
	else
		prepare_to_wait(&table->queue, &entry);
	while (!(smp_load_acquire(&entry.flags) & WQ_FLAG_WOKEN))
		schedule();
	finish_wait(&table->queue, &entry);
	__atomic_fetch_add(&table->woken, 1, __ATOMIC_SEQ_CST);
}

static int
queued(void)
{
	struct wait_queue_entry *entry;
	int count = 0;

	spin_lock(&table->queue.lock);
	list_for_each_entry (entry, &table->queue.head, entry)
		count++;
	spin_unlock(&table->queue.lock);
	return count;
}

static void
wait_until_queued(int count)
{
	while (queued() != count)
		cond_resched();
}

/* Task 0 wakes; the others wait exclusively. Each wake_up() lets one out. */
static void
one_by_one(void *arg)
{
	if (*(int *)arg) {
		sleep_until_woken(true);
		return;
	}
	wait_until_queued(3);
	for (u64 out = 1; out <= 3; out++) {
		wake_up(&table->queue);
		BUG_ON(queued() != 3 - (int)out, "%d are queued", queued());
		smp_cond_load_acquire(&table->woken, VAL == out);
	}
}

static void
wake_up_wakes_one_exclusive_waiter(void **state)
{
	int numbers[] = { 0, 1, 2, 3 };
	void *args[] = { &numbers[0], &numbers[1], &numbers[2], &numbers[3] };

	set_up(4);
	harness_run_each(4, one_by_one, args);
	assert_int_equal(table->woken, 3);
	tear_down();
}

/* Task 1 waits for all, 2 and 3 exclusively: wake_up() takes 1 and one of the others. */
static void
mixed(void *arg)
{
	int me = *(int *)arg;

	if (me) {
		sleep_until_woken(me > 1);
		return;
	}
	wait_until_queued(3);
	wake_up(&table->queue);
	BUG_ON(queued() != 1, "%d are queued", queued());
	smp_cond_load_acquire(&table->woken, VAL == 2);
	wake_up_all(&table->queue);
}

static void
wake_up_wakes_every_other_waiter_too(void **state)
{
	int numbers[] = { 0, 1, 2, 3 };
	void *args[] = { &numbers[0], &numbers[1], &numbers[2], &numbers[3] };

	set_up(4);
	harness_run_each(4, mixed, args);
	assert_int_equal(table->woken, 3);
	tear_down();
}

/* Task 0 lets task 1 sleep first. */
static void
wake_one(void *arg)
{
	if (*(int *)arg) {
		sleep_until_woken(false);
		return;
	}
	wait_until_queued(1);
	runtime_work_ns(1000000);
	wake_up(&table->queue);
}

static void
a_waiter_really_sleeps(void **state)
{
	int numbers[] = { 0, 1 };
	void *args[] = { &numbers[0], &numbers[1] };
	u64 before[EVENT_MAX];
	u64 after[EVENT_MAX];

	set_up(2);
	runtime_event_totals(before);
	harness_run_each(2, wake_one, args);
	runtime_event_totals(after);
	assert_true(after[EVENT_SLEEP] - before[EVENT_SLEEP] >= 1);
	tear_down();
}

/* With the lock held, this ends only if nobody wants it. */
static void
wait_for_nothing(void *arg)
{
	spin_lock(&table->queue.lock);
	wait_event(&table->queue, READ_ONCE(table->turn) == 0);
	spin_unlock(&table->queue.lock);
}

static void
a_condition_that_holds_leaves_the_queue_alone(void **state)
{
	set_up(1);
	harness_run(1, wait_for_nothing, NULL);
	tear_down();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_tasks_take_turns),
		cmocka_unit_test(wake_up_wakes_one_exclusive_waiter),
		cmocka_unit_test(wake_up_wakes_every_other_waiter_too),
		cmocka_unit_test(a_waiter_really_sleeps),
		cmocka_unit_test(a_condition_that_holds_leaves_the_queue_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
