/*
 * open_test.c - which paths and flags can be opened, and what comes instead
 *
 * Goal: results and errors of open and close are Linux's. Method: a table
 * written out by hand, and random calls compared with the host's own tmpfs.
 */
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "machine/random.h"
#include "tests/tmpfs_twin.h"
#include "tests/vfs_harness.h"
#include "vfs/fdtable.h"

#define RANDOM_OPENS 2000

/* One boot, one task. */
static void
table_body(void *arg)
{
	static const struct {
		const char *path;
		int flags;
		int result; /* 0: a descriptor */
	} cases[] = {
		{ "/file", O_RDONLY, 0 },
		{ "//file", O_RDWR, 0 },
		{ "/./../file", O_RDONLY, 0 },
		{ "/file", O_CREAT | O_RDWR, 0 },
		{ "/file", O_EXCL, 0 },	/* without O_CREAT it says nothing */
		{ "/file", O_CREAT | O_EXCL, -EEXIST },
		{ "/file", O_RDWR | O_WRONLY, -EINVAL },
		{ "/file", O_DIRECT, -EINVAL },
		{ "/nothing", O_RDWR, -ENOENT },
		{ "", O_RDONLY, -ENOENT },
		{ "/file/", O_RDONLY, -ENOTDIR },
		{ "/file/x", O_RDONLY, -ENOTDIR },
		{ "/file/.", O_RDONLY, -ENOTDIR },
		{ "/nothing/x", O_CREAT | O_RDWR, -ENOENT },
		{ "/new/", O_CREAT | O_RDWR, -EISDIR },
		{ "/", O_RDONLY, 0 },
		{ "/..", O_RDONLY, 0 },
		{ "/", O_RDWR, -EISDIR },
		{ "/", O_WRONLY, -EISDIR },
		{ "/", O_CREAT, -EISDIR },
		{ "/", O_CREAT | O_EXCL, -EEXIST },
	};

	vfs_harness_file("/file", 10, 'x');
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int result = sys_open(cases[i].path, cases[i].flags, 0644);

		BUG_ON(result != cases[i].result, "open(\"%s\", %#o) is %d and not %d",
		       cases[i].path, (unsigned int)cases[i].flags, result, cases[i].result);
		if (result >= 0)
			EXPECT_EQUAL(sys_close(result), 0);
	}
}

static void
paths_and_flags(void **state)
{
	vfs_harness_alone(table_body, NULL);
}

static void
long_names_body(void *arg)
{
	char path[PATH_MAX + 2];

	memset(path, 'n', sizeof(path));
	path[0] = '/';
	path[1 + 255] = '\0';
	EXPECT_EQUAL(sys_open(path, O_CREAT | O_RDWR, 0644), 0);
	path[1 + 255] = 'n';
	path[1 + 256] = '\0';
	EXPECT_EQUAL(sys_open(path, O_CREAT | O_RDWR, 0644), -ENAMETOOLONG);
	memset(path, '/', sizeof(path));
	path[PATH_MAX - 1] = '\0';
	EXPECT_EQUAL(sys_open(path, O_RDONLY, 0), 1); /* 4095 slashes: the root */
	path[PATH_MAX - 1] = '/';
	path[PATH_MAX] = '\0';
	EXPECT_EQUAL(sys_open(path, O_RDONLY, 0), -ENAMETOOLONG);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(sys_close(1), 0);
}

static void
names_of_255_and_paths_of_4095(void **state)
{
	vfs_harness_alone(long_names_body, NULL);
}

static void
close_body(void *arg)
{
	EXPECT_EQUAL(sys_close(0), -EBADF);
	EXPECT_EQUAL(sys_close(-1), -EBADF);
	EXPECT_EQUAL(sys_close(INT_MAX), -EBADF);
	EXPECT_EQUAL(vfs_harness_open("/a", O_CREAT | O_RDWR), 0);
	EXPECT_EQUAL(vfs_harness_open("/b", O_CREAT | O_RDWR), 1);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(sys_close(0), -EBADF);
	EXPECT_EQUAL(vfs_harness_open("/b", O_RDONLY), 0);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(sys_close(1), 0);
}

static void
close_frees_the_descriptor_once(void **state)
{
	vfs_harness_alone(close_body, NULL);
}

static void
trunc_body(void *arg)
{
	char byte;
	int fd;

	vfs_harness_file("/file", 5000, 'x');
	fd = vfs_harness_open("/file", O_RDWR | O_TRUNC);
	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), 0);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
trunc_empties_the_file(void **state)
{
	vfs_harness_alone(trunc_body, NULL);
}

static void
become(uid_t uid)
{
	struct cred *cred = prepare_creds();

	cred->uid = uid;
	cred->euid = uid;
	cred->fsuid = uid;
	commit_creds(cred);
}

/*
 * The limit counts open files; an open that fails for another reason counts
 * nothing; root may open more. A CPU carries its count over in batches, so that with
 * one CPU a limit of one batch is exact.
 */
static void
enfile_body(void *arg)
{
	int limit = kernel.vfs->nr_files.batch;

	kernel.vfs->max_files = limit;
	for (int fd = 0; fd < limit; fd++)
		EXPECT_EQUAL(vfs_harness_open("/file", O_CREAT | O_RDWR), fd);
	EXPECT_EQUAL(percpu_counter_sum(&kernel.vfs->nr_files), limit);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), limit);
	EXPECT_EQUAL(sys_close(limit), 0);
	become(1000);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), -ENFILE);
	EXPECT_EQUAL(sys_close(1), 0);
	EXPECT_EQUAL(sys_open("/nothing", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), 1);
}

static void
enfile_at_the_limit(void **state)
{
	vfs_harness_alone(enfile_body, NULL);
}

/* An open file holds its dentry and its opener's credentials; close lets both go. */
static void
references_body(void *arg)
{
	struct inode *inode;
	int fd = vfs_harness_open("/file", O_CREAT | O_RDWR);
	int reader = vfs_harness_open("/file", O_RDONLY);

	inode = current->files->fd_array[fd]->f_inode;
	EXPECT_EQUAL(atomic_read(&inode->i_count), 1); /* the dentry's */
	EXPECT_EQUAL(d_count(inode->i_dentry), 3); /* two files and the name */
	EXPECT_EQUAL(inode->i_nlink, 1);
	EXPECT_EQUAL(atomic_read(&inode->i_writecount), 1);
	EXPECT_EQUAL(atomic_read(&inode->i_readcount), 1);
	EXPECT_EQUAL(atomic64_read(&current->cred->usage), 3);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_close(reader), 0);
	EXPECT_EQUAL(d_count(inode->i_dentry), 1);
	EXPECT_EQUAL(atomic_read(&inode->i_writecount), 0);
	EXPECT_EQUAL(atomic_read(&inode->i_readcount), 0);
	EXPECT_EQUAL(atomic64_read(&current->cred->usage), 1);
}

static void
open_holds_dentry_and_credentials(void **state)
{
	vfs_harness_alone(references_body, NULL);
}

#if defined(POISON) && (defined(MACHINE_VIRTUAL) || defined(__SANITIZE_ADDRESS__))
/* A pointer that outlives its reference, looked at after the grace period. */
static void
stale_pointer_body(void *arg)
{
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);
	struct file *file = file_close_fd((unsigned int)fd);

	fput_close(file);
	rcu_barrier();
	EXPECT_EQUAL(file->f_mode & FMODE_READ, FMODE_READ);
}

/* In a child with its stderr in a pipe, where the sanitizer writes, too. */
static void
use_after_close_is_caught(void **state)
{
	char message[8192] = "";
	size_t used = 0;
	ssize_t got;
	int fds[2];
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		dup2(fds[1], STDERR_FILENO);
		vfs_harness_alone(stale_pointer_body, NULL);
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], message + used, sizeof(message) - 1 - used)) > 0)
		used += (size_t)got;
	close(fds[0]);
	waitpid(child, NULL, 0);
	assert_non_null(strstr(message, harness_is_virtual() ? "use after free of file: 4 bytes" :
							       "use-after-poison"));
}
#else
static void
use_after_close_is_caught(void **state)
{
	skip(); /* needs poison and somebody who looks */
}
#endif

static const char *const paths[] = { "/a", "/b", "/c", "/d", "//a", "/a/", "/b/c", "/c/.", "/",
				     "/.", "/n/x", "" };
static const int flags[] = { 0, O_CREAT, O_CREAT | O_EXCL, O_EXCL, O_TRUNC, O_CREAT | O_TRUNC,
			     O_CLOEXEC };
static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };

static void
random_opens_body(void *arg)
{
	const struct twin *twin = arg;
	struct random_stream random;

	random_init(&random, 1, "open");
	for (int i = 0; i < RANDOM_OPENS; i++) {
		const char *path = paths[random_below(&random, ARRAY_SIZE(paths))];
		int flag = flags[random_below(&random, ARRAY_SIZE(flags))] |
			   modes[random_below(&random, ARRAY_SIZE(modes))];
		int theirs = twin_open(twin, path, flag, 0644);
		int ours = sys_open(path, flag, 0644);

		BUG_ON(min(ours, 0) != min(theirs, 0), "open(\"%s\", %#o) is %d and not %d", path,
		       (unsigned int)flag, ours, theirs);
		if (ours < 0)
			continue;
		EXPECT_EQUAL(sys_close(ours), 0);
		close(theirs);
	}
}

static void
random_opens_agree_with_tmpfs(void **state)
{
	struct twin twin;

	if (!twin_create(&twin))
		skip();
	vfs_harness_alone(random_opens_body, &twin);
	for (int i = 0; i < 4; i++)
		twin_unlink(&twin, paths[i]);
	twin_destroy(&twin);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_and_flags),
		cmocka_unit_test(names_of_255_and_paths_of_4095),
		cmocka_unit_test(close_frees_the_descriptor_once),
		cmocka_unit_test(trunc_empties_the_file),
		cmocka_unit_test(enfile_at_the_limit),
		cmocka_unit_test(open_holds_dentry_and_credentials),
		cmocka_unit_test(use_after_close_is_caught),
		cmocka_unit_test(random_opens_agree_with_tmpfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
