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
		{ "/file", O_ACCMODE, 0 }, /* may be opened, but not read or written */
		{ "/file", O_APPEND | O_NONBLOCK | O_SYNC | O_ASYNC | O_NOCTTY, 0 },
		{ "/file", 1 << 30 | 1 << 3, 0 }, /* nobody knows these */
		{ "/file", O_DIRECT, 0 },
		{ "/", O_DIRECT, -EINVAL },
		{ "/file", O_DIRECT | O_DIRECTORY, -ENOTDIR },
		{ "/new", O_CREAT | O_DIRECTORY, -EINVAL },
		{ "/", O_TMPFILE | O_RDWR, -EOPNOTSUPP },
		{ "/", O_TMPFILE, -EINVAL },
		{ "/", (O_TMPFILE & ~O_DIRECTORY) | O_RDWR, -EINVAL },
		{ "/file", O_PATH | O_RDWR | O_TRUNC | O_DIRECT, 0 },
		{ "/file", O_PATH | O_CREAT | O_EXCL, 0 },
		{ "/nothing", O_PATH | O_CREAT, -ENOENT },
		{ "/file", O_PATH | O_DIRECTORY, -ENOTDIR },
		{ "/", O_PATH | O_CREAT | O_DIRECTORY, 0 },
		{ "/", O_PATH | O_RDWR, 0 },
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
		{ "/", O_ACCMODE, -EISDIR },
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
	vfs_harness_become(1000, 1000);
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

/* O_PATH asks for no permission and gives none: few calls take such a descriptor. */
static void
path_only_body(void *arg)
{
	struct inode *inode;
	struct stat stat;
	char byte = 0;
	int fd, link;

	EXPECT_EQUAL(sys_close(sys_open("/file", O_CREAT | O_EXCL | O_RDWR, 0)), 0);
	EXPECT_EQUAL(sys_symlink("file", "/link"), 0);
	vfs_harness_become(1000, 1000);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), -EACCES);
	fd = vfs_harness_open("/link", O_PATH | O_RDWR | O_TRUNC);
	inode = current->files->fd_array[fd]->f_inode;
	EXPECT_EQUAL(atomic_read(&inode->i_writecount), 0);
	EXPECT_EQUAL(atomic_read(&inode->i_readcount), 0);
	EXPECT_EQUAL(sys_read(fd, &byte, 1), -EBADF);
	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_write(fd, &byte, 1), -EBADF);
	EXPECT_EQUAL(sys_pwrite(fd, &byte, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_SET), -EBADF);
	EXPECT_EQUAL(sys_ftruncate(fd, 0), -EBADF);
	EXPECT_EQUAL(sys_ftruncate(fd, -1), -EINVAL); /* the length is looked at first */
	EXPECT_EQUAL(sys_getdents64(fd, &byte, 1), -EBADF);
	EXPECT_EQUAL(sys_file_node(fd, 0), -EBADF);
	EXPECT_EQUAL(sys_fstat(fd, &stat), 0);
	EXPECT_EQUAL(stat.st_mode, S_IFREG);
	EXPECT_EQUAL(sys_dup(fd), fd + 1);
	EXPECT_EQUAL(sys_dup2(fd, fd + 2), fd + 2);
	for (int i = 0; i < 3; i++)
		EXPECT_EQUAL(sys_close(fd + i), 0);

	link = vfs_harness_open("/link", O_PATH | O_NOFOLLOW);
	EXPECT_EQUAL(sys_fstat(link, &stat), 0);
	EXPECT_EQUAL(stat.st_mode, S_IFLNK | 0777);
	EXPECT_EQUAL(sys_close(link), 0);
}

static void
path_only(void **state)
{
	for (int via = fstat_via_fd; via <= fstat_via_path; via++) {
		policy_value[POLICY_fstat_via] = via;
		vfs_harness_alone(path_only_body, NULL);
	}
}

/* Access mode 3 asks for reading and writing and allows neither. */
static void
mode_3_body(void *arg)
{
	struct inode *inode;
	char byte = 0;
	int fd;

	vfs_harness_file("/file", 10, 'x');
	fd = vfs_harness_open("/file", O_ACCMODE);
	inode = current->files->fd_array[fd]->f_inode;
	EXPECT_EQUAL(atomic_read(&inode->i_writecount), 0);
	EXPECT_EQUAL(atomic_read(&inode->i_readcount), 0);
	EXPECT_EQUAL(sys_read(fd, &byte, 1), -EBADF);
	EXPECT_EQUAL(sys_write(fd, &byte, 1), -EBADF);
	EXPECT_EQUAL(sys_ftruncate(fd, 0), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_END), 10);
	EXPECT_EQUAL(sys_close(fd), 0);
	vfs_harness_become(1000, 1000);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), 0);
	EXPECT_EQUAL(sys_open("/file", O_ACCMODE, 0), -EACCES); /* 0644, and not ours */
}

static void
access_mode_3(void **state)
{
	vfs_harness_alone(mode_3_body, NULL);
}

static bool
closes_on_exec(int fd)
{
	return __test_bit((unsigned int)fd, current->files->fdt->close_on_exec);
}

static void
cloexec_body(void *arg)
{
	int kept = vfs_harness_open("/file", O_RDWR | O_CREAT);
	int fd = vfs_harness_open("/file", O_RDONLY | O_CLOEXEC);

	EXPECT(!closes_on_exec(kept));
	EXPECT(closes_on_exec(fd));
	EXPECT(!closes_on_exec(sys_dup(fd)));
	EXPECT_EQUAL(sys_dup2(kept, fd), fd);
	EXPECT(!closes_on_exec(fd));
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_open("/file", O_PATH | O_CLOEXEC, 0), fd);
	EXPECT(closes_on_exec(fd));
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), fd); /* what the number had is forgotten */
	EXPECT(!closes_on_exec(fd));
}

static void
cloexec_is_the_descriptors(void **state)
{
	vfs_harness_alone(cloexec_body, NULL);
}

/* Who may not read at all hears of that first. */
static void
noatime_body(void *arg)
{
	vfs_harness_file("/roots", 10, 'x');
	EXPECT_EQUAL(sys_close(sys_open("/secret", O_CREAT | O_RDWR, 0600)), 0);
	EXPECT_EQUAL(sys_mkdir("/dir", 0777), 0);
	EXPECT_EQUAL(sys_umask(0), 022);
	EXPECT_EQUAL(sys_mkdir("/all", 0777), 0);
	vfs_harness_become(1000, 1000);
	EXPECT_EQUAL(sys_open("/roots", O_NOATIME, 0), -EPERM);
	EXPECT_EQUAL(sys_open("/secret", O_NOATIME, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/dir", O_NOATIME | O_DIRECTORY, 0), -EPERM);
	EXPECT_EQUAL(sys_open("/roots", O_NOATIME | O_PATH, 0), 0);
	EXPECT_EQUAL(sys_open("/all/own", O_NOATIME | O_CREAT | O_RDWR, 0600), 1);
	EXPECT_EQUAL(sys_open("/all/own", O_NOATIME | O_RDWR, 0), 2);
	vfs_harness_become(0, 0);
	EXPECT_EQUAL(sys_open("/all/own", O_NOATIME | O_RDWR, 0), 3);
}

static void
noatime_is_for_owners(void **state)
{
	vfs_harness_alone(noatime_body, NULL);
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
		cmocka_unit_test(path_only),
		cmocka_unit_test(access_mode_3),
		cmocka_unit_test(cloexec_is_the_descriptors),
		cmocka_unit_test(noatime_is_for_owners),
		cmocka_unit_test(use_after_close_is_caught),
		cmocka_unit_test(random_opens_agree_with_tmpfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
