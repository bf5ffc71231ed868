/*
 * lockref_contract_test.c - every choice of `lockref`, with many tasks
 *
 * Goal: no reference is lost or found, whatever way it was counted; the lock's
 * holder is alone with the count; a dead one stays dead; and the paths are all
 * taken: the retry cap, the lock. Method: the cap is two failures. All tasks get
 * and put at once, some of them under the lock, beside a plain count that only the
 * lock's holders change.
 */
#define LOCKREF_RETRIES 2
#define lockref_add_slow capped_lockref_add_slow
#define lockref_put_or_lock capped_lockref_put_or_lock

#include "vfs/lockref.c"

#include "machine/arena.h"
#include "machine/runtime.h"
#include "tests/harness.h"

#define ROUNDS 2000
#define MOST_TASKS 24

struct storm {
	struct lockref ref;
	u64 under_lock ____cacheline_aligned; /* plain: the lock guards it */
};

static void
put(struct lockref *ref)
{
	int left = lockref_put_return(ref);

	if (left >= 0)
		return;
	spin_lock(&ref->lock);
	lockref_add_locked(ref, -1);
	spin_unlock(&ref->lock);
}

static void
storm_body(void *arg)
{
	struct storm *storm = arg;

	for (int i = 0; i < ROUNDS; i++) {
		lockref_get(&storm->ref);
		BUG_ON(lockref_read(&storm->ref) < 2, "count %d", lockref_read(&storm->ref));
		if (i % 8 == 0) {
			spin_lock(&storm->ref.lock);
			storm->under_lock++;
			spin_unlock(&storm->ref.lock);
		}
		BUG_ON(!lockref_get_not_zero(&storm->ref), "refused at round %d", i);
		BUG_ON(!lockref_get_not_dead(&storm->ref), "refused at round %d", i);
		put(&storm->ref);
		BUG_ON(!lockref_put_or_lock(&storm->ref), "last one at round %d", i);
		put(&storm->ref);
	}
}

/* The storm under @lockref and @retries; the owner's reference keeps it above 0. */
static void
run_storm(int lockref, int retries)
{
	struct storm *storm;
	int tasks = harness_many_tasks(MOST_TASKS);

	policy_value[POLICY_lockref] = lockref;
	policy_value[POLICY_lockref_retries] = retries;
	harness_boot(&(struct harness){ .tasks = tasks, .no_pagecache = true, .races = true });
	storm = arena_alloc(sizeof(*storm), CACHE_LINE, 0);
	lockref_init(&storm->ref, 1);
	storm->under_lock = 0;
	harness_run(tasks, storm_body, storm);
	assert_int_equal(lockref_read(&storm->ref), 1);
	assert_int_equal(storm->under_lock, tasks * (ROUNDS / 8));
	arena_free(storm, sizeof(*storm));
	harness_shutdown();
}

static void
no_reference_is_lost(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_lockref); choice++) {
		run_storm(choice, lockref_retries_bounded);
		run_storm(choice, lockref_retries_unbounded);
	}
}

static void
edges_body(void *arg)
{
	struct lockref *ref = arg;

	lockref_init(ref, 0);
	BUG_ON(lockref_get_not_zero(ref), "got one of none");
	BUG_ON(!lockref_get_not_dead(ref), "0 is not dead");
	BUG_ON(lockref_put_or_lock(ref), "the last one was put");
	BUG_ON(!spin_is_locked(&ref->lock), "returned without the lock");
	BUG_ON(lockref_put_return(ref) != -1, "changed under the lock");
	lockref_add_locked(ref, -1);
	lockref_mark_dead(ref);
	spin_unlock(&ref->lock);
	BUG_ON(lockref_get_not_dead(ref), "a dead one was revived");
	BUG_ON(lockref_get_not_zero(ref), "a dead one was revived");
	BUG_ON(lockref_put_return(ref) != -1, "a dead one was put");
	BUG_ON(lockref_read(ref) != LOCKREF_DEAD, "count %d", lockref_read(ref));
}

static void
zero_locked_and_dead(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_lockref); choice++) {
		struct lockref *ref;

		policy_value[POLICY_lockref] = choice;
		harness_boot(&(struct harness){ .tasks = 1, .no_pagecache = true });
		ref = arena_alloc(sizeof(*ref), CACHE_LINE, 0);
		harness_run(1, edges_body, ref);
		arena_free(ref, sizeof(*ref));
		harness_shutdown();
	}
}

/* With a cap of two failures and contention, it is reached; without a cap, never. */
static void
the_cap_is_reached(void **state)
{
	u64 events[EVENT_MAX];

	if (!harness_is_virtual())
		skip(); /* needs contention that is sure to come */
	for (int retries = 0; retries < 2; retries++) {
		struct storm *storm;

		policy_value[POLICY_lockref] = lockref_cas_pause;
		policy_value[POLICY_lockref_retries] = retries;
		harness_boot(&(struct harness){ .tasks = 4, .no_pagecache = true });
		storm = arena_alloc(sizeof(*storm), CACHE_LINE, 0);
		lockref_init(&storm->ref, 1);
		storm->under_lock = 0;
		harness_run(4, storm_body, storm);
		runtime_event_totals(events);
		assert_int_equal(events[EVENT_LOCKREF_CAP] > 0, retries == lockref_retries_bounded);
		assert_true(events[EVENT_LOCKREF_SLOW] > 0);
		arena_free(storm, sizeof(*storm));
		harness_shutdown();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_locked_and_dead),
		cmocka_unit_test(no_reference_is_lost),
		cmocka_unit_test(the_cap_is_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
