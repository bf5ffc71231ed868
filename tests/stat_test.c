/*
 * stat_test.c - stat, lstat, fstat and access
 *
 * Goal: what they say is what was made, errors are Linux's, and every choice of
 * `fstat_via` and `access_cred` says the same; real ids count for access. Method:
 * values worked out by hand, and every answer compared with the host's tmpfs.
 */
#include <errno.h>

#include "machine/types.h"
#include "tests/tmpfs_twin.h"
#include "tests/vfs_harness.h"
#include "vfs/cred.h"
#include "vfs/fdtable.h"

/* Nothing in @stat that is not a field of its own is left over from before. */
static void
stat_dirty(const char *path, struct stat *stat, int result)
{
	memset(stat, 0xff, sizeof(*stat));
	EXPECT_EQUAL(sys_stat(path, stat), result);
}

static void
fields_body(void *arg)
{
	struct stat root, dir, file, link;

	EXPECT_EQUAL(sys_mkdir("/dir", 0750), 0);
	vfs_harness_file("/dir/file", 5000, 'x');
	EXPECT_EQUAL(sys_symlink("dir/file", "/link"), 0);
	stat_dirty("/", &root, 0);
	stat_dirty("/dir", &dir, 0);
	stat_dirty("/link", &file, 0);
	EXPECT_EQUAL(sys_lstat("/link", &link), 0);

	EXPECT_EQUAL(root.st_mode, S_IFDIR | 0755);
	EXPECT_EQUAL(root.st_nlink, 3);
	EXPECT_EQUAL(root.st_size, 40); /* two entries */
	EXPECT_EQUAL(dir.st_mode, S_IFDIR | 0750);
	EXPECT_EQUAL(dir.st_nlink, 2);
	EXPECT_EQUAL(dir.st_size, 20);
	EXPECT_EQUAL(file.st_mode, S_IFREG | 0644);
	EXPECT_EQUAL(file.st_nlink, 1);
	EXPECT_EQUAL(file.st_uid, 0);
	EXPECT_EQUAL(file.st_gid, 0);
	EXPECT_EQUAL(file.st_rdev, 0);
	EXPECT_EQUAL(file.st_size, 5000);
	EXPECT_EQUAL(file.st_blksize, 4096);
	EXPECT_EQUAL(file.st_blocks, 16); /* two pages of eight sectors */
	EXPECT_EQUAL(file.st_dev, root.st_dev);
	EXPECT(file.st_ino != dir.st_ino && dir.st_ino != root.st_ino);
	EXPECT(file.st_mtim.tv_nsec < 1000000000);
	EXPECT_EQUAL(link.st_mode, S_IFLNK | 0777);
	EXPECT_EQUAL(link.st_size, 8);
	EXPECT(link.st_ino != file.st_ino);
}

static void
what_was_made(void **state)
{
	vfs_harness_alone(fields_body, NULL);
}

static void
errors_body(void *arg)
{
	struct stat stat;

	vfs_harness_file("/file", 1, 'x');
	EXPECT_EQUAL(sys_symlink("nothing", "/dangling"), 0);
	EXPECT_EQUAL(sys_symlink("loop", "/loop"), 0);
	EXPECT_EQUAL(sys_stat("/nothing", &stat), -ENOENT);
	EXPECT_EQUAL(sys_stat("", &stat), -ENOENT);
	EXPECT_EQUAL(sys_stat("/file/", &stat), -ENOTDIR);
	EXPECT_EQUAL(sys_stat("/file/x", &stat), -ENOTDIR);
	EXPECT_EQUAL(sys_stat("/dangling", &stat), -ENOENT);
	EXPECT_EQUAL(sys_lstat("/dangling", &stat), 0);
	EXPECT_EQUAL(sys_stat("/loop", &stat), -ELOOP);
	EXPECT_EQUAL(sys_fstat(0, &stat), -EBADF);
	EXPECT_EQUAL(sys_fstat(-1, &stat), -EBADF);
	EXPECT_EQUAL(sys_access("/file", 8), -EINVAL);
	EXPECT_EQUAL(sys_access("/nothing", -1), -EINVAL); /* the mode is looked at first */
	EXPECT_EQUAL(sys_access("/nothing", F_OK), -ENOENT);
	EXPECT_EQUAL(sys_access("/file", F_OK), 0);
	EXPECT_EQUAL(sys_access("/file", R_OK | W_OK), 0);
	EXPECT_EQUAL(sys_access("/file", X_OK), -EACCES); /* not even root */
	EXPECT_EQUAL(sys_access("/", R_OK | W_OK | X_OK), 0);
}

static void
errors(void **state)
{
	vfs_harness_alone(errors_body, NULL);
}

/* fstat says what stat says, whatever it goes by, and drops what it takes. */
static void
fstat_body(void *arg)
{
	struct stat by_path, by_fd;
	struct dentry *dentry;
	int fd, references;

	vfs_harness_file("/file", 10000, 'x');
	fd = vfs_harness_open("/file", O_RDONLY);
	dentry = current->files->fd_array[fd]->f_inode->i_dentry;
	references = d_count(dentry);
	memset(&by_fd, 0xff, sizeof(by_fd));
	EXPECT_EQUAL(sys_stat("/file", &by_path), 0);
	EXPECT_EQUAL(sys_fstat(fd, &by_fd), 0);
	EXPECT(!memcmp(&by_fd, &by_path, sizeof(by_fd)));
	EXPECT_EQUAL(d_count(dentry), references);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
fstat_by_descriptor_and_by_path(void **state)
{
	vfs_harness_alone(fstat_body, NULL);
	policy_value[POLICY_fstat_via] = fstat_via_path;
	vfs_harness_alone(fstat_body, NULL);
}

static void
become(uid_t uid, uid_t fsuid)
{
	struct cred *cred = prepare_creds();

	cred->uid = uid;
	cred->gid = uid;
	cred->fsuid = fsuid;
	cred->fsgid = fsuid;
	commit_creds(cred);
}

/* 0600 of root: root may, 1000 may not, and it is the real id that counts for access. */
static void
ids_body(void *arg)
{
	int fd = sys_open("/file", O_RDWR | O_CREAT, 0600);

	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_access("/file", R_OK), 0);
	become(1000, 0);
	EXPECT_EQUAL(sys_access("/file", R_OK), -EACCES);
	EXPECT_EQUAL(sys_access("/file", F_OK), 0);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), 0); /* fsuid is in force again */
	EXPECT_EQUAL(sys_close(0), 0);
	become(0, 1000);
	EXPECT_EQUAL(sys_access("/file", R_OK | W_OK), 0);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), -EACCES);
	become(1000, 1000);
	EXPECT_EQUAL(sys_access("/file", R_OK), -EACCES);
	EXPECT_EQUAL(atomic64_read(&current->cred->usage), 1);
	/* Init's credentials, and nobody else's, refer to them. */
	EXPECT_EQUAL(atomic_read(&kernel.vfs->cred_shared.user), 1);
	EXPECT_EQUAL(atomic_read(&kernel.vfs->cred_shared.ucounts), 1);
}

static void
access_checks_the_real_ids(void **state)
{
	vfs_harness_alone(ids_body, NULL);
	policy_value[POLICY_access_cred] = access_cred_override;
	vfs_harness_alone(ids_body, NULL);
	policy_value[POLICY_access_cred] = access_cred_override;
	vfs_harness_alone(errors_body, NULL);
}

/* Four tasks ask about one file that a fifth part of their calls makes longer. */
static void
storm_body(void *arg)
{
	struct stat stat;
	loff_t size = 0;

	for (int i = 0; i < 100; i++) {
		EXPECT_EQUAL(sys_stat("/file", &stat), 0);
		EXPECT(stat.st_size >= size);
		size = stat.st_size;
		EXPECT_EQUAL(sys_fstat(0, &stat), 0);
		EXPECT(stat.st_size >= size);
		size = stat.st_size;
		EXPECT_EQUAL(sys_access("/file", R_OK), 0);
		if (i % 5 == 0)
			EXPECT_EQUAL(sys_pwrite(0, "x", 1, size), 1);
	}
}

static void
open_body(void *arg)
{
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), 0);
}

static void
many_tasks_ask(void **state)
{
	for (int kind = 0; kind < 2; kind++) {
		for (int old = 0; old < 2; old++) {
			policy_value[POLICY_fstat_via] = old ? fstat_via_path : fstat_via_fd;
			policy_value[POLICY_access_cred] =
				old ? access_cred_override : access_cred_reuse;
			vfs_harness_boot(4);
			vfs_harness_init(open_body, NULL);
			vfs_harness_run(kind ? TASK_PROCESS : TASK_THREAD, 4, storm_body, NULL);
			vfs_harness_shutdown();
		}
	}
}

/* What both kernels say about @path, and about a descriptor of it. */
static void
compare(const struct twin *twin, const char *path)
{
	struct stat ours, theirs;
	char full[8192];
	int wanted;

	twin_path(twin, path, full, sizeof(full));
	wanted = twin_result(stat(full, &theirs));
	EXPECT_EQUAL(sys_stat(path, &ours), wanted);
	if (!wanted) {
		EXPECT_EQUAL(ours.st_mode, theirs.st_mode);
		EXPECT_EQUAL(ours.st_nlink, theirs.st_nlink);
		EXPECT_EQUAL(ours.st_blksize, theirs.st_blksize);
		if (!S_ISDIR(ours.st_mode)) {
			EXPECT_EQUAL(ours.st_size, theirs.st_size);
			EXPECT_EQUAL(ours.st_blocks, theirs.st_blocks);
		}
	}
	for (int mode = 0; mode < 9; mode++)
		EXPECT_EQUAL(sys_access(path, mode), twin_result(access(full, mode)));
}

static void
twin_body(void *arg)
{
	static const char *const paths[] = { "/0", "/0/", "/./0", "/0/x", "/n", "" };
	const struct twin *twin = arg;

	for (int size = 0; size < 20000; size += 3333) {
		char byte = 'x';
		int ours = sys_open("/0", O_RDWR | O_CREAT, 0644);
		int theirs = twin_open(twin, "/0", O_RDWR | O_CREAT, 0644);

		EXPECT_EQUAL(sys_pwrite(ours, &byte, 1, size), pwrite(theirs, &byte, 1, size));
		EXPECT_EQUAL(sys_close(ours), close(theirs));
		for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
			compare(twin, paths[i]);
	}
}

static void
agrees_with_tmpfs(void **state)
{
	struct twin twin;

	if (!twin_create(&twin))
		skip();
	vfs_harness_alone(twin_body, &twin);
	twin_unlink(&twin, "/0");
	twin_destroy(&twin);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_made),
		cmocka_unit_test(errors),
		cmocka_unit_test(fstat_by_descriptor_and_by_path),
		cmocka_unit_test(access_checks_the_real_ids),
		cmocka_unit_test(many_tasks_ask),
		cmocka_unit_test(agrees_with_tmpfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
