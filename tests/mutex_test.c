/*
 * mutex_test.c - mutexes exclude, also while their holder sleeps
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/mutex.h"
#include "machine/runtime.h"

#define TASKS 4
#define ROUNDS 200

struct shared {
	struct mutex mutex;
	u64 inside;	/* plain, under the mutex */
	u64 sum;	/* plain, under the mutex */
};

static struct shared *
boot(void)
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = TASKS };
	struct shared *s;

	harness_boot(&options);
	s = arena_alloc(sizeof(*s), CACHE_LINE, 0);
	mutex_init(&s->mutex);
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
count_inside(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < ROUNDS; i++) {
		mutex_lock(&s->mutex);
		BUG_ON(s->inside, "%llu others inside", (unsigned long long)s->inside);
		s->inside = 1;
		s->sum++;
		runtime_work_ns(100);
		s->inside = 0;
		mutex_unlock(&s->mutex);
	}
}

static void
one_task_at_a_time_is_inside(void **state)
{
	struct shared *s = boot();

	harness_run(TASKS, count_inside, s);
	assert_int_equal(s->sum, TASKS * ROUNDS);
	assert_null(s->mutex.owner);
	assert_int_equal(s->mutex.waiters, 0);
	shut_down(s);
}

static void
try(void *arg)
{
	struct shared *s = arg;

	BUG_ON(!mutex_trylock(&s->mutex), "a free mutex was not taken");
	BUG_ON(mutex_trylock(&s->mutex), "a held mutex was taken");
	BUG_ON(s->mutex.owner != current, "somebody else owns it");
	mutex_unlock(&s->mutex);
}

static void
trylock_takes_a_free_mutex_only(void **state)
{
	struct shared *s = boot();

	harness_run(1, try, s);
	shut_down(s);
}

static void
unlock_unheld(void *arg)
{
	struct shared *s = arg;

	mutex_unlock(&s->mutex);
}

static void
scenario_unlock_unheld(void)
{
	harness_run(1, unlock_unheld, boot());
}

static void
lock_twice(void *arg)
{
	struct shared *s = arg;

	mutex_lock(&s->mutex);
	mutex_lock(&s->mutex);
}

static void
scenario_lock_twice(void)
{
	harness_run(1, lock_twice, boot());
}

static void
misuse_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_unlock_unheld, VERDICT_BUG, "held by -1"));
	assert_true(harness_expect_panic(scenario_lock_twice, VERDICT_BUG, "locked twice"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_task_at_a_time_is_inside),
		cmocka_unit_test(trylock_takes_a_free_mutex_only),
		cmocka_unit_test(misuse_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
