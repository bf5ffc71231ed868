/*
 * file_ref_contract_test.c - every choice of `file_ref`, with many tasks
 *
 * Goal: a file is freed exactly once, by a put, and never while somebody holds
 * it; one that is saturated is never freed, and a choice that does not saturate
 * frees at the last put of many. Method: the word is eight bits wide, so that 128
 * references saturate zones and 31 strays bring them from DEAD to NOREF; all tasks
 * get and put at once, beside a plain count of who holds what. A task leaves a file
 * after its first failed get, so strays stay below 31.
 */
#define FILE_REF_WORD s8
#define file_ref_put_slow narrow_file_ref_put_slow

#include "vfs/file_ref.c"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/random.h"
#include "machine/rcu.h"
#include "tests/harness.h"
#include "vfs/policy.h"

#define FILES 200
#define MOST_TASKS 24 /* few enough for the strays' slack */
#define SATURATING_TASKS 4
#define GETS 40 /* each: with the owner's, 161 references */

/* A pretended file: the word, and beside it what it ought to say. */
struct fake_file {
	file_ref_t ref;
	atomic_t holders; /* tasks between a get that succeeded and the put */
	atomic_t freed;
} ____cacheline_aligned;

struct storm {
	atomic_t tasks; /* that have begun, or have got to the barrier */
	struct fake_file files[];
};

static void
release(struct fake_file *file, bool last)
{
	if (!last)
		return;
	BUG_ON(atomic_read(&file->holders), "freed with %d holders", atomic_read(&file->holders));
	BUG_ON(atomic_fetch_add(1, &file->freed), "freed twice");
}

/* Get and put @file a few times. Return: false after a failed get. */
static bool
use(struct fake_file *file, struct random_stream *random)
{
	int nr = (int)random_below(random, 8) + 1;

	for (int i = 0; i < nr; i++) {
		if (!file_ref_get(&file->ref))
			return false;
		atomic_inc(&file->holders);
		BUG_ON(atomic_read(&file->freed), "got a freed file");
		if (random_below(random, 2))
			cpu_relax();
		atomic_dec(&file->holders);
		release(file, file_ref_put(&file->ref));
	}
	return true;
}

/* All tasks use every file; the first one owns them and closes each after some use. */
static void
storm_body(void *arg)
{
	struct storm *storm = arg;
	int number = atomic_fetch_add(1, &storm->tasks);
	struct random_stream random;

	random_init(&random, (u64)number, "storm");
	for (int i = 0; i < FILES; i++) {
		struct fake_file *file = &storm->files[i];

		if (number == 0) {
			use(file, &random);
			release(file, file_ref_put_close(&file->ref));
		} else {
			while (use(file, &random))
				rcu_quiescent_state();
		}
		rcu_quiescent_state();
	}
}

/* All tasks take many references and keep them, then drop them all. */
static void
saturate_body(void *arg)
{
	struct storm *storm = arg;
	struct fake_file *file = &storm->files[0];
	int taken = 0;

	for (int i = 0; i < GETS; i++)
		taken += file_ref_get(&file->ref);
	atomic_inc(&storm->tasks);
	smp_cond_load_acquire(&storm->tasks.counter, VAL == SATURATING_TASKS);
	for (int i = 0; i < taken; i++)
		release(file, file_ref_put(&file->ref));
}

static size_t
storm_size(int files)
{
	return sizeof(struct storm) + files * sizeof(struct fake_file);
}

static struct storm *
storm_begin(int choice, int tasks, int files)
{
	struct harness options = { .tasks = tasks, .no_pagecache = true };
	struct storm *storm;

	policy_value[POLICY_file_ref] = choice;
	harness_boot(&options);
	storm = arena_alloc(storm_size(files), CACHE_LINE, 0);
	assert_non_null(storm);
	atomic_init(&storm->tasks, 0);
	for (int i = 0; i < files; i++) {
		file_ref_init(&storm->files[i].ref);
		atomic_init(&storm->files[i].holders, 0);
		atomic_init(&storm->files[i].freed, 0);
	}
	return storm;
}

static void
storm_end(struct storm *storm, int files)
{
	arena_free(storm, storm_size(files));
	harness_shutdown();
}

static void
last_put_frees_exactly_once(int choice)
{
	int tasks = harness_many_tasks(MOST_TASKS);
	struct storm *storm = storm_begin(choice, tasks, FILES);

	harness_run(tasks, storm_body, storm);
	for (int i = 0; i < FILES; i++) {
		assert_int_equal(atomic_read(&storm->files[i].freed), 1);
		assert_int_equal(file_ref_read(&storm->files[i].ref), 0);
	}
	storm_end(storm, FILES);
}

/* 161 references do not fit into 128; a bare count of eight bits holds 255. */
static void
many_references(int choice)
{
	bool saturates = choice == file_ref_file_ref;
	struct storm *storm = storm_begin(choice, SATURATING_TASKS, 1);
	struct fake_file *file = &storm->files[0];

	harness_run(SATURATING_TASKS, saturate_body, storm);
	release(file, file_ref_put_close(&file->ref));
	assert_int_equal(atomic_read(&file->freed), !saturates);
	if (saturates)
		assert_int_equal(READ_ONCE(file->ref.counter), FILE_REF_SATURATED);
	else
		assert_int_equal(file_ref_read(&file->ref), 0);
	storm_end(storm, 1);
}

static void
for_each_choice(void (*contract)(int choice))
{
	for (int choice = 0; choice < harness_choices(POLICY_file_ref); choice++)
		contract(choice);
}

static void
freed_exactly_once(void **state)
{
	for_each_choice(last_put_frees_exactly_once);
}

static void
many_references_saturate_or_are_counted(void **state)
{
	for_each_choice(many_references);
}

/* 31 strays turn DEAD (0xe0) into NOREF (0xff); the last safe one is the 30th. */
static void
strays_have_slack(void **state)
{
	file_ref_t ref = { FILE_REF_DEAD };

	for (int i = 0; i < 30; i++)
		assert_false(file_ref_get(&ref));
	assert_int_equal(file_ref_read(&ref), 0);
	assert_int_equal(ref.counter, -2);
}

/* Nothing that happens to dead memory changes what it will be. */
static void
a_get_of_the_dead_fails(int choice)
{
	file_ref_t ref;

	policy_value[POLICY_file_ref] = choice;
	file_ref_init_dead(&ref);
	assert_false(file_ref_get(&ref));
	assert_false(file_ref_get(&ref));
	assert_int_equal(file_ref_read(&ref), 0);
	file_ref_init(&ref);
	assert_true(file_ref_get(&ref));
	file_ref_inc(&ref);
	assert_int_equal(file_ref_read(&ref), 3);
	assert_false(file_ref_put(&ref));
	assert_false(file_ref_put_close(&ref));
	assert_true(file_ref_put_close(&ref));
	assert_false(file_ref_get(&ref));
	assert_int_equal(file_ref_read(&ref), 0);
	policy_value[POLICY_file_ref] = file_ref_file_ref;
}

static void
dead_before_and_after(void **state)
{
	for_each_choice(a_get_of_the_dead_fails);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freed_exactly_once),
		cmocka_unit_test(many_references_saturate_or_are_counted),
		cmocka_unit_test(strays_have_slack),
		cmocka_unit_test(dead_before_and_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
