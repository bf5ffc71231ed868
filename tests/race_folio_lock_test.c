/*
 * race_folio_lock_test.c - directed races between unlocking and going to sleep
 *
 * T1 owns the lock, T2 wants it. T2's RMWs on the flags are, in order: trylock, set
 * PG_waiters, second try.
 */
#include <string.h>

#include "machine/arena.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"
#include "tests/race.h"

struct scene {
	u64 phase;		/* stored to between the parts of T1's program */
	struct folio *folio;
	int steals;		/* how often T1 got the lock back at once */
	bool t2_inside;		/* T2 got the lock */
	unsigned long flags_at_t2;	/* as T2 owned it */
};

static struct scene *scene;

static void
next_phase(void)
{
	WRITE_ONCE(scene->phase, scene->phase + 1);
}

static void
alloc_locked(void *arg)
{
	scene->folio = folio_alloc(0, -1);
	__folio_set_locked(scene->folio);
}

static void
free_folio(void *arg)
{
	folio_put(scene->folio);
}

static void
t1_unlocks(void *arg)
{
	next_phase();
	folio_unlock(scene->folio);
}

static void
t2_locks(void *arg)
{
	folio_lock(scene->folio);
	scene->t2_inside = true;
	scene->flags_at_t2 = READ_ONCE(scene->folio->flags) & PAGE_FLAGS_MASK;
	folio_unlock(scene->folio);
}

static void
boot_scene(void)
{
	harness_boot(NULL);
	scene = arena_alloc(sizeof(*scene), CACHE_LINE, 0);
	assert_non_null(scene);
	memset(scene, 0, sizeof(*scene));
	harness_run(1, alloc_locked, NULL);
}

/* T2 was inside, nobody waits any more, and the folio says so. */
static void
shutdown_scene(void)
{
	assert_true(scene->t2_inside);
	assert_int_equal(scene->folio->flags & PAGE_FLAGS_MASK, 0);
	harness_run(1, free_folio, NULL);
	arena_free(scene, sizeof(*scene));
	harness_shutdown();
}

/*
 *   T1 owner                   T2
 *                              trylock fails
 *   unlock: no PG_waiters
 *                              set PG_waiters; second try succeeds
 */
static void
unlock_before_the_waiters_bit(void **state)
{
	boot_scene();
	const struct script_stop stops[] = {
		{ T2, SCRIPT_RMW, &scene->folio->flags, 2 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};

	RACE(stops, NULL, t1_unlocks, t2_locks);
	assert_int_equal(scene->flags_at_t2, BIT(PG_locked) | BIT(PG_waiters));
	shutdown_scene();
}

/*
 *   T1 owner                   T2
 *                              trylock fails; set PG_waiters
 *   unlock: PG_waiters seen
 *   waits for the bucket, which T2 holds
 *                              second try succeeds
 *   nobody queued: clear PG_waiters
 */
static void
unlock_between_the_bit_and_the_second_try(void **state)
{
	boot_scene();
	const struct script_stop stops[] = {
		{ T2, SCRIPT_RMW, &scene->folio->flags, 3 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};

	RACE(stops, NULL, t1_unlocks, t2_locks);
	shutdown_scene();
}

static struct script_stop sleep_stops[] = {
	{ T2, SCRIPT_RMW, NULL, 1 },	/* T2's own state, once there is a T2 */
	{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
};

static void
t2_says_where_it_sleeps(void *arg)
{
	sleep_stops[0].address = &current->state;
	t2_locks(arg);
}

/*
 *   T1 owner                   T2
 *                              queued, bucket dropped, still awake
 *   unlock; wake T2: it does not sleep
 *                              state = UNINTERRUPTIBLE; woken? yes: no sleep
 */
static void
a_wake_up_before_the_sleep_is_not_lost(void **state)
{
	boot_scene();
	RACE(sleep_stops, NULL, t1_unlocks, t2_says_where_it_sleeps);
	assert_int_equal(scene->flags_at_t2, BIT(PG_locked));
	shutdown_scene();
}

/* Unlock and take the lock back before the waiter, who was woken, can run. */
static void
t1_steals(void *arg)
{
	next_phase();
	for (;;) {
		folio_unlock(scene->folio);
		if (!folio_trylock(scene->folio))
			return;
		scene->steals++;
		next_phase();
	}
}

/* Five steals are tolerated; the sixth unlock hands the lock over. */
static void
the_sixth_unlock_hands_the_lock_over(void **state)
{
	boot_scene();
	const struct script_stop stops[] = {
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_STORE, &scene->phase, 1 }, { T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};

	RACE(stops, NULL, t1_steals, t2_locks);
	assert_int_equal(scene->steals, 5);
	shutdown_scene();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlock_before_the_waiters_bit),
		cmocka_unit_test(unlock_between_the_bit_and_the_second_try),
		cmocka_unit_test(a_wake_up_before_the_sleep_is_not_lost),
		cmocka_unit_test(the_sixth_unlock_hands_the_lock_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
