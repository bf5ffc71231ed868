/*
 * readdir_test.c - getdents64 on both file systems
 *
 * Goal: each name is handed out once, as the structure that Linux has, whatever
 * the buffer's size and whatever else comes and goes; a directory with 100,000
 * names is made, read and emptied in reasonable time. Method: names are counted.
 */
#include <errno.h>

#include "tests/dirent64.h"
#include "tests/vfs_harness.h"

/* Read once with @size bytes. Return: what getdents64() did; names are checked for form. */
static ssize_t
read_some(int fd, char *buf, size_t size,
	  void (*each)(const struct linux_dirent64 *entry, void *arg), void *arg)
{
	ssize_t got = sys_getdents64(fd, buf, size);

	for_each_dirent64 (entry, buf, got) {
		EXPECT_EQUAL(entry->d_reclen, ALIGN(19 + strlen(entry->d_name) + 1, 8));
		each(entry, arg);
	}
	return got;
}

struct seen {
	int dots;
	int files;
	int directories;
	int links;
	int total;
};

static void
count_entry(const struct linux_dirent64 *entry, void *arg)
{
	struct seen *seen = arg;

	seen->total++;
	if (entry->d_name[0] == '.')
		seen->dots++;
	else if (entry->d_type == DT_REG)
		seen->files++;
	else if (entry->d_type == DT_DIR)
		seen->directories++;
	else if (entry->d_type == DT_LNK)
		seen->links++;
}

static void
count_nothing(const struct linux_dirent64 *entry, void *arg)
{
}

static void
readdir_body(void *arg)
{
	struct seen seen = { 0 };
	char buf[512];
	char small[24];
	int fd;

	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/dir", 0755), 0);
	EXPECT_EQUAL(sys_symlink("x", "/d/link"), 0);
	vfs_harness_file("/d/f", 0, 0);
	vfs_harness_file("/d/gone", 0, 0);
	EXPECT_EQUAL(sys_unlink("/d/gone"), 0);
	EXPECT_EQUAL(sys_open("/d/missed", O_RDONLY, 0), -ENOENT);
	fd = vfs_harness_open("/d", O_RDONLY);
	/* ".", "..", dir, link, f: 24 bytes each. */
	EXPECT_EQUAL(read_some(fd, buf, sizeof(buf), count_entry, &seen), 5 * 24);
	EXPECT_EQUAL(seen.dots, 2);
	EXPECT_EQUAL(seen.files, 1);
	EXPECT_EQUAL(seen.directories, 1);
	EXPECT_EQUAL(seen.links, 1);
	EXPECT_EQUAL(sys_getdents64(fd, buf, sizeof(buf)), 0);
	EXPECT_EQUAL(sys_getdents64(fd, buf, 0), 0);
	EXPECT_EQUAL(sys_close(fd), 0);
	/* One at a time, and no room for one. */
	fd = vfs_harness_open("/d", O_RDONLY);
	EXPECT_EQUAL(sys_getdents64(fd, small, 23), -EINVAL);
	EXPECT_EQUAL(sys_getdents64(fd, small, 0), -EINVAL);
	seen.total = 0;
	while (read_some(fd, small, sizeof(small), count_entry, &seen) == sizeof(small))
		;
	EXPECT_EQUAL(seen.total, 5);
	EXPECT_EQUAL(sys_close(fd), 0);
	fd = vfs_harness_open("/d/f", O_RDONLY);
	EXPECT_EQUAL(sys_getdents64(fd, buf, sizeof(buf)), -ENOTDIR);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_getdents64(fd, buf, sizeof(buf)), -EBADF);
	EXPECT_EQUAL(sys_getdents64(-1, buf, sizeof(buf)), -EBADF);
}

static void
directories_are_read_entry_by_entry(void **state)
{
	vfs_harness_alone(readdir_body, NULL);
}

/* What is removed and renamed between two calls makes no other name come twice or not. */
static void
changing_body(void *arg)
{
	struct seen seen = { 0 };
	char buf[10 * 24];
	char path[16];
	int fd;

	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/d/%02d", i);
		vfs_harness_file(path, 0, 0);
	}
	fd = vfs_harness_open("/d", O_RDONLY);
	EXPECT_EQUAL(read_some(fd, buf, sizeof(buf), count_entry, &seen), sizeof(buf));
	/* Eight files are read: 00 to 07 or their like. Ten not yet read go, and ten read ones. */
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "/d/%02d", i);
		EXPECT_EQUAL(sys_unlink(path), 0);
	}
	for (int i = 50; i < 60; i++) {
		snprintf(path, sizeof(path), "/d/%02d", i);
		EXPECT_EQUAL(sys_unlink(path), 0);
	}
	while (read_some(fd, buf, sizeof(buf), count_entry, &seen))
		;
	EXPECT_EQUAL(seen.dots, 2);
	EXPECT_EQUAL(seen.files, 90);
	EXPECT_EQUAL(sys_close(fd), 0);
	/* A name that replaces another takes its place. */
	EXPECT_EQUAL(sys_rename("/d/08", "/d/99"), 0);
	EXPECT_EQUAL(sys_rename("/d/09", "/d/new"), 0);
	fd = vfs_harness_open("/d", O_RDONLY);
	memset(&seen, 0, sizeof(seen));
	while (read_some(fd, buf, sizeof(buf), count_entry, &seen))
		;
	EXPECT_EQUAL(seen.files, 81);
	EXPECT_EQUAL(read_some(fd, buf, sizeof(buf), count_nothing, NULL), 0);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
changes_between_calls_lose_no_name(void **state)
{
	vfs_harness_alone(changing_body, NULL);
}

/* --- many names ----------------------------------------------------------- */

#define MANY 100000

struct many {
	const char *dir;
	unsigned char met[MANY];
};

static void
meet(const struct linux_dirent64 *entry, void *arg)
{
	struct many *many = arg;
	int nr;

	if (sscanf(entry->d_name, "f%d", &nr) == 1)
		many->met[nr]++;
}

/* Make all, read all, remove all, in @many->dir. */
static void
make_many(struct many *many)
{
	char path[32];
	char buf[32768];
	int fd;

	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/f%05d", many->dir, i);
		fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
		EXPECT(fd >= 0);
		EXPECT_EQUAL(sys_close(fd), 0);
	}
	memset(many->met, 0, sizeof(many->met));
	fd = vfs_harness_open(many->dir, O_RDONLY | O_DIRECTORY);
	while (read_some(fd, buf, sizeof(buf), meet, many) > 0)
		;
	EXPECT_EQUAL(sys_close(fd), 0);
	for (int i = 0; i < MANY; i++)
		BUG_ON(many->met[i] != 1, "f%05d was met %d times", i, many->met[i]);
	EXPECT_EQUAL(sys_rmdir(many->dir), -ENOTEMPTY);
	for (int i = MANY - 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/f%05d", many->dir, i);
		EXPECT_EQUAL(sys_unlink(path), 0);
	}
	EXPECT_EQUAL(sys_rmdir(many->dir), 0);
}

static void
many_body(void *arg)
{
	static struct many many = { .dir = "/d" };

	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	make_many(&many);
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", "image", 0, NULL), 0);
	EXPECT_EQUAL(sys_mkdir("/mnt/d", 0755), 0);
	many.dir = "/mnt/d";
	make_many(&many);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
a_directory_holds_100000_names(void **state)
{
	const struct harness options = { .tasks = 1, .object_bytes = 1ul << 30 };

	harness_boot(&options);
	assert_int_equal(vfs_boot(1), 0);
	vfs_harness_init(many_body, NULL);
	vfs_harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories_are_read_entry_by_entry),
		cmocka_unit_test(changes_between_calls_lose_no_name),
		cmocka_unit_test(a_directory_holds_100000_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
