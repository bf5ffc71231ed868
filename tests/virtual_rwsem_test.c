/*
 * virtual_rwsem_test.c - who spins for a semaphore, who sleeps, and for how long, by hand
 *
 * toy-4 with a wake-up of 2 us. LATE is what the accesses of a step come to at most.
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/event.h"
#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/rwsem.h"

#define NS 1000ull
#define US (1000 * NS)
#define WAKE_US 2
#define LATE 1

#define assert_at(when_us, us) assert_in_range(when_us, us, (us) + LATE)

static struct rw_semaphore *sem;
static u64 inside_us[4];	/* by CPU: when it came in */
static bool stop;

static void
do_nothing(void *arg)
{
}

static void
begin(void)
{
	struct machine_spec spec = toy4;

	spec.cost_ps[COST_wake_latency] = WAKE_US * US;
	spec.cost_ps[COST_grace_period] = 100 * US;
	harness_boot(&(struct harness){ .spec = &spec, .no_pagecache = true });
	sem = arena_alloc(sizeof(*sem), CACHE_LINE, 0);
	init_rwsem(sem);
	stop = false;
	harness_run(1, do_nothing, NULL); /* and the callback task of CPU 0 falls asleep */
}

static void
end(void)
{
	assert_int_equal(atomic64_read(&sem->count), 0);
	assert_null(sem->first);
	arena_free(sem, sizeof(*sem));
	harness_shutdown();
}

static u64
now_us(void)
{
	return runtime_clock_ps() / US;
}

static void
work_until(u64 us)
{
	runtime_work_ns((us - now_us()) * 1000);
	(void)runtime_clock_ps();
}

static void
come_in(void)
{
	down_write(sem);
	inside_us[smp_processor_id()] = now_us();
}

static u64
sleeps(void)
{
	u64 totals[EVENT_MAX];

	runtime_event_totals(totals);
	return totals[EVENT_SLEEP];
}

/* CPU n comes at n us and stays for 10 us: each finds somebody inside who runs. */
static void
ten_us_each(void *arg)
{
	work_until(1 + smp_processor_id());
	come_in();
	work_until(inside_us[smp_processor_id()] + 10);
	up_write(sem);
}

static void
a_writer_spins_while_the_one_inside_runs(void **state)
{
	u64 before;

	begin();
	before = sleeps();
	harness_run(4, ten_us_each, NULL);
	for (int i = 0; i < 4; i++)
		assert_at(inside_us[i], 1 + 10 * i);
	assert_int_equal(sleeps(), before);
	end();
}

/* CPU 0 sleeps inside, from 1 to 101 us: CPU 1 sleeps too, and is woken as it leaves. */
static void
sleep_inside(void *arg)
{
	work_until(1 + smp_processor_id());
	come_in();
	if (smp_processor_id() == 0)
		synchronize_rcu();
	up_write(sem);
}

static void
a_writer_sleeps_while_the_one_inside_sleeps(void **state)
{
	u64 before;

	begin();
	before = sleeps();
	harness_run(2, sleep_inside, NULL);
	assert_at(inside_us[0], 1);
	assert_at(inside_us[1], 101 + WAKE_US + WAKE_US);
	assert_int_equal(sleeps(), before + 2);
	end();
}

/*
 * CPU 1 is asleep from 2 us on. CPU 0 is woken at 103 us, leaves, and is back
 * before CPU 1 has woken; after that it leaves every 100 us, for a moment. CPU 1
 * finds it inside each time, first after 4 ms at 4005 us: it asks for hand-off,
 * and has it at 4103 us, when CPU 0 leaves once more, and a wake-up.
 */
static void
overtake(void *arg)
{
	work_until(1 + smp_processor_id());
	if (smp_processor_id() == 1) {
		come_in();
		stop = true;
		up_write(sem);
		return;
	}
	come_in();
	synchronize_rcu();
	for (u64 us = 203; !stop; us += 100) {
		up_write(sem);
		down_write(sem);
		if (!stop)
			work_until(us);
	}
	up_write(sem);
}

static void
a_sleeper_is_overtaken_for_four_ms_at_most(void **state)
{
	begin();
	harness_run(2, overtake, NULL);
	assert_at(inside_us[1], 4103 + WAKE_US);
	end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_spins_while_the_one_inside_runs),
		cmocka_unit_test(a_writer_sleeps_while_the_one_inside_sleeps),
		cmocka_unit_test(a_sleeper_is_overtaken_for_four_ms_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
