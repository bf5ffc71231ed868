/*
 * folio_lock_test.c - mutual exclusion, real sleepers, hand-over, watchers
 */
#include "tests/harness.h"

#include "machine/cpu_relax.h"
#include "machine/measure.h"
#include "machine/runtime.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"

/* The tasks of a test share this; outside the arena, so not modelled. */
static struct {
	struct folio *folio;
	int inside;		/* plain: the folio lock is what protects it */
	int rounds;
	atomic_t stop;
	atomic_t ready;
	struct measurement measured;
} shared;

/*
 * Let time pass and others run. What the tests wait for is not a modelled line,
 * so the order among CPUs comes from reading the clock.
 */
static void
relax(void)
{
	cond_resched();
	cpu_relax();
	(void)runtime_clock_ps();
}

/* Waking a task takes a while, as it does on every machine. */
static struct machine_spec
slow_waking_machine(void)
{
	struct machine_spec spec = toy4;

	spec.cost_ps[COST_wake] = 600 * 1000;
	spec.cost_ps[COST_wake_latency] = 1200 * 1000;
	spec.cost_ps[COST_idle_enter] = 500 * 1000;
	return spec;
}

static void
alloc_folio(void *arg)
{
	shared.folio = folio_alloc(0, -1);
}

static void
free_folio(void *arg)
{
	BUG_ON(shared.folio->flags & PAGE_FLAGS_MASK, "flags %#lx are left", shared.folio->flags);
	folio_put(shared.folio);
}

static void
lock_and_count(void *arg)
{
	for (int i = 0; i < 500; i++) {
		folio_lock(shared.folio);
		BUG_ON(shared.inside++, "%d tasks inside", shared.inside);
		/* Now and then the owner stays long enough for others to sleep. */
		if (i % 50 == 0)
			runtime_work_ns(20000);
		shared.rounds++;
		shared.inside--;
		folio_unlock(shared.folio);
	}
}

/* Four tasks, one lock: never two inside, nobody left behind, no flag left set. */
static void
one_task_at_a_time_owns_the_folio(void **state)
{
	const struct machine_spec spec = slow_waking_machine();
	const struct harness options = { .spec = &spec, .races = true };

	shared.rounds = 0;
	harness_boot(&options);
	harness_run(1, alloc_folio, NULL);
	harness_run(4, lock_and_count, NULL);
	assert_int_equal(shared.rounds, 4 * 500);
	harness_run(1, free_folio, NULL);
	harness_shutdown();
}

/* The owner holds the lock until the other task has had time to fall asleep. */
static void
hold(void *arg)
{
	folio_lock(shared.folio);
	atomic_set(&shared.ready, 1);
	while (!(READ_ONCE(shared.folio->flags) & BIT(PG_waiters)))
		relax();
	runtime_work_ns(20 * 1000 * 1000);
	folio_unlock(shared.folio);
}

static void
wait_for_owner(void *arg)
{
	while (!atomic_read(&shared.ready))
		relax();
	folio_lock(shared.folio);
	folio_unlock(shared.folio);
}

static void
hold_or_wait(void *arg)
{
	if (arg)
		hold(NULL);
	else
		wait_for_owner(NULL);
}

/* A waiter sleeps, is woken by the unlock, and the last one takes PG_waiters along. */
static void
a_waiter_sleeps_and_the_unlock_wakes_it(void **state)
{
	void *args[2] = { &shared, NULL };

	atomic_set(&shared.ready, 0);
	harness_boot(NULL);
	harness_run(1, alloc_folio, NULL);
	measure_begin();
	harness_run_each(2, hold_or_wait, args);
	measure_end(&shared.measured);
	assert_int_equal(shared.measured.events[EVENT_FOLIO_LOCK], 2);
	assert_int_equal(shared.measured.events[EVENT_FOLIO_LOCK_FOUND_LOCKED], 1);
	assert_int_equal(shared.measured.events[EVENT_FOLIO_LOCK_SLEPT], 1);
	assert_int_equal(shared.measured.events[EVENT_FOLIO_LOCK_HANDED_OVER], 0);
	harness_run(1, free_folio, NULL);
	harness_shutdown();
}

/* Takes the lock again before anybody who was woken can, and keeps it beyond that. */
static void
hog(void *arg)
{
	while (!atomic_read(&shared.stop)) {
		folio_lock(shared.folio);
		atomic_set(&shared.ready, 1);
		runtime_work_ns(10 * 1000);
		folio_unlock(shared.folio);
	}
}

static void
get_it_once(void *arg)
{
	while (!atomic_read(&shared.ready))
		relax();
	folio_lock(shared.folio);
	folio_unlock(shared.folio);
	atomic_set(&shared.stop, 1);
}

static void
hog_or_get(void *arg)
{
	if (arg)
		hog(NULL);
	else
		get_it_once(NULL);
}

/*
 * A waiter that loses the race for the lock five times has it handed over. On
 * the host kind it may be lucky before that; on the virtual kind, where waking
 * takes longer than the hog is away and less than it stays, it never is.
 */
static void
a_starving_waiter_is_handed_the_lock(void **state)
{
	const struct machine_spec spec = slow_waking_machine();
	const struct harness options = { .spec = &spec };
	void *args[2] = { &shared, NULL };

	atomic_set(&shared.ready, 0);
	atomic_set(&shared.stop, 0);
	harness_boot(&options);
	harness_run(1, alloc_folio, NULL);
	measure_begin();
	harness_run_each(2, hog_or_get, args);
	measure_end(&shared.measured);
	if (harness_is_virtual())
		assert_true(shared.measured.events[EVENT_FOLIO_LOCK_HANDED_OVER] >= 1);
	harness_run(1, free_folio, NULL);
	harness_shutdown();
}

/* Three watch, one fills: all watchers go on at the unlock, none takes the lock. */
static void
watch(void *arg)
{
	while (!atomic_read(&shared.ready))
		relax();
	folio_wait_locked(shared.folio);
	BUG_ON(!folio_test_uptodate(shared.folio), "woken early");
}

static void
fill(void *arg)
{
	folio_lock(shared.folio);
	atomic_set(&shared.ready, 1);
	while (!(READ_ONCE(shared.folio->flags) & BIT(PG_waiters)))
		relax();
	runtime_work_ns(1000 * 1000);
	folio_end_read(shared.folio, true);
}

static void
watch_or_fill(void *arg)
{
	if (arg)
		fill(NULL);
	else
		watch(NULL);
}

static void
free_uptodate(void *arg)
{
	BUG_ON((shared.folio->flags & PAGE_FLAGS_MASK) != BIT(PG_uptodate), "flags %#lx",
	       shared.folio->flags & PAGE_FLAGS_MASK);
	folio_put(shared.folio);
}

static void
all_who_watch_are_woken_at_once(void **state)
{
	void *args[4] = { &shared };

	atomic_set(&shared.ready, 0);
	harness_boot(NULL);
	harness_run(1, alloc_folio, NULL);
	harness_run_each(4, watch_or_fill, args);
	harness_run(1, free_uptodate, NULL);
	harness_shutdown();
}

#define NR_FOLIOS 600

static struct folio *folios[NR_FOLIOS];

static void
alloc_folios(void *arg)
{
	for (int i = 0; i < NR_FOLIOS; i++)
		folios[i] = folio_alloc(0, -1);
}

static void
free_folios(void *arg)
{
	for (int i = 0; i < NR_FOLIOS; i++)
		folio_put(folios[i]);
}

/* More folios than buckets, so that strangers share some. */
static void
lock_all(void *arg)
{
	for (int i = 0; i < NR_FOLIOS; i++) {
		folio_lock(folios[i]);
		if (i % 16 == 0)
			runtime_work_ns(5000);
		folio_unlock(folios[i]);
	}
}

/* A wake-up finds its folio's waiters among others in the bucket. */
static void
folios_may_share_a_bucket(void **state)
{
	const struct harness options = { .races = true };

	harness_boot(&options);
	harness_run(1, alloc_folios, NULL);
	harness_run(4, lock_all, NULL);
	harness_run(1, free_folios, NULL);
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_task_at_a_time_owns_the_folio),
		cmocka_unit_test(a_waiter_sleeps_and_the_unlock_wakes_it),
		cmocka_unit_test(a_starving_waiter_is_handed_the_lock),
		cmocka_unit_test(all_who_watch_are_woken_at_once),
		cmocka_unit_test(folios_may_share_a_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
