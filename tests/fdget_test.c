/*
 * fdget_test.c - finding files through descriptors that others change
 *
 * Goal: a descriptor leads to the file that it means or to none, whatever is
 * closed, opened and grown meanwhile; a task that is alone borrows, others
 * count; growing does not wait for sleepers. Method: many threads on one table.
 */
#include <errno.h>
#include <limits.h>

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/random.h"
#include "machine/runtime.h"
#include "pagecache/folio_wait.h"
#include "tests/vfs_harness.h"
#include "vfs/fdget.h"

#define FILES 8
#define ROUNDS 400

/* A zeroed counter on a line of the arena, so that tasks can wait for it. */
static atomic_t *
counter_create(void)
{
	atomic_t *counter = arena_alloc(CACHE_LINE, CACHE_LINE, 0);

	assert_non_null(counter);
	atomic_init(counter, 0);
	return counter;
}

static void
counter_destroy(atomic_t *counter)
{
	arena_free(counter, CACHE_LINE);
}

static void
arrive_and_wait(atomic_t *counter, int for_how_many)
{
	atomic_inc(counter);
	smp_cond_load_acquire(&counter->counter, VAL >= for_how_many);
}

static void
one_file_body(void *arg)
{
	vfs_harness_file("/file", 4096, 'x');
	EXPECT_EQUAL(sys_open("/file", O_RDWR, 0), 0);
}

/* What fdget() does to descriptor 0's count, and whether it is to be dropped. */
static void
expect_fdget(u64 references, bool counted)
{
	struct fd f = fdget(0);

	EXPECT_EQUAL(file_ref_read(&fd_file(f)->f_ref), references);
	EXPECT_EQUAL((f.word & FDPUT_FPUT) != 0, counted);
	fdput(f);
}

static void
alone_body(void *arg)
{
	EXPECT_EQUAL(atomic_read(&current->files->count), 1);
	expect_fdget(1, false);
	policy_value[POLICY_fdget] = fdget_full;
	expect_fdget(2, true);
	policy_value[POLICY_fdget] = fdget_light;
	EXPECT(!fd_file(fdget(1)));
	EXPECT(!fd_file(fdget(64)));
	EXPECT(!fd_file(fdget(-1u)));
}

static void
lonely_task_borrows(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(one_file_body, NULL);
	vfs_harness_run(TASK_THREAD, 1, alone_body, NULL);
	vfs_harness_shutdown();
}

static void
threads_body(void *arg)
{
	struct fd f;

	arrive_and_wait(arg, 2);
	f = fdget(0);
	EXPECT(f.word & FDPUT_FPUT);
	fdput(f);
	/* Nobody leaves, and so leaves the other alone, before both have looked. */
	arrive_and_wait(arg, 4);
}

static void
threads_count(void **state)
{
	atomic_t *arrived;

	vfs_harness_boot(2);
	arrived = counter_create();
	vfs_harness_init(one_file_body, NULL);
	vfs_harness_run(TASK_THREAD, 2, threads_body, arrived);
	counter_destroy(arrived);
	vfs_harness_shutdown();
}

/* Each process has its own table; both lead to the same file. */
static void
process_body(void *arg)
{
	EXPECT_EQUAL(atomic_read(&current->files->count), 1);
	arrive_and_wait(arg, 2);
	expect_fdget(2, false);
	arrive_and_wait(arg, 4);
}

static void
processes_borrow(void **state)
{
	atomic_t *arrived;

	vfs_harness_boot(2);
	arrived = counter_create();
	vfs_harness_init(one_file_body, NULL);
	vfs_harness_run(TASK_PROCESS, 2, process_body, arrived);
	counter_destroy(arrived);
	vfs_harness_shutdown();
}

static void
many_files_body(void *arg)
{
	char path[] = "/0";

	for (int i = 0; i < FILES; i++) {
		path[1] = (char)('0' + i);
		vfs_harness_file(path, 64, path[1]);
	}
}

/* Read 64 bytes: all of one file. Return: false if @fd is not open. */
static bool
read_whole(int fd)
{
	char buffer[64];
	ssize_t got = sys_pread(fd, buffer, sizeof(buffer), 0);

	if (got == -EBADF)
		return false;
	EXPECT_EQUAL(got, 64);
	for (int i = 1; i < 64; i++)
		EXPECT_EQUAL(buffer[i], buffer[0]);
	EXPECT(buffer[0] >= '0' && buffer[0] < '0' + FILES);
	return true;
}

/* Open, read and close at random descriptors of a table that all share. */
static void
churn_body(void *arg)
{
	atomic_t *tasks = arg;
	struct random_stream random;
	char path[] = "/0";

	random_init(&random, (u64)atomic_fetch_add(1, tasks), "churn");
	for (int i = 0; i < ROUNDS; i++) {
		int fd = (int)random_below(&random, 12);

		switch (random_below(&random, 4)) {
		case 0:
			path[1] = (char)('0' + random_below(&random, FILES));
			EXPECT(sys_open(path, O_RDONLY, 0) >= 0);
			break;
		case 1:
			fd = sys_close(fd);
			EXPECT(fd == 0 || fd == -EBADF);
			break;
		default:
			read_whole(fd);
			break;
		}
	}
}

static void
close_and_reopen_never_mix_files_up(void **state)
{
	int tasks = harness_many_tasks(INT_MAX);
	atomic_t *number;

	vfs_harness_boot(tasks);
	number = counter_create();
	vfs_harness_init(many_files_body, NULL);
	vfs_harness_run(TASK_THREAD, tasks, churn_body, number);
	assert_int_equal(percpu_counter_sum(&kernel.vfs->nr_files), 0);
	counter_destroy(number);
	vfs_harness_shutdown();
}

/* Everybody opens more than the table holds, looks up, and closes. */
static void
grow_body(void *arg)
{
	int fds[100];

	for (int i = 0; i < 100; i++) {
		fds[i] = vfs_harness_open("/0", O_RDONLY);
		EXPECT(read_whole(fds[i]));
	}
	for (int i = 0; i < 100; i++)
		EXPECT_EQUAL(sys_close(fds[i]), 0);
}

static void
growth_loses_nothing(void **state)
{
	int tasks = harness_many_tasks(INT_MAX);

	vfs_harness_boot(tasks);
	vfs_harness_init(many_files_body, NULL);
	vfs_harness_run(TASK_THREAD, tasks, grow_body, NULL);
	assert_int_equal(percpu_counter_sum(&kernel.vfs->nr_files), 0);
	vfs_harness_shutdown();
}

/*
 * One task holds the folio's lock and makes the table grow, which waits for a
 * grace period; the others sleep on that folio in pread.
 */
static void
hold_and_grow(atomic_t *locked)
{
	struct file *file = fget_raw(0);
	struct folio *folio = filemap_get_entry(file->f_mapping, 0);

	folio_lock(folio);
	atomic_inc(locked);
	runtime_work_ns(1000000); /* let them go to sleep */
	for (int i = 1; i < 200; i++)
		EXPECT_EQUAL(vfs_harness_open("/file", O_RDONLY), i);
	EXPECT_EQUAL(current->files->fdt->max_fds, 256);
	folio_unlock(folio);
	folio_put(folio);
	fput(file);
}

static void
sleepers_body(void *arg)
{
	atomic_t *arrived = arg;
	atomic_t *locked = arrived + 1;
	char byte;

	if (!atomic_fetch_add(1, arrived)) {
		hold_and_grow(locked);
		return;
	}
	smp_cond_load_acquire(&locked->counter, VAL);
	EXPECT_EQUAL(sys_pread(0, &byte, 1, 0), 1);
	EXPECT_EQUAL(byte, 'x');
}

static void
growth_does_not_wait_for_sleepers(void **state)
{
	int tasks = harness_many_tasks(INT_MAX);
	atomic_t *counter;

	vfs_harness_boot(tasks);
	counter = counter_create();
	atomic_init(&counter[1], 0);
	vfs_harness_init(one_file_body, NULL);
	vfs_harness_run(TASK_THREAD, tasks, sleepers_body, counter);
	counter_destroy(counter);
	vfs_harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lonely_task_borrows),
		cmocka_unit_test(threads_count),
		cmocka_unit_test(processes_borrow),
		cmocka_unit_test(close_and_reopen_never_mix_files_up),
		cmocka_unit_test(growth_loses_nothing),
		cmocka_unit_test(growth_does_not_wait_for_sleepers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
