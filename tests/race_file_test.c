/*
 * race_file_test.c - directed races on open files and descriptor tables
 *
 * Goal: the windows that file_ref.c, fdget.c and fdtable.h describe in tables
 * end as written there. Method: a script halts one CPU in the window, lets the
 * other one through, and goes on. Virtual kind only.
 */
#include <errno.h>

#include "machine/arena.h"
#include "tests/vfs_race.h"
#include "vfs/fdget.h"

/* What the tasks of a race on a bare count see; each writes its own. */
struct count_race {
	file_ref_t ref;
	bool freed[2];
	bool got;
};

/* T1 drops the only reference. */
static void
put_body(void *arg)
{
	struct count_race *race = arg;

	race->freed[T1] = file_ref_put(&race->ref);
}

/* T2 gets one meanwhile, and drops it again. */
static void
get_put_body(void *arg)
{
	struct count_race *race = arg;

	race->got = file_ref_get(&race->ref);
	if (race->got)
		race->freed[T2] = file_ref_put(&race->ref);
}

/*
 * Run T1 until it is about to make its second access to the count, the cmpxchg
 * from NOREF to DEAD; then T2 until its @nth; then T1, then T2 to their ends.
 */
static struct count_race
run_count_race(int nth)
{
	struct count_race *race;
	struct count_race seen;

	harness_boot(&(struct harness){ .tasks = 2, .no_pagecache = true });
	race = arena_alloc(sizeof(*race), CACHE_LINE, 0);
	memset(race, 0, sizeof(*race));

	const struct script_stop stops[] = {
		{ T1, SCRIPT_RMW, &race->ref, 2 },
		{ T2, SCRIPT_RMW, &race->ref, nth },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};

	RACE(stops, race, put_body, get_put_body);
	seen = *race;
	arena_free(race, sizeof(*race));
	harness_shutdown();
	return seen;
}

/* T2 has its reference when T1 looks: T1 must not free, T2's put must. */
static void
get_in_the_window_keeps_the_file(void **state)
{
	struct count_race seen = run_count_race(2);

	assert_true(seen.got);
	assert_false(seen.freed[T1]);
	assert_true(seen.freed[T2]);
	assert_int_equal(file_ref_read(&seen.ref), 0);
}

/* T2 has dropped it again when T1 looks: both find NOREF, one of them frees. */
static void
two_puts_at_noref_free_once(void **state)
{
	struct count_race seen = run_count_race(3);

	assert_true(seen.got);
	assert_true(seen.freed[T1]);
	assert_false(seen.freed[T2]);
	assert_int_equal(file_ref_read(&seen.ref), 0);
}

/* A race on a table that two threads share; descriptors 0 to 3 are open. */
struct table_race {
	ssize_t read;		/* the byte that somebody's pread found, or its error */
	struct file *reused;	/* what T2 has open when it is done */
};

static void
four_files_body(void *arg)
{
	char path[] = "/0";

	for (int i = 0; i < 4; i++) {
		path[1] = (char)('0' + i);
		vfs_harness_file(path, 64, path[1]);
		EXPECT_EQUAL(vfs_harness_open(path, O_RDONLY), i);
	}
	*(struct files_struct **)arg = current->files;
}

/* Begin a table race under @file_ref: boot, four files. Return: the table. */
static struct files_struct *
table_race_begin(int file_ref)
{
	struct files_struct *files = NULL;

	policy_value[POLICY_file_ref] = file_ref;
	vfs_harness_boot(2);
	vfs_harness_init(four_files_body, &files);
	return files;
}

static void
table_race_run(const struct script_stop *stops, int count, race_body t1, race_body t2,
	       struct table_race *race)
{
	vfs_race_run(TASK_THREAD, stops, count, t1, t2, race);
	vfs_harness_shutdown();
}

static void
pread_3_body(void *arg)
{
	struct table_race *race = arg;
	char byte = 0;

	race->read = sys_pread(3, &byte, 1, 0);
	if (race->read == 1)
		race->read = byte;
}

/* Free 2, then 3, so that the next open is descriptor 2 in 3's memory. */
static void
reuse_elsewhere_body(void *arg)
{
	struct table_race *race = arg;

	EXPECT_EQUAL(sys_close(2), 0);
	EXPECT_EQUAL(sys_close(3), 0);
	EXPECT_EQUAL(sys_open("/1", O_RDONLY, 0), 2);
	race->reused = current->files->fd_array[2];
}

/* Free 3 alone: the next open is descriptor 3 again, in the same memory. */
static void
reuse_in_place_body(void *arg)
{
	struct table_race *race = arg;

	EXPECT_EQUAL(sys_close(3), 0);
	EXPECT_EQUAL(sys_open("/1", O_RDONLY, 0), 3);
	race->reused = current->files->fd_array[3];
}

/*
 * T1 has loaded slot 3 and is about to take its reference; T2 closes it and
 * opens another file. Return: what T1 read in the end.
 */
static ssize_t
read_while_reused(void (*reuse)(void *arg), int file_ref)
{
	struct files_struct *files = table_race_begin(file_ref);
	struct file *file = files->fd_array[3];
	const struct script_stop stops[] = {
		{ T1, SCRIPT_RMW, &file->f_ref, 1 },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};
	struct table_race race = { 0 };

	table_race_run(stops, ARRAY_SIZE(stops), pread_3_body, reuse, &race);
#ifndef POISON /* there, freed memory rests before it is used again */
	assert_ptr_equal(race.reused, file);
#endif
	return race.read;
}

/* The reference lands on descriptor 2's file: noticed, dropped, and 3 is not open. */
static void
memory_reused_under_another_descriptor(void **state)
{
	assert_int_equal(read_while_reused(reuse_elsewhere_body, file_ref_file_ref), -EBADF);
	assert_int_equal(read_while_reused(reuse_elsewhere_body, file_ref_inc_not_zero), -EBADF);
}

/* The reference lands on descriptor 3's new file, and that is what 3 means now. */
static void
memory_reused_under_the_same_descriptor(void **state)
{
	assert_int_equal(read_while_reused(reuse_in_place_body, file_ref_file_ref), '1');
	assert_int_equal(read_while_reused(reuse_in_place_body, file_ref_inc_not_zero), '1');
}

static void
grow_to_128_body(void *arg)
{
	while (sys_open("/0", O_RDONLY, 0) < NR_OPEN_DEFAULT)
		continue;
}

/*
 * T2 is past its grace period and about to publish the new table when T1 looks
 * slot 3 up; T1 has its reference and is about to look at the table again.
 */
static void
table_replaced_during_a_lookup(void **state)
{
	struct files_struct *files = table_race_begin(file_ref_file_ref);
	const struct script_stop stops[] = {
		{ T2, SCRIPT_STORE, &files->fdt, 1 },
		{ T1, SCRIPT_LOAD, &files->fdt, 2 },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};
	struct table_race race = { 0 };

	table_race_run(stops, ARRAY_SIZE(stops), pread_3_body, grow_to_128_body, &race);
	assert_int_equal(race.read, '3');
}

/* T1 opens descriptor 4 and has nothing else to do. */
static void
open_4_body(void *arg)
{
	EXPECT_EQUAL(sys_open("/0", O_RDONLY, 0), 4);
}

static void
grow_and_pread_4_body(void *arg)
{
	struct table_race *race = arg;
	char byte = 0;

	grow_to_128_body(NULL);
	race->read = sys_pread(4, &byte, 1, 0);
	if (race->read == 1)
		race->read = byte;
}

/*
 * T1 has seen that no resize is in progress and is about to load the table that
 * it will install into; T2 makes the table grow, which must wait for T1.
 */
static void
install_while_the_table_grows(void **state)
{
	struct files_struct *files = table_race_begin(file_ref_file_ref);
	const struct script_stop stops[] = {
		{ T1, SCRIPT_LOAD, &files->fdt, 2 }, /* the first one is alloc_fd()'s */
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};
	struct table_race race = { 0 };

	table_race_run(stops, ARRAY_SIZE(stops), open_4_body, grow_and_pread_4_body, &race);
	assert_int_equal(race.read, '0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_in_the_window_keeps_the_file),
		cmocka_unit_test(two_puts_at_noref_free_once),
		cmocka_unit_test(memory_reused_under_another_descriptor),
		cmocka_unit_test(memory_reused_under_the_same_descriptor),
		cmocka_unit_test(table_replaced_during_a_lookup),
		cmocka_unit_test(install_while_the_table_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
