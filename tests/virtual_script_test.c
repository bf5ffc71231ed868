/*
 * virtual_script_test.c - scripts halt CPUs where they say, and nowhere else
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/runtime.h"
#include "machine/spinlock.h"
#include "machine/virtual/script.h"

static struct {
	u64 *word;
	spinlock_t *lock;
	int log[16];		/* CPUs, in the order in which they did something */
	int logged;
} scene;

static void
tell(void)
{
	scene.log[scene.logged++] = smp_processor_id();
}

static void
play(const struct script_stop *stops, int count, int tasks, void (*body)(void *arg))
{
	scene.logged = 0;
	script_start(stops, count);
	harness_run(tasks, body, NULL);
}

static void
begin(void)
{
	harness_boot(&(struct harness){ .no_pagecache = true });
	scene.word = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	scene.lock = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	*scene.word = 0;
	spin_lock_init(scene.lock);
}

static void
end(void)
{
	arena_free(scene.word, CACHE_LINE);
	arena_free(scene.lock, CACHE_LINE);
	harness_shutdown();
}

/* --- one stop ------------------------------------------------------------------ */

static void
load_then_store(void *arg)
{
	u64 seen = __atomic_load_n(scene.word, __ATOMIC_RELAXED);

	__atomic_store_n(scene.word, seen + 1, __ATOMIC_RELAXED);
	tell();
}

static void
an_update_is_lost_when_the_script_says_so(void **state)
{
	begin();
	const struct script_stop stops[] = {
		{ 0, SCRIPT_STORE, scene.word, 1 },
		{ 1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};

	play(stops, ARRAY_SIZE(stops), 2, load_then_store);
	assert_int_equal(script_missed(), 0);
	assert_int_equal(*scene.word, 1);
	assert_int_equal(scene.log[0], 1);
	assert_int_equal(scene.log[1], 0);
	end();
}

static void
without_a_stop_nothing_is_lost(void **state)
{
	begin();
	play(NULL, 0, 2, load_then_store);
	assert_int_equal(*scene.word, 2);
	assert_int_equal(scene.log[0], 0);
	end();
}

/* --- the n-th access -------------------------------------------------------------- */

static void
add_three_times(void *arg)
{
	for (int i = 0; i < 3; i++) {
		__atomic_fetch_add(scene.word, 1, __ATOMIC_RELAXED);
		tell();
	}
}

static void
stops_count_from_the_last_one(void **state)
{
	const int expected[] = { 0, 1, 1, 0, 0, 1 };

	begin();
	const struct script_stop stops[] = {
		{ 0, SCRIPT_RMW, scene.word, 2 },	/* after its first addition */
		{ 1, SCRIPT_RMW, scene.word, 3 },	/* after its second */
		{ 0, SCRIPT_UNTIL_WAIT, NULL, 0 },	/* its second and third */
	};

	play(stops, ARRAY_SIZE(stops), 2, add_three_times);
	assert_int_equal(script_missed(), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(scene.log[i], expected[i]);
	end();
}

static void
a_stop_that_is_not_reached_is_reported(void **state)
{
	begin();
	const struct script_stop stops[] = { { 0, SCRIPT_RMW, scene.word, 4 } };

	play(stops, ARRAY_SIZE(stops), 2, add_three_times);
	assert_int_equal(script_missed(), 1);
	assert_int_equal(*scene.word, 6);
	end();
}

/* --- waiting ----------------------------------------------------------------------- */

static void
add_under_lock(void *arg)
{
	spin_lock(scene.lock);
	*scene.word += 1;
	tell();
	spin_unlock(scene.lock);
}

static void
a_spinner_gives_way_to_the_halted_holder(void **state)
{
	begin();
	const struct script_stop stops[] = {
		{ 0, SCRIPT_STORE, scene.word, 1 },	/* inside the lock */
		{ 1, SCRIPT_UNTIL_WAIT, NULL, 0 },	/* spins */
		{ 2, SCRIPT_UNTIL_WAIT, NULL, 0 },	/* so does the next one */
	};

	play(stops, ARRAY_SIZE(stops), 3, add_under_lock);
	assert_int_equal(script_missed(), 0);
	assert_int_equal(*scene.word, 3);
	assert_int_equal(scene.log[0], 0);
	assert_int_equal(scene.log[1], 1);
	assert_int_equal(scene.log[2], 2);
	end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_update_is_lost_when_the_script_says_so),
		cmocka_unit_test(without_a_stop_nothing_is_lost),
		cmocka_unit_test(stops_count_from_the_last_one),
		cmocka_unit_test(a_stop_that_is_not_reached_is_reported),
		cmocka_unit_test(a_spinner_gives_way_to_the_halted_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
