/*
 * rwsem_test.c - readers together, writers alone, nobody waits for ever
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/rwsem.h"

#define TASKS 4
#define ROUNDS 200

struct shared {
	struct rw_semaphore sem;
	u64 a;		/* plain, under the semaphore; equal to b outside writers */
	u64 b;
	atomic_t readers;
	atomic_t step;
};

static struct shared *
boot(void)
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = TASKS };
	struct shared *s;

	harness_boot(&options);
	s = arena_alloc(sizeof(*s), CACHE_LINE, 0);
	init_rwsem(&s->sem);
	s->a = 0;
	s->b = 0;
	atomic_set(&s->readers, 0);
	atomic_set(&s->step, 0);
	return s;
}

static void
shut_down(struct shared *s)
{
	assert_int_equal(atomic64_read(&s->sem.count), 0);
	assert_null(s->sem.first);
	assert_null(s->sem.owner);
	arena_free(s, sizeof(*s));
	harness_shutdown();
}

static void
read_and_write(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < ROUNDS; i++) {
		down_read(&s->sem);
		BUG_ON(s->a != s->b, "a reader saw %llu and %llu", (unsigned long long)s->a,
		       (unsigned long long)s->b);
		up_read(&s->sem);
		down_write(&s->sem);
		s->a++;
		runtime_work_ns(50);
		s->b++;
		up_write(&s->sem);
	}
}

static void
a_writer_is_alone(void **state)
{
	struct shared *s = boot();

	harness_run(TASKS, read_and_write, s);
	assert_int_equal(s->a, TASKS * ROUNDS);
	assert_int_equal(s->b, TASKS * ROUNDS);
	shut_down(s);
}

/* Each stays inside until all are: this ends only if they are inside together. */
static void
meet_inside(void *arg)
{
	struct shared *s = arg;

	down_read(&s->sem);
	atomic_inc(&s->readers);
	smp_cond_load_acquire(&s->readers.counter, VAL == TASKS);
	up_read(&s->sem);
}

static void
readers_are_inside_together(void **state)
{
	struct shared *s = boot();

	harness_run(TASKS, meet_inside, s);
	shut_down(s);
}

static void
try_all(void *arg)
{
	struct shared *s = arg;

	BUG_ON(!down_read_trylock(&s->sem), "free, but no reader came in");
	BUG_ON(!down_read_trylock(&s->sem), "read, but no second reader came in");
	BUG_ON(down_write_trylock(&s->sem), "a writer came in beside readers");
	up_read(&s->sem);
	up_read(&s->sem);
	BUG_ON(!down_write_trylock(&s->sem), "free, but no writer came in");
	BUG_ON(down_write_trylock(&s->sem), "two writers");
	BUG_ON(down_read_trylock(&s->sem), "a reader came in beside a writer");
	up_write(&s->sem);
}

static void
trylocks_come_in_only_where_they_may(void **state)
{
	struct shared *s = boot();

	harness_run(1, try_all, s);
	shut_down(s);
}

/* Task 0 reads; task 1 waits to write; from then on no reader comes in beside the first. */
static void
writer_waits(void *arg)
{
	struct shared *s = *(struct shared **)arg;
	bool first = atomic_fetch_add(1, &s->step) == 0;

	if (!first) {
		smp_cond_load_acquire(&s->step.counter, VAL == 3);
		down_write(&s->sem);
		s->a = 1;
		up_write(&s->sem);
		return;
	}
	down_read(&s->sem);
	atomic_inc(&s->step);
	while (down_read_trylock(&s->sem)) {
		up_read(&s->sem);
		cond_resched();
	}
	BUG_ON(s->a, "the writer came in beside a reader");
	up_read(&s->sem);
}

static void
a_waiting_writer_keeps_new_readers_out(void **state)
{
	struct shared *s = boot();

	harness_run(2, writer_waits, &s);
	assert_int_equal(s->a, 1);
	shut_down(s);
}

/* Were the others to spin for as long as one is inside, its grace period would not end. */
static void
wait_for_readers_inside(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < ROUNDS / 10; i++) {
		down_write(&s->sem);
		synchronize_rcu();
		s->a++;
		up_write(&s->sem);
	}
}

static void
a_writer_may_wait_for_a_grace_period(void **state)
{
	struct shared *s = boot();

	harness_run(TASKS, wait_for_readers_inside, s);
	assert_int_equal(s->a, TASKS * ROUNDS / 10);
	shut_down(s);
}

static void
up_unheld(void *arg)
{
	up_write(&((struct shared *)arg)->sem);
}

static void
scenario_up_unheld(void)
{
	harness_run(1, up_unheld, boot());
}

static void
up_without_down_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_up_unheld, VERDICT_BUG, "no writer inside"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_is_alone),
		cmocka_unit_test(readers_are_inside_together),
		cmocka_unit_test(trylocks_come_in_only_where_they_may),
		cmocka_unit_test(a_waiting_writer_keeps_new_readers_out),
		cmocka_unit_test(a_writer_may_wait_for_a_grace_period),
		cmocka_unit_test(up_without_down_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
