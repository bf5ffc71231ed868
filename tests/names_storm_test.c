/*
 * names_storm_test.c - many tasks make, move, remove and read the same names
 *
 * Goal: no deadlock, no data race, no leak; directories stay what their entries
 * say; a file that is replaced is always there; a reader of a directory meets each
 * name that stays exactly once. Method: random calls from four tasks, as threads
 * and as processes, over both dentry layouts, on every file system that there is;
 * the last one to finish looks at the result and removes everything.
 */
#include <errno.h>

#include "machine/random.h"
#include "tests/dirent64.h"
#include "tests/vfs_harness.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/namei.h"

#define TASKS 4
#define ROUNDS 400

static atomic_t started;
static atomic_t finished;

static const char *const file_systems[] = { "tmpfs", "image" };

/* --- reading directories -------------------------------------------------- */

/* Call @each for the entries of @path but "." and "..". Return: how many, or -errno. */
static int
for_each_entry(const char *path,
	       void (*each)(const char *path, const struct linux_dirent64 *entry, void *arg),
	       void *arg)
{
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	char buf[256];
	int nr = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = sys_getdents64(fd, buf, sizeof(buf))) > 0) {
		for_each_dirent64 (entry, buf, got) {
			if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
				continue;
			nr++;
			if (each)
				each(path, entry, arg);
		}
	}
	EXPECT_EQUAL(sys_close(fd), 0);
	return got < 0 ? (int)got : nr;
}

static void remove_tree(const char *path);

static void
remove_entry(const char *path, const struct linux_dirent64 *entry, void *arg)
{
	int *directories = arg;
	char full[128];

	snprintf(full, sizeof(full), "%s/%s", path, entry->d_name);
	if (entry->d_type == DT_DIR) {
		(*directories)++;
		remove_tree(full);
	} else {
		EXPECT_EQUAL(sys_unlink(full), 0);
	}
}

static unsigned int
links_of(const char *path)
{
	struct path found;
	unsigned int links;

	EXPECT_EQUAL(user_path_at(path, 0, &found), 0);
	links = d_inode(found.dentry)->i_nlink;
	path_put(&found);
	return links;
}

/* Remove @path and all below, which agree with each other. */
static void
remove_tree(const char *path)
{
	unsigned int links = links_of(path);
	int directories = 0;

	EXPECT(for_each_entry(path, remove_entry, &directories) >= 0);
	EXPECT_EQUAL(links, 2 + directories);
	EXPECT_EQUAL(for_each_entry(path, NULL, NULL), 0);
	EXPECT_EQUAL(links_of(path), 2);
	EXPECT_EQUAL(sys_rmdir(path), 0);
}

/* The last one looks at the result and takes all of it down. */
static void
finish(void)
{
	if (atomic_fetch_add(1, &finished) + 1 < TASKS)
		return;
	remove_tree("/mnt/s");
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

/* --- everything at once --------------------------------------------------- */

/* One of few paths, two levels of directories deep at most. */
static void
random_path(struct random_stream *random, char *path, size_t size)
{
	size_t len = (size_t)snprintf(path, size, "/s");
	u64 depth = 1 + random_below(random, 3);

	for (u64 i = 0; i < depth; i++)
		len += (size_t)snprintf(path + len, size - len, "/%c",
					(int)('a' + random_below(random, 3)));
}

static int
open_and_close(const char *path, int flags)
{
	int fd = sys_open(path, flags, 0644);
	char byte = 0;
	ssize_t bytes;

	if (fd < 0)
		return fd;
	if ((flags & O_ACCMODE) == O_RDWR)
		EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 0), 1);
	bytes = sys_pread(fd, &byte, 1, 0);
	EXPECT(bytes == -EISDIR || bytes == 0 || (bytes == 1 && byte == 'x'));
	return sys_close(fd);
}

static int
random_call(struct random_stream *random)
{
	char path[24];
	char other[24];
	char text[24];

	random_path(random, path, sizeof(path));
	random_path(random, other, sizeof(other));
	switch (random_below(random, 10)) {
	case 0:
		return sys_mkdir(path, 0755);
	case 1:
		return sys_rmdir(path);
	case 2:
		return sys_unlink(path);
	case 3:
	case 4:
		return sys_rename(path, other);
	case 5:
		return open_and_close(path, O_RDWR | O_CREAT);
	case 6:
		return open_and_close(path, O_RDONLY);
	case 7:
		return random_below(random, 4) ? min(for_each_entry(path, NULL, NULL), 0) :
						 sys_symlink(other, path);
	case 8:
		return open_and_close(path, O_RDWR | O_CREAT | O_EXCL);
	}
	return min((int)sys_readlink(path, text, sizeof(text)), 0);
}

static bool
may_come(int result)
{
	switch (result) {
	case 0:
	case -ENOENT:
	case -EEXIST:
	case -ENOTDIR:
	case -EISDIR:
	case -ENOTEMPTY:
	case -EINVAL:
	case -ELOOP:
		return true;
	}
	return false;
}

static void
storm_body(void *arg)
{
	struct random_stream random;
	int self = atomic_fetch_add(1, &started);
	int worked = 0;

	random_init(&random, (u64)self, "storm");
	for (int i = 0; i < ROUNDS; i++) {
		int result = random_call(&random);

		BUG_ON(!may_come(result), "a call came to %d", result);
		worked += !result;
	}
	EXPECT(worked > ROUNDS / 20);
	finish();
}

/* --- replaced files ------------------------------------------------------- */

static void
write_file(const char *path, int byte)
{
	char bytes[64];
	int fd = sys_creat(path, 0644);

	EXPECT(fd >= 0);
	memset(bytes, byte, sizeof(bytes));
	EXPECT_EQUAL(sys_pwrite(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
check_file(const char *path)
{
	char bytes[64];
	int fd = vfs_harness_open(path, O_RDONLY);

	EXPECT_EQUAL(sys_pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	for (size_t i = 1; i < sizeof(bytes); i++)
		EXPECT_EQUAL(bytes[i], bytes[0]);
	EXPECT_EQUAL(sys_close(fd), 0);
}

/* Two replace the file, from two directories; two open it. */
static void
replace_body(void *arg)
{
	int self = atomic_fetch_add(1, &started);
	char mine[40];

	snprintf(mine, sizeof(mine), self ? "/s/%d" : "/s/a/%d", self);
	for (int i = 0; i < ROUNDS / 4; i++) {
		if (self < 2) {
			write_file(mine, 'a' + i % 26);
			EXPECT_EQUAL(sys_rename(mine, "/s/current"), 0);
		} else {
			check_file("/s/current");
		}
	}
	finish();
}

/* --- directories that are read -------------------------------------------- */

#define STAY 20

static void
count_stayers(const char *path, const struct linux_dirent64 *entry, void *arg)
{
	int *met = arg;
	int nr;

	if (sscanf(entry->d_name, "stay%d", &nr) == 1)
		met[nr]++;
}

/* Two make and remove names, two read the directory. */
static void
read_body(void *arg)
{
	int self = atomic_fetch_add(1, &started);
	char mine[40];

	for (int i = 0; i < ROUNDS / 8; i++) {
		int met[STAY] = { 0 };

		if (self < 2) {
			for (int n = 0; n < 6; n++) {
				snprintf(mine, sizeof(mine), "/s/%d-%d", self, (i + n) % 9);
				EXPECT_EQUAL(open_and_close(mine, O_RDWR | O_CREAT), 0);
			}
			for (int n = 0; n < 6; n++) {
				snprintf(mine, sizeof(mine), "/s/%d-%d", self, (i + n) % 9);
				EXPECT_EQUAL(sys_unlink(mine), 0);
			}
			continue;
		}
		EXPECT(for_each_entry("/s", count_stayers, met) >= STAY);
		for (int n = 0; n < STAY; n++)
			BUG_ON(met[n] != 1, "stay%d was met %d times", n, met[n]);
	}
	finish();
}

/* --- the tests ------------------------------------------------------------ */

static void
make_tree(void *file_system)
{
	char path[24];

	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", file_system, 0, NULL), 0);
	EXPECT_EQUAL(sys_symlink("mnt/s", "/s"), 0);
	EXPECT_EQUAL(sys_mkdir("/mnt/s", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/s/a", 0755), 0);
	write_file("/s/current", '0');
	for (int i = 0; i < STAY; i++) {
		snprintf(path, sizeof(path), "/s/stay%02d", i);
		write_file(path, 's');
	}
}

static void
storm_with(void (*body)(void *arg), const char *file_system, enum task_kind kind)
{
	atomic_init(&started, 0);
	atomic_init(&finished, 0);
	vfs_harness_boot(TASKS);
	vfs_harness_init(make_tree, (void *)file_system);
	vfs_harness_run(kind, TASKS, body, NULL);
	vfs_harness_shutdown();
}

static void
storm(void (*body)(void *arg))
{
	for (size_t fs = 0; fs < ARRAY_SIZE(file_systems); fs++) {
		for (int layout = 0; layout < 2; layout++) {
			policy_value[POLICY_dentry_layout] = layout;
			storm_with(body, file_systems[fs], layout ? TASK_THREAD : TASK_PROCESS);
		}
	}
	policy_value[POLICY_dentry_layout] = dentry_layout_own_line;
}

static void
names_stay_consistent(void **state)
{
	storm(storm_body);
}

static void
a_replaced_file_is_always_there(void **state)
{
	storm(replace_body);
}

static void
what_stays_is_read_once(void **state)
{
	storm(read_body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_consistent),
		cmocka_unit_test(a_replaced_file_is_always_there),
		cmocka_unit_test(what_stays_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
