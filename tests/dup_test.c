/*
 * dup_test.c - dup, dup2, and files whose last reference is not dropped by close
 *
 * Goal: several descriptors are one file, with one position; results and errors
 * are Linux's; a file is undone once, at the end of the system call that dropped
 * its last reference, or at once by close. Method: cases worked out by hand, random
 * calls beside the host's, and threads that dup, close and open all at once.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "machine/arena.h"
#include "machine/random.h"
#include "tests/vfs_harness.h"
#include "vfs/fdget.h"

#define STEPS 4000
#define FDS 80 /* beyond the embedded table */

static u64
references(int fd)
{
	return file_ref_read(&current->files->fdt->fd[fd]->f_ref);
}

static void
dup_body(void *arg)
{
	char byte;

	vfs_harness_file("/file", 3, 'x');
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR), 0);
	EXPECT_EQUAL(sys_pwrite(0, "abc", 3, 0), 3);
	EXPECT_EQUAL(sys_dup(0), 1);
	EXPECT_EQUAL(references(0), 2);
	EXPECT_EQUAL(sys_read(0, &byte, 1), 1);
	EXPECT_EQUAL(sys_read(1, &byte, 1), 1);
	EXPECT_EQUAL(byte, 'b'); /* one position for both */
	EXPECT_EQUAL(sys_lseek(0, 0, SEEK_CUR), 2);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(references(1), 1);
	EXPECT_EQUAL(sys_read(1, &byte, 1), 1);
	EXPECT_EQUAL(byte, 'c');
	EXPECT_EQUAL(sys_dup(0), -EBADF);
	EXPECT_EQUAL(sys_dup(-1), -EBADF);
	kernel.vfs->nr_open = 3;
	EXPECT_EQUAL(sys_dup(1), 0);
	EXPECT_EQUAL(sys_dup(1), 2);
	EXPECT_EQUAL(sys_dup(1), -EMFILE);
	EXPECT_EQUAL(references(1), 3);
}

static void
one_file_one_position(void **state)
{
	vfs_harness_alone(dup_body, NULL);
}

static void
dup2_body(void *arg)
{
	struct files_struct *files = current->files;
	struct inode *first;

	EXPECT_EQUAL(vfs_harness_open("/a", O_RDWR | O_CREAT), 0);
	EXPECT_EQUAL(vfs_harness_open("/b", O_RDWR | O_CREAT), 1);
	first = files->fd_array[0]->f_inode;
	EXPECT_EQUAL(sys_dup2(0, 0), 0);
	EXPECT_EQUAL(sys_dup2(7, 7), -EBADF);
	EXPECT_EQUAL(sys_dup2(7, 1), -EBADF);
	EXPECT_EQUAL(sys_dup2(-1, 1), -EBADF);
	EXPECT_EQUAL(sys_dup2(0, -1), -EBADF);
	EXPECT_EQUAL(sys_dup2(0, NR_OPEN_MAX), -EBADF);
	EXPECT(files->fd_array[1]->f_inode != first); /* what fails replaces nothing */
	EXPECT_EQUAL(percpu_counter_sum(&kernel.vfs->nr_files), 2);

	EXPECT_EQUAL(sys_dup2(0, 1), 1);
	EXPECT(files->fd_array[1] == files->fd_array[0]);
	EXPECT_EQUAL(percpu_counter_sum(&kernel.vfs->nr_files), 1); /* /b is closed */
	EXPECT_EQUAL(references(0), 2);
	EXPECT_EQUAL(sys_dup2(0, 1000), 1000); /* the table grows */
	EXPECT_EQUAL(files->fdt->max_fds, 1024);
	EXPECT_EQUAL(references(1000), 3);
	EXPECT_EQUAL(sys_dup(0), 2); /* 1000 is not where to look next */

	/* Reserved, and not installed yet. */
	EXPECT_EQUAL(get_unused_fd_flags(0), 3);
	EXPECT_EQUAL(sys_dup2(0, 3), -EBUSY);
	EXPECT_EQUAL(references(0), 4);
	put_unused_fd(3);
	EXPECT_EQUAL(sys_dup2(0, 3), 3);
}

static void
dup2_replaces(void **state)
{
	vfs_harness_alone(dup2_body, NULL);
}

/* A close that leaves another reference, which is dropped in a later call. */
static void
deferred_body(void *arg)
{
	struct percpu_counter *open = &kernel.vfs->nr_files;
	struct file *file;
	struct stat stat;

	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), 0);
	file = fget_raw(0);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(percpu_counter_sum(open), 1);
	spin_lock(&current->files->file_lock);
	fput(file); /* the last one, under a spinlock */
	spin_unlock(&current->files->file_lock);
	EXPECT_EQUAL(percpu_counter_sum(open), 1);
	EXPECT_EQUAL(sys_fstat(99, &stat), -EBADF); /* any call will do */
	EXPECT_EQUAL(percpu_counter_sum(open), 0);

	/* At the end of the task, if no call comes. */
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR), 0);
	file = fget_raw(0);
	EXPECT_EQUAL(sys_close(0), 0);
	fput(file);
}

static void
the_last_put_waits_for_the_end_of_the_call(void **state)
{
	for (int choice = 0; choice < 2; choice++) {
		policy_value[POLICY_close_fput] = choice;
		vfs_harness_alone(deferred_body, NULL);
	}
}

/* Drop the last reference on a file between two calls. */
static void
put_between_calls(void)
{
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);
	struct file *file = fget_raw((unsigned int)fd);

	EXPECT_EQUAL(sys_close(fd), 0);
	fput(file);
	EXPECT_EQUAL(percpu_counter_sum(&kernel.vfs->nr_files), 1);
}

/* A call that fails ends as any other does. */
#define EXPECT_UNDONE_BY(call)                                                                     \
	do {                                                                                       \
		put_between_calls();                                                               \
		(void)(call);                                                                      \
		BUG_ON(percpu_counter_sum(&kernel.vfs->nr_files), "not undone by %s", #call);      \
	} while (0)

static void
every_call_body(void *arg)
{
	char buffer[64];
	struct stat stat;

	EXPECT_UNDONE_BY(sys_open("/none", O_RDONLY, 0));
	EXPECT_UNDONE_BY(sys_creat("/", 0644));
	EXPECT_UNDONE_BY(sys_close(99));
	EXPECT_UNDONE_BY(sys_mkdir("/", 0755));
	EXPECT_UNDONE_BY(sys_symlink("x", "/"));
	EXPECT_UNDONE_BY(sys_rmdir("/none"));
	EXPECT_UNDONE_BY(sys_unlink("/none"));
	EXPECT_UNDONE_BY(sys_rename("/none", "/other"));
	EXPECT_UNDONE_BY(sys_readlink("/none", buffer, sizeof(buffer)));
	EXPECT_UNDONE_BY(sys_chdir("/"));
	EXPECT_UNDONE_BY(sys_dup(99));
	EXPECT_UNDONE_BY(sys_dup2(99, 0));
	EXPECT_UNDONE_BY(sys_stat("/", &stat));
	EXPECT_UNDONE_BY(sys_lstat("/", &stat));
	EXPECT_UNDONE_BY(sys_fstat(99, &stat));
	EXPECT_UNDONE_BY(sys_access("/", F_OK));
	EXPECT_UNDONE_BY(sys_lseek(99, 0, SEEK_SET));
	EXPECT_UNDONE_BY(sys_read(99, buffer, 1));
	EXPECT_UNDONE_BY(sys_write(99, buffer, 1));
	EXPECT_UNDONE_BY(sys_pread(99, buffer, 1, 0));
	EXPECT_UNDONE_BY(sys_pwrite(99, buffer, 1, 0));
	EXPECT_UNDONE_BY(sys_truncate("/none", 0));
	EXPECT_UNDONE_BY(sys_ftruncate(99, 0));
	EXPECT_UNDONE_BY(sys_getdents64(99, buffer, sizeof(buffer)));
	EXPECT_UNDONE_BY(sys_mount("none", "/none", "tmpfs", 0, NULL));
	EXPECT_UNDONE_BY(sys_umount("/none"));
	EXPECT_UNDONE_BY(sys_umask(0022));
	EXPECT_UNDONE_BY(sys_file_node(99, 0));
}

static void
every_call_does_what_was_put_off(void **state)
{
	vfs_harness_alone(every_call_body, NULL);
}

static void
many_body(void *arg)
{
	char byte;
	int fd;

	vfs_harness_file("/file", 1, 'x');
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR), 0);
	for (fd = 1; fd < 10000; fd++)
		EXPECT_EQUAL(sys_dup(0), fd);
	EXPECT_EQUAL(references(9999), 10000);
	EXPECT_EQUAL(sys_pread(9999, &byte, 1, 0), 1);
	EXPECT_EQUAL(sys_close(5000), 0);
	EXPECT_EQUAL(sys_dup(9999), 5000);
	EXPECT_EQUAL(sys_dup(9999), 10000);
}

static void
ten_thousand_descriptors(void **state)
{
	for (int choice = 0; choice < 2; choice++) {
		policy_value[POLICY_fd_alloc] = choice;
		vfs_harness_alone(many_body, NULL);
	}
}

/* Random calls on few descriptors, on both kernels: theirs are numbered from @base. */
static void
random_body(void *arg)
{
	int base = *(const int *)arg;
	struct random_stream random;

	random_init(&random, 1, "dup");
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), 0);
	for (int i = 0; i < STEPS; i++) {
		int old = (int)random_below(&random, FDS);
		int new = (int)random_below(&random, FDS);
		int theirs;

		switch (random_below(&random, 3)) {
		case 0: {
			theirs = fcntl(base + old, F_DUPFD, base);
			EXPECT_EQUAL(sys_dup(old), theirs < 0 ? -errno : theirs - base);
			break;
		}
		case 1:
			theirs = dup2(base + old, base + new);
			EXPECT_EQUAL(sys_dup2(old, new), theirs < 0 ? -errno : theirs - base);
			break;
		default:
			/* Something must stay open. */
			if (!old)
				break;
			theirs = close(base + old);
			EXPECT_EQUAL(sys_close(old), theirs < 0 ? -errno : 0);
			break;
		}
	}
	for (int fd = 0; fd < FDS; fd++)
		close(base + fd);
}

static void
random_calls_agree_with_the_host(void **state)
{
	int base = 500;
	int fd = open("/dev/null", O_RDONLY);

	assert_int_equal(dup2(fd, base), base);
	close(fd);
	vfs_harness_alone(random_body, &base);
}

/* Every choice of how files are counted and descriptors found: nothing is lost. */
static void
churn_body(void *arg)
{
	atomic_t *number = arg;
	struct random_stream random;

	random_init(&random, (u64)atomic_fetch_add(1, number), "churn");
	for (int i = 0; i < 300; i++) {
		int old = (int)random_below(&random, 12);
		int new = (int)random_below(&random, 12);
		char byte = 0;
		ssize_t got;
		int fd;

		switch (random_below(&random, 5)) {
		case 0:
			EXPECT(sys_open("/file", O_RDONLY, 0) >= 0);
			break;
		case 1:
			fd = sys_dup(old);
			EXPECT(fd >= 0 || fd == -EBADF);
			break;
		case 2:
			fd = sys_dup2(old, random_below(&random, 50) ? new : new + 70);
			EXPECT(fd >= 0 || fd == -EBADF || fd == -EBUSY);
			break;
		case 3:
			fd = sys_close(old);
			EXPECT(fd == 0 || fd == -EBADF);
			break;
		default:
			got = sys_read(old, &byte, 1);
			EXPECT(got == -EBADF || got == 0 || (got == 1 && byte == 'x'));
			break;
		}
	}
}

static void
file_body(void *arg)
{
	vfs_harness_file("/file", 64, 'x');
}

static void
run_churn(void)
{
	int tasks = harness_many_tasks(16);
	atomic_t *number;

	vfs_harness_boot(tasks);
	number = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	atomic_init(number, 0);
	vfs_harness_init(file_body, NULL);
	vfs_harness_run(TASK_THREAD, tasks, churn_body, number);
	assert_int_equal(percpu_counter_sum(&kernel.vfs->nr_files), 0);
	arena_free(number, CACHE_LINE);
	vfs_harness_shutdown();
}

static void
threads_lose_no_file(void **state)
{
	static const int families[] = { POLICY_file_ref, POLICY_fd_alloc, POLICY_close_fput,
					POLICY_file_free, POLICY_file_layout };

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		for (int choice = 0; choice < harness_choices(families[i]); choice++) {
			policy_value[families[i]] = choice;
			run_churn();
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_one_position),
		cmocka_unit_test(dup2_replaces),
		cmocka_unit_test(the_last_put_waits_for_the_end_of_the_call),
		cmocka_unit_test(every_call_does_what_was_put_off),
		cmocka_unit_test(ten_thousand_descriptors),
		cmocka_unit_test(random_calls_agree_with_the_host),
		cmocka_unit_test(threads_lose_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
