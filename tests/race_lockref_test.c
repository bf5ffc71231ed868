/*
 * race_lockref_test.c - directed races on the word that is a lock and a count
 *
 * Goal: whoever comes while another one changes the word ends as lockref.h says: a
 * dead one is not revived, a last reference is not dropped over a new one, and a
 * held lock sends everybody to its queue until that is empty. Method: a script
 * halts CPUs between the load of the word and its cmpxchg, or inside the lock.
 * Virtual kind only.
 */
#include <string.h>

#include "machine/arena.h"
#include "tests/race.h"
#include "vfs/lockref.h"

/* What tasks saw; each writes its own. */
struct scene {
	struct lockref ref;
	int result[RACE_TASKS];
	u64 slow[RACE_TASKS];	/* references taken under the lock so far, as a task ended */
};

static u64
slow_references(void)
{
	u64 events[EVENT_MAX];

	runtime_event_totals(events);
	return events[EVENT_LOCKREF_SLOW];
}

static void
get_body(void *arg)
{
	struct scene *scene = arg;
	int cpu = smp_processor_id();

	lockref_get(&scene->ref);
	scene->slow[cpu] = slow_references();
}

static void
get_not_dead_body(void *arg)
{
	struct scene *scene = arg;

	scene->result[smp_processor_id()] = lockref_get_not_dead(&scene->ref);
}

static void
put_return_body(void *arg)
{
	struct scene *scene = arg;

	scene->result[smp_processor_id()] = lockref_put_return(&scene->ref);
}

/* The last reference: 1 if it was dropped, 0 if the lock is held and it was not. */
static void
put_or_lock_body(void *arg)
{
	struct scene *scene = arg;

	scene->result[smp_processor_id()] = lockref_put_or_lock(&scene->ref);
}

static void
kill_body(void *arg)
{
	struct scene *scene = arg;

	spin_lock(&scene->ref.lock);
	lockref_mark_dead(&scene->ref);
	spin_unlock(&scene->ref.lock);
}

/* One more, as the lock's holder. */
static void
add_locked_body(void *arg)
{
	struct scene *scene = arg;

	spin_lock(&scene->ref.lock);
	lockref_add_locked(&scene->ref, 1);
	spin_unlock(&scene->ref.lock);
}

/* The same, and then a reference of its own. */
static void
hold_and_get_body(void *arg)
{
	add_locked_body(arg);
	get_body(arg);
}

/*
 * A stop at the word of the scene, which is made when the machine is booted. On
 * the count alone stores are the lock's holder's.
 */
struct stop {
	int cpu;
	enum script_kind kind;
	int nth;
};

/* Run @tasks @bodies on a lockref with @count references by @stops. Return: what they saw. */
static struct scene
play(int count, int tasks, const race_body *bodies, const struct stop *stops, int nr_stops)
{
	struct script_stop script[16];
	struct scene *scene;
	struct scene seen;

	assert_true((size_t)nr_stops <= ARRAY_SIZE(script));
	harness_boot(&(struct harness){ .tasks = tasks, .no_pagecache = true, .races = true });
	scene = arena_alloc(sizeof(*scene), CACHE_LINE, 0);
	memset(scene, 0, sizeof(*scene));
	lockref_init(&scene->ref, count);
	for (int i = 0; i < nr_stops; i++) {
		script[i] = (struct script_stop){ stops[i].cpu, stops[i].kind, &scene->ref.lock,
						  stops[i].nth };
		if (stops[i].kind == SCRIPT_STORE)
			script[i].address = &scene->ref.count;
	}
	race_run(script, nr_stops, bodies, tasks, scene);
	seen = *scene;
	arena_free(scene, sizeof(*scene));
	harness_shutdown();
	return seen;
}

#define PLAY(count, stops, ...)                                                                    \
	play(count, (int)ARRAY_SIZE(((const race_body[]){ __VA_ARGS__ })),                         \
	     (const race_body[]){ __VA_ARGS__ }, stops, ARRAY_SIZE(stops))

/* T1 has read a count of 0 and is about to make it 1; T2 kills the object meanwhile. */
static void
get_after_the_look_does_not_revive(void **state)
{
	const struct stop stops[] = {
		{ T1, SCRIPT_RMW, 1 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(0, stops, get_not_dead_body, kill_body);

	assert_false(seen.result[T1]);
	assert_int_equal(lockref_read(&seen.ref), LOCKREF_DEAD);
}

/* T2 holds the lock and is about to mark it dead when T1 comes: T1 waits, and is refused. */
static void
get_during_the_kill_waits_and_is_refused(void **state)
{
	const struct stop stops[] = {
		{ T2, SCRIPT_STORE, 1 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(0, stops, get_not_dead_body, kill_body);

	assert_false(seen.result[T1]);
	assert_int_equal(lockref_read(&seen.ref), LOCKREF_DEAD);
}

/* T2 has found a single reference and goes for the lock; T1 gets another one first. */
static void
get_before_the_lock_saves_the_object(void **state)
{
	const struct stop stops[] = {
		{ T2, SCRIPT_RMW, 1 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(1, stops, get_not_dead_body, put_or_lock_body);

	assert_true(seen.result[T1]);
	assert_true(seen.result[T2]); /* dropped: it was not the last one any more */
	assert_int_equal(lockref_read(&seen.ref), 1);
	assert_int_equal(seen.ref.lock.word, 0);
}

/* Without T1 the same put leaves the reference and holds the lock. */
static void
the_last_put_returns_with_the_lock(void **state)
{
	const struct stop stops[] = { { T1, SCRIPT_UNTIL_WAIT, 0 } };
	struct scene seen = PLAY(1, stops, put_or_lock_body);

	assert_false(seen.result[T1]);
	assert_int_equal(lockref_read(&seen.ref), 1);
	assert_int_equal(seen.ref.lock.locked, 1);
}

/* T1 is inside the lock: T2's put neither waits nor changes anything. */
static void
put_return_gives_up_at_a_held_lock(void **state)
{
	const struct stop stops[] = {
		{ T1, SCRIPT_STORE, 1 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(2, stops, add_locked_body, put_return_body);

	assert_int_equal(seen.result[T2], -1);
	assert_int_equal(lockref_read(&seen.ref), 3);
}

/*
 * T2's put has read an unlocked word; T1 takes the lock, changes the count and is
 * gone again: the cmpxchg fails on the count and succeeds with the new one.
 */
static void
put_return_sees_what_the_lock_changed(void **state)
{
	const struct stop stops[] = {
		{ T2, SCRIPT_RMW, 1 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(2, stops, add_locked_body, put_return_body);

	assert_int_equal(seen.result[T2], 2);
	assert_int_equal(lockref_read(&seen.ref), 2);
}

/*
 * The cliff. T1 holds the lock, T2 and T3 queue up. T1 lets go, T2 is inside now,
 * and T4 comes, long after the one who began it: it has to queue as well, since
 * somebody always waits. When the queue is empty, a reference is a cmpxchg again.
 */
static void
one_holder_sends_all_to_the_queue(void **state)
{
	const struct stop stops[] = {
		{ T1, SCRIPT_STORE, 1 },	/* inside the lock */
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
		{ T3, SCRIPT_UNTIL_WAIT, 0 },
		{ T1, SCRIPT_LOAD, 1 },		/* lets go; about to look for its own reference */
		{ T2, SCRIPT_STORE, 1 },	/* inside in its turn */
		{ T4, SCRIPT_UNTIL_WAIT, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, 0 },
		{ T3, SCRIPT_UNTIL_WAIT, 0 },
		{ T4, SCRIPT_UNTIL_WAIT, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, 0 },	/* nobody there */
	};
	struct scene seen = PLAY(1, stops, hold_and_get_body, get_body, get_body, get_body);

	assert_int_equal(lockref_read(&seen.ref), 1 + 1 + 4);
	assert_int_equal(seen.slow[T4], 3);
	assert_int_equal(seen.slow[T1], 3); /* its own was not */
	assert_int_equal(seen.ref.lock.word, 0);
}

/* The same four without anybody inside the lock: nobody queues. */
static void
without_a_holder_nobody_queues(void **state)
{
	const struct stop stops[] = {
		{ T1, SCRIPT_RMW, 1 }, /* all have loaded the same word */
		{ T2, SCRIPT_RMW, 1 },
		{ T3, SCRIPT_RMW, 1 },
		{ T4, SCRIPT_UNTIL_WAIT, 0 },
	};
	struct scene seen = PLAY(1, stops, get_body, get_body, get_body, get_body);

	assert_int_equal(lockref_read(&seen.ref), 1 + 4);
	for (int i = 0; i < RACE_TASKS; i++)
		assert_int_equal(seen.slow[i], 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_after_the_look_does_not_revive),
		cmocka_unit_test(get_during_the_kill_waits_and_is_refused),
		cmocka_unit_test(get_before_the_lock_saves_the_object),
		cmocka_unit_test(the_last_put_returns_with_the_lock),
		cmocka_unit_test(put_return_gives_up_at_a_held_lock),
		cmocka_unit_test(put_return_sees_what_the_lock_changed),
		cmocka_unit_test(one_holder_sends_all_to_the_queue),
		cmocka_unit_test(without_a_holder_nobody_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
