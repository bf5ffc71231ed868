/*
 * attr_test.c - owners and modes: what new files get, and what writing takes away
 *
 * Goal: set-user-ID, set-group-ID and the group of what is made in a directory are
 * Linux's. Method: tables written out by hand.
 */
#include <errno.h>

#include "tests/vfs_harness.h"
#include "vfs/attr.h"
#include "vfs/namei.h"

#define USER 1000
#define GROUP 100

/* What chown(2) and chmod(2) do; nobody else looks. Context: a task. */
static void
change(const char *name, uid_t uid, gid_t gid, mode_t mode)
{
	struct inode *inode;
	struct path path;

	EXPECT_EQUAL(user_path_at(name, LOOKUP_FOLLOW, &path), 0);
	inode = d_inode(path.dentry);
	inode->i_uid = uid;
	inode->i_gid = gid;
	inode->i_mode = (inode->i_mode & S_IFMT) | mode;
	path_put(&path);
}

static struct stat
stat_of(const char *name)
{
	struct stat stat;

	EXPECT_EQUAL(sys_lstat(name, &stat), 0);
	return stat;
}

static mode_t
mode_of(const char *name)
{
	return stat_of(name).st_mode & 07777;
}

/* --- what writing takes away ---------------------------------------------- */

static void
by_write(void)
{
	EXPECT_EQUAL(sys_write(vfs_harness_open("/file", O_WRONLY), "x", 1), 1);
}

static void
by_pwrite_of_nothing(void)
{
	EXPECT_EQUAL(sys_pwrite(vfs_harness_open("/file", O_WRONLY), "x", 0, 0), 0);
}

static void
by_truncate(void)
{
	EXPECT_EQUAL(sys_truncate("/file", 10), 0); /* the size that it has */
}

static void
by_ftruncate(void)
{
	EXPECT_EQUAL(sys_ftruncate(vfs_harness_open("/file", O_WRONLY), 5), 0);
}

static void
by_open(void)
{
	vfs_harness_open("/file", O_WRONLY);
}

static void
by_open_trunc(void)
{
	vfs_harness_open("/file", O_RDONLY | O_TRUNC);
}

static const struct {
	void (*change)(void);
	bool takes;	/* whether it takes anything away */
} changes[] = {
	{ by_write, true },    { by_pwrite_of_nothing, false },
	{ by_truncate, true }, { by_ftruncate, true },
	{ by_open, false },    { by_open_trunc, true },
};

/* A file of user USER's and group GROUP's. */
static const struct {
	uid_t uid;	/* who changes it */
	gid_t gid;
	mode_t mode;
	mode_t left;	/* of it */
} writers[] = {
	{ USER, GROUP, 06777, 0777 },	/* its owner is no better than others */
	{ USER + 1, GROUP, 06777, 0777 },
	{ USER + 1, GROUP + 1, 06777, 0777 },
	{ 0, 0, 06777, 06777 },		/* root is */
	{ USER, GROUP, 04666, 0666 },
	{ USER, GROUP, 06666, 02666 },	/* nobody's program, and it is in the group */
	{ USER, GROUP + 1, 02666, 0666 },
	{ USER + 1, GROUP, 02766, 02766 },
	{ USER + 1, GROUP, 02676, 0676 },
	{ USER, GROUP, 01777, 01777 },
};

static void
writing_body(void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(writers); j++) {
			vfs_harness_file("/file", 10, 'x');
			change("/file", USER, GROUP, writers[j].mode);
			vfs_harness_become(writers[j].uid, writers[j].gid);
			changes[i].change();
			EXPECT_EQUAL(mode_of("/file"),
				     changes[i].takes ? writers[j].left : writers[j].mode);
			vfs_harness_become(0, 0);
			EXPECT_EQUAL(sys_unlink("/file"), 0);
		}
	}
}

static void
writing_takes_set_id_bits(void **state)
{
	vfs_harness_alone(writing_body, NULL);
}

/* What was not allowed takes nothing away. */
static void
failing_body(void *arg)
{
	vfs_harness_file("/file", 10, 'x');
	change("/file", USER, GROUP, 06755);
	vfs_harness_become(USER + 1, GROUP + 1);
	EXPECT_EQUAL(sys_open("/file", O_WRONLY, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY | O_TRUNC, 0), -EACCES);
	EXPECT_EQUAL(sys_truncate("/file", 0), -EACCES);
	EXPECT_EQUAL(mode_of("/file"), 06755);
}

static void
failing_takes_nothing(void **state)
{
	vfs_harness_alone(failing_body, NULL);
}

/* One task writes; all look at the mode meanwhile. */
static void
look_body(void *arg)
{
	int fd = vfs_harness_open("/file", smp_processor_id() ? O_RDONLY : O_WRONLY);
	struct stat stat;

	for (int i = 0; i < 20; i++) {
		EXPECT_EQUAL(sys_fstat(fd, &stat), 0);
		EXPECT(stat.st_mode == (S_IFREG | 06777) || stat.st_mode == (S_IFREG | 0777));
		if (!smp_processor_id())
			EXPECT_EQUAL(sys_write(fd, "x", 1), 1);
		EXPECT_EQUAL(sys_access("/file", 4), 0);
		EXPECT_EQUAL(sys_close(sys_open("/file", O_RDONLY, 0)), 0);
	}
	EXPECT_EQUAL(sys_fstat(fd, &stat), 0);
	EXPECT(smp_processor_id() || stat.st_mode == (S_IFREG | 0777));
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
prepare_body(void *arg)
{
	EXPECT_EQUAL(sys_umask(0), 022);
	EXPECT_EQUAL(sys_close(sys_open("/file", O_CREAT | O_RDWR, 06777)), 0);
	vfs_harness_become(USER, GROUP);
}

static void
others_look_meanwhile(void **state)
{
	vfs_harness_boot(4);
	vfs_harness_init(prepare_body, NULL);
	vfs_harness_run(TASK_PROCESS, 4, look_body, NULL);
	vfs_harness_shutdown();
}

/* --- what new files get --------------------------------------------------- */

static void
modes_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/dir", 0777), 0);
	change("/dir", 0, 0, 0777);
	vfs_harness_become(USER, GROUP);
	EXPECT_EQUAL(sys_umask(027), 022);
	EXPECT_EQUAL(sys_open("/dir/file", O_CREAT | O_RDWR, 0107777), 0);
	EXPECT_EQUAL(stat_of("/dir/file").st_mode, S_IFREG | 07750);
	EXPECT_EQUAL(stat_of("/dir/file").st_uid, USER);
	EXPECT_EQUAL(stat_of("/dir/file").st_gid, GROUP);
	EXPECT_EQUAL(sys_creat("/dir/creat", 06666), 1);
	EXPECT_EQUAL(mode_of("/dir/creat"), 06640);
	EXPECT_EQUAL(sys_mkdir("/dir/sub", 07777), 0); /* only what it may be: not set-ID */
	EXPECT_EQUAL(stat_of("/dir/sub").st_mode, S_IFDIR | 01750);
	EXPECT_EQUAL(sys_open("/dir/file", O_CREAT | O_RDWR, 0), 2); /* it has a mode */
	EXPECT_EQUAL(mode_of("/dir/file"), 07750);
}

static void
new_files_get_what_the_umask_leaves(void **state)
{
	vfs_harness_alone(modes_body, NULL);
}

/* /dir is of group GROUP, and who makes something in it is in another, or is root. */
static void
group_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/dir", 0777), 0);
	change("/dir", 0, GROUP, 02777);
	EXPECT_EQUAL(sys_umask(0), 022);
	vfs_harness_become(USER, GROUP + 1);
	EXPECT_EQUAL(sys_creat("/dir/a", 0644), 0);
	EXPECT_EQUAL(stat_of("/dir/a").st_gid, GROUP);
	EXPECT_EQUAL(stat_of("/dir/a").st_uid, USER);
	EXPECT_EQUAL(sys_symlink("x", "/dir/l"), 0);
	EXPECT_EQUAL(stat_of("/dir/l").st_gid, GROUP);
	EXPECT_EQUAL(sys_mkdir("/dir/sub", 0755), 0);
	EXPECT_EQUAL(stat_of("/dir/sub").st_gid, GROUP);
	EXPECT_EQUAL(mode_of("/dir/sub"), 02755);
	EXPECT_EQUAL(sys_creat("/dir/sub/a", 0644), 1);
	EXPECT_EQUAL(stat_of("/dir/sub/a").st_gid, GROUP);

	/* No program with the rights of a group that he is not in. */
	EXPECT_EQUAL(sys_creat("/dir/program", 06755), 2);
	EXPECT_EQUAL(mode_of("/dir/program"), 04755);
	EXPECT_EQUAL(sys_creat("/dir/no-program", 02745), 3);
	EXPECT_EQUAL(mode_of("/dir/no-program"), 02745);
	EXPECT_EQUAL(sys_umask(010), 0);
	EXPECT_EQUAL(sys_creat("/dir/masked", 02775), 4); /* it would have been one */
	EXPECT_EQUAL(mode_of("/dir/masked"), 0765);
	vfs_harness_become(USER, GROUP);
	EXPECT_EQUAL(sys_creat("/dir/ours", 02745), 5);
	EXPECT_EQUAL(mode_of("/dir/ours"), 02745);
	EXPECT_EQUAL(sys_umask(0), 010);
	EXPECT_EQUAL(sys_creat("/dir/ours-program", 02755), 6);
	EXPECT_EQUAL(mode_of("/dir/ours-program"), 02755);
	vfs_harness_become(0, 0);
	EXPECT_EQUAL(sys_creat("/dir/roots", 06755), 7);
	EXPECT_EQUAL(mode_of("/dir/roots"), 06755);
	EXPECT_EQUAL(stat_of("/dir/roots").st_gid, GROUP);
}

static void
a_directory_hands_its_group_on(void **state)
{
	vfs_harness_alone(group_body, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writing_takes_set_id_bits),
		cmocka_unit_test(failing_takes_nothing),
		cmocka_unit_test(others_look_meanwhile),
		cmocka_unit_test(new_files_get_what_the_umask_leaves),
		cmocka_unit_test(a_directory_hands_its_group_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
