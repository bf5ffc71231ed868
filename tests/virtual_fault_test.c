/*
 * virtual_fault_test.c - what the modelled machine notices and how it says so
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/sched.h"
#include "machine/spinlock.h"

static spinlock_t *lock;
static u64 *word;

static void
boot(bool races)
{
	harness_boot(&(struct harness){ .no_pagecache = true, .races = races });
	lock = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	spin_lock_init(lock);
	word = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	*word = 0;
}

static void
lock_twice(void *arg)
{
	spin_lock(lock);
	spin_lock(lock);
}

static void
scenario_lock_twice(void)
{
	boot(false);
	harness_run(1, lock_twice, NULL);
}

static void
sleep_for_ever(void *arg)
{
	runtime_block();
}

static void
scenario_sleep_for_ever(void)
{
	boot(false);
	harness_run(2, sleep_for_ever, NULL);
}

static void
a_deadlock_names_who_waits_for_what(void **state)
{
	assert_true(harness_expect_panic(scenario_lock_twice, VERDICT_DEADLOCK, "CPU 0) spins on"));
	assert_true(harness_expect_panic(scenario_sleep_for_ever, VERDICT_DEADLOCK,
					 "CPU 1) sleeps"));
}

static void
sleep_as_reader(void *arg)
{
	rcu_read_lock();
	runtime_block();
}

static void
scenario_sleep_as_reader(void)
{
	boot(false);
	harness_run(1, sleep_as_reader, NULL);
}

static void
yield_as_reader(void *arg)
{
	rcu_read_lock();
	runtime_yield();
}

static void
scenario_yield_as_reader(void)
{
	boot(false);
	harness_run(1, yield_as_reader, NULL);
}

static void
end_as_reader(void *arg)
{
	rcu_read_lock();
}

static void
scenario_end_as_reader(void)
{
	boot(false);
	harness_run(1, end_as_reader, NULL);
}

static void
a_reader_that_sleeps_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_sleep_as_reader, VERDICT_BUG,
					 "sleeps inside rcu_read_lock"));
	assert_true(harness_expect_panic(scenario_yield_as_reader, VERDICT_BUG,
					 "yields inside rcu_read_lock"));
	assert_true(harness_expect_panic(scenario_end_as_reader, VERDICT_BUG,
					 "ends inside rcu_read_lock"));
}

static void
add_plainly(void *arg)
{
	*word += 1;
}

static void
add_under_lock(void *arg)
{
	spin_lock(lock);
	*word += 1;
	spin_unlock(lock);
}

static void
scenario_plain_race(void)
{
	boot(true);
	harness_run(2, add_plainly, NULL);
}

static void
scenario_no_race(void)
{
	boot(true);
	harness_run(4, add_under_lock, NULL);
	assert_int_equal(*word, 4);
	runtime_panic(VERDICT_FAILED, NULL, NULL, "no race seen");
}

static void
plain_accesses_race_and_a_lock_orders_them(void **state)
{
	assert_true(harness_expect_panic(scenario_plain_race, VERDICT_BUG, "data race"));
	assert_true(harness_expect_panic(scenario_no_race, VERDICT_FAILED, "no race seen"));
}

/* One reads plainly what the other would have changed if it had not been 0. */
static void
fail_to_change(void *arg)
{
	u64 old = 1;

	if (smp_processor_id())
		assert_false(try_cmpxchg(word, &old, 2));
	else
		assert_int_equal(*word, 0);
}

static void
scenario_failed_cmpxchg(void)
{
	boot(true);
	harness_run(2, fail_to_change, NULL);
	runtime_panic(VERDICT_FAILED, NULL, NULL, "no race seen");
}

static void
a_failed_cmpxchg_writes_nothing(void **state)
{
	assert_true(harness_expect_panic(scenario_failed_cmpxchg, VERDICT_FAILED, "no race seen"));
}

static void
touch_freed(void *arg)
{
	arena_free(word, CACHE_LINE);
	arena_poison(word, CACHE_LINE, "a word");
	*word += 1;
}

static void
scenario_touch_freed(void)
{
	boot(false);
	harness_run(1, touch_freed, NULL);
}

static void
a_use_after_free_is_named(void **state)
{
#ifndef POISON
	skip();
#endif
	assert_true(harness_expect_panic(scenario_touch_freed, VERDICT_BUG,
					 "use after free of a word"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadlock_names_who_waits_for_what),
		cmocka_unit_test(a_reader_that_sleeps_is_a_bug),
		cmocka_unit_test(plain_accesses_race_and_a_lock_orders_them),
		cmocka_unit_test(a_failed_cmpxchg_writes_nothing),
		cmocka_unit_test(a_use_after_free_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
