/*
 * spinlock_test.c - every choice of the `spinlock` family keeps its contract
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/event.h"
#include "machine/policy.h"
#include "machine/runtime.h"
#include "machine/spinlock.h"

#define TASKS 4
#define ROUNDS 500

struct shared {
	spinlock_t lock;
	u64 inside;	/* plain, under the lock */
	u64 sum;	/* plain, under the lock */
};

static struct shared *
boot_with(int choice, int tasks)
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = tasks };
	struct shared *s;

	policy_value[POLICY_spinlock] = choice;
	harness_boot(&options);
	s = arena_alloc(sizeof(*s), CACHE_LINE, 0);
	spin_lock_init(&s->lock);
	s->inside = 0;
	s->sum = 0;
	return s;
}

static void
shut_down(struct shared *s)
{
	arena_free(s, sizeof(*s));
	harness_shutdown();
}

static void
take_and_drop(void *arg)
{
	struct shared *s = arg;

	BUG_ON(spin_is_locked(&s->lock), "word %#x", s->lock.word);
	BUG_ON(!spin_trylock(&s->lock), "word %#x", s->lock.word);
	BUG_ON(!spin_is_locked(&s->lock), "word %#x", s->lock.word);
	BUG_ON(spin_trylock(&s->lock), "taken twice, word %#x", s->lock.word);
	spin_unlock(&s->lock);
	spin_lock(&s->lock);
	spin_unlock(&s->lock);
	BUG_ON(spin_is_locked(&s->lock), "word %#x", s->lock.word);
}

static void
trylock_fails_exactly_while_the_lock_is_held(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_spinlock); choice++) {
		struct shared *s = boot_with(choice, TASKS);

		harness_run(1, take_and_drop, s);
		shut_down(s);
	}
}

static void
count_inside(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < ROUNDS; i++) {
		spin_lock(&s->lock);
		BUG_ON(s->inside, "%llu others inside", (unsigned long long)s->inside);
		s->inside = 1;
		s->sum++;
		s->inside = 0;
		spin_unlock(&s->lock);
	}
}

static void
one_task_at_a_time_is_inside(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_spinlock); choice++) {
		struct shared *s = boot_with(choice, TASKS);

		harness_run(TASKS, count_inside, s);
		assert_int_equal(s->sum, TASKS * ROUNDS);
		assert_false(spin_is_locked(&s->lock));
		shut_down(s);
	}
}

/* Waiters whose core is taken by another waiter must not keep the holder from it. */
static void
more_tasks_than_cores_make_progress(void **state)
{
	int tasks = harness_many_tasks(64);

	for (int choice = 0; choice < harness_choices(POLICY_spinlock); choice++) {
		struct shared *s = boot_with(choice, tasks);

		harness_run(tasks, count_inside, s);
		assert_int_equal(s->sum, tasks * ROUNDS);
		shut_down(s);
	}
}

static void
uncontended(void *arg)
{
	struct shared *s = arg;

	spin_lock(&s->lock);
	spin_unlock(&s->lock);
}

static void
an_uncontended_lock_takes_the_fast_path(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_spinlock); choice++) {
		struct shared *s = boot_with(choice, TASKS);
		u64 events[EVENT_MAX];

		harness_run(1, uncontended, s);
		runtime_event_totals(events);
		assert_int_equal(events[EVENT_SPIN_CONTENDED], 0);
		shut_down(s);
	}
}

/* Queued: with the tail empty and nobody pending, the whole word is 0 again. */
static void
a_queued_lock_leaves_a_zero_word(void **state)
{
	struct shared *s = boot_with(spinlock_queued, TASKS);

	harness_run(TASKS, count_inside, s);
	assert_int_equal(s->lock.word, 0);
	shut_down(s);
}

/* Ticket: each acquisition moved both halves by one. */
static void
a_ticket_lock_counts_its_owners(void **state)
{
	struct shared *s = boot_with(spinlock_ticket, TASKS);

	harness_run(TASKS, count_inside, s);
	assert_int_equal(s->lock.owner, TASKS * ROUNDS);
	assert_int_equal(s->lock.next, TASKS * ROUNDS);
	shut_down(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trylock_fails_exactly_while_the_lock_is_held),
		cmocka_unit_test(one_task_at_a_time_is_inside),
		cmocka_unit_test(more_tasks_than_cores_make_progress),
		cmocka_unit_test(an_uncontended_lock_takes_the_fast_path),
		cmocka_unit_test(a_queued_lock_leaves_a_zero_word),
		cmocka_unit_test(a_ticket_lock_counts_its_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
