/*
 * namei_test.c - directories, links, mounts and permissions on the way to a file
 *
 * Goal: a path leads where it leads on Linux, and a walk leaves no reference
 * behind. Method: a table of paths over a small tree, walked under RCU; and once
 * more with references, as after a change that made the walk start again.
 */
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>

#include "tests/vfs_harness.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/fdtable.h"
#include "vfs/inode.h"
#include "vfs/nameidata.h"

static void
make_tree(void)
{
	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	vfs_harness_file("/f", 1, 'f');
	vfs_harness_file("/d/f", 1, 'd');
	vfs_harness_file("/d/e/a-name-that-is-longer-than-forty-bytes-are", 1, 'l');
	EXPECT_EQUAL(sys_symlink("d/f", "/relative"), 0);
	EXPECT_EQUAL(sys_symlink("/d/e", "/absolute"), 0);
	EXPECT_EQUAL(sys_symlink("..", "/d/e/up"), 0);
	EXPECT_EQUAL(sys_symlink("loop", "/loop"), 0);
	EXPECT_EQUAL(sys_symlink("nowhere", "/dangling"), 0);
	EXPECT_EQUAL(sys_symlink("/", "/top"), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", "tmpfs", 0, NULL), 0);
	vfs_harness_file("/mnt/m", 1, 'm');
}

static const struct {
	const char *path;
	int flags;
	int result;	/* 0, or the error */
	char byte;	/* what the file holds; 0: a directory */
} cases[] = {
	{ "/f", 0, 0, 'f' },
	{ "f", 0, 0, 'f' },
	{ "/d/f", 0, 0, 'd' },
	{ "/d/../f", 0, 0, 'f' },
	{ "/d/./e/../f", 0, 0, 'd' },
	{ "//d//e///a-name-that-is-longer-than-forty-bytes-are", 0, 0, 'l' },
	{ "/d/e/a-name-that-is-longer-than-forty-bytes-arf", 0, -ENOENT, 0 },
	{ "/../../d/f", 0, 0, 'd' },
	{ "/d", 0, 0, 0 },
	{ "/d/", 0, 0, 0 },
	{ "/d/.", O_DIRECTORY, 0, 0 },
	{ "/f/", 0, -ENOTDIR, 0 },
	{ "/f", O_DIRECTORY, -ENOTDIR, 0 },
	{ "/f/x", 0, -ENOTDIR, 0 },
	{ "/f/..", 0, -ENOTDIR, 0 },
	{ "/x", 0, -ENOENT, 0 },
	{ "/x/f", 0, -ENOENT, 0 },
	{ "/d", O_WRONLY, -EISDIR, 0 },
	{ "/relative", 0, 0, 'd' },
	{ "/relative", O_NOFOLLOW, -ELOOP, 0 },
	{ "/relative/", 0, -ENOTDIR, 0 },
	{ "/absolute/up/f", 0, 0, 'd' },
	{ "/absolute/up/e/up/e/up/f", 0, 0, 'd' },
	{ "/absolute", O_NOFOLLOW, -ELOOP, 0 },
	{ "/absolute/", O_NOFOLLOW, 0, 0 },
	{ "/absolute", O_DIRECTORY, 0, 0 },
	{ "/top/top/top/f", 0, 0, 'f' },
	{ "/top", 0, 0, 0 },
	{ "/loop", 0, -ELOOP, 0 },
	{ "/loop/f", 0, -ELOOP, 0 },
	{ "/dangling", 0, -ENOENT, 0 },
	{ "/dangling", O_CREAT | O_EXCL, -EEXIST, 0 },
	{ "/relative", O_CREAT | O_EXCL, -EEXIST, 0 },
	{ "/d/f", O_CREAT | O_EXCL, -EEXIST, 0 },
	{ "/d/e", O_CREAT, -EISDIR, 0 },
	{ "/d/new/", O_CREAT, -EISDIR, 0 },
	{ "/mnt/m", 0, 0, 'm' },
	{ "/mnt/..", 0, 0, 0 },
	{ "/mnt/../f", 0, 0, 'f' },
	{ "/mnt/./../mnt/m", 0, 0, 'm' },
	{ "/mnt/f", 0, -ENOENT, 0 },
};

static void
paths_body(void *arg)
{
	make_tree();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = sys_open(cases[i].path, cases[i].flags, 0644);
		char byte = 0;

		BUG_ON(min(fd, 0) != cases[i].result, "open(\"%s\", %#o) is %d and not %d",
		       cases[i].path, (unsigned int)cases[i].flags, fd, cases[i].result);
		if (fd < 0)
			continue;
		EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), cases[i].byte ? 1 : -EISDIR);
		BUG_ON(byte != cases[i].byte, "%s holds '%c'", cases[i].path, byte);
		EXPECT_EQUAL(sys_close(fd), 0);
	}
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
	EXPECT_EQUAL(sys_open("/mnt/m", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_umount("/mnt"), -EINVAL);
}

static void
paths_lead_where_they_should(void **state)
{
	vfs_harness_alone(paths_body, NULL);
}

/* Walk @path with references from the start. Return: as filename_lookup(). */
static int
walk_by_reference(const char *path, unsigned int flags, struct path *found)
{
	struct filename name;
	struct nameidata nd;
	int result = getname(&name, path, 0);

	EXPECT_EQUAL(result, 0);
	path_init(&nd, name.name, flags);
	do {
		result = walk_to_parent(&nd);
		if (!result)
			result = walk_last(&nd);
	} while (result > 0);
	if (!result && (nd.flags & LOOKUP_DIRECTORY) && !S_ISDIR(nd.inode->i_mode))
		result = -ENOTDIR;
	if (!result) {
		*found = nd.path;
		path_get(found);
	}
	terminate_walk(&nd);
	putname(&name);
	return result;
}

/* Both ways of walking end at the same place with the same error. */
static void
both_ways_body(void *arg)
{
	make_tree();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int flags = cases[i].flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
		struct path rcu;
		struct path ref = { NULL, NULL };
		int error = user_path_at(cases[i].path, flags, &rcu);

		EXPECT_EQUAL(walk_by_reference(cases[i].path, flags, &ref), error);
		if (error)
			continue;
		BUG_ON(!path_equal(&rcu, &ref), "two ways to %s", cases[i].path);
		path_put(&rcu);
		path_put(&ref);
	}
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
walks_with_and_without_references_agree(void **state)
{
	vfs_harness_alone(both_ways_body, NULL);
}

static void
busy_body(void *arg)
{
	int fd;

	make_tree();
	fd = vfs_harness_open("/mnt/m", O_RDONLY);
	EXPECT_EQUAL(sys_umount("/mnt"), -EBUSY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_chdir("/mnt"), 0);
	EXPECT_EQUAL(sys_umount("/mnt"), -EBUSY);
	fd = vfs_harness_open("m", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_chdir("../d"), 0);
	fd = vfs_harness_open("e/../f", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
	EXPECT_EQUAL(sys_umount("/"), -EINVAL);
	EXPECT_EQUAL(sys_mount("none", "/f", "tmpfs", 0, NULL), -ENOTDIR);
	EXPECT_EQUAL(sys_mount("none", "/d", "nosuchfs", 0, NULL), -ENODEV);
}

static void
mounts_in_use_stay(void **state)
{
	vfs_harness_alone(busy_body, NULL);
}

static void
permissions_body(void *arg)
{
	int fd;

	EXPECT_EQUAL(sys_mkdir("/private", 0700), 0);
	EXPECT_EQUAL(sys_mkdir("/readable", 0744), 0);
	vfs_harness_file("/private/f", 1, 'x');
	vfs_harness_file("/readable/f", 1, 'x');
	vfs_harness_file("/mine", 1, 'x');
	vfs_harness_become(1000, 1000);
	EXPECT_EQUAL(sys_open("/private/f", O_RDONLY, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/private/x", O_RDONLY, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/readable/f", O_RDONLY, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/mine", O_RDWR, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/mine", O_RDONLY | O_TRUNC, 0), -EACCES);
	EXPECT_EQUAL(sys_open("/new", O_RDWR | O_CREAT, 0600), -EACCES);
	EXPECT_EQUAL(sys_mkdir("/new", 0700), -EACCES);
	fd = vfs_harness_open("/mine", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	vfs_harness_become(0, 0);
	fd = vfs_harness_open("/private/f", O_RDWR);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
modes_are_respected(void **state)
{
	vfs_harness_alone(permissions_body, NULL);
}

/* Forty links are followed and no more, whether they nest or follow each other. */
static void
forty_links_body(void *arg)
{
	char path[4 * 41 + 8] = "/";
	char name[16];
	char target[16];
	int fd;

	vfs_harness_file("/l0", 1, 'x');
	for (int i = 1; i <= 41; i++) {
		snprintf(target, sizeof(target), "l%d", i - 1);
		snprintf(name, sizeof(name), "/l%d", i);
		EXPECT_EQUAL(sys_symlink(target, name), 0);
	}
	fd = vfs_harness_open("/l40", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_open("/l41", O_RDONLY, 0), -ELOOP);
	EXPECT_EQUAL(sys_symlink(".", "/me"), 0);
	for (int i = 0; i < 40; i++)
		strcat(path, "me/");
	strcat(path, "l0");
	fd = vfs_harness_open(path, O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	memmove(path + 3, path, strlen(path) + 1);
	memcpy(path, "/me", 3);
	EXPECT_EQUAL(sys_open(path, O_RDONLY, 0), -ELOOP);
}

static void
forty_links_and_no_more(void **state)
{
	vfs_harness_alone(forty_links_body, NULL);
}

/* A path of 4095 bytes through directories of 255. */
static void
deep_body(void *arg)
{
	char path[PATH_MAX];
	size_t len = 0;
	int fd;

	while (len + 256 < PATH_MAX) {
		path[len++] = '/';
		memset(path + len, 'd', 255);
		len += 255;
		path[len] = '\0';
		if (len + 256 < PATH_MAX)
			EXPECT_EQUAL(sys_mkdir(path, 0755), 0);
	}
	fd = vfs_harness_open(path, O_RDWR | O_CREAT);
	EXPECT_EQUAL(sys_close(fd), 0);
	memset(path + len, '/', PATH_MAX - 1 - len);
	path[PATH_MAX - 1] = '\0';
	EXPECT_EQUAL(sys_open(path, O_RDONLY, 0), -ENOTDIR);
}

static void
deep_directories_with_long_names(void **state)
{
	vfs_harness_alone(deep_body, NULL);
}

/* Paths of 1 to 200 bytes whose NUL is the last byte that there is to read. */
static void
page_end_body(void *arg)
{
	char *pages = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + PAGE_SIZE;
	struct stat stat;

	vfs_harness_file("/f", 1, 'f');
	EXPECT_EQUAL(mprotect(end, PAGE_SIZE, PROT_NONE), 0);
	memset(pages, '/', PAGE_SIZE - 1);
	end[-1] = '\0';
	EXPECT_EQUAL(sys_stat(end - 1, &stat), -ENOENT);
	for (size_t len = 1; len <= 200; len++) {
		end[-2] = '/';
		EXPECT_EQUAL(sys_stat(end - len - 1, &stat), 0);
		EXPECT_EQUAL(S_ISDIR(stat.st_mode), true);
		end[-2] = 'f';
		EXPECT_EQUAL(sys_stat(end - len - 1, &stat), 0);
		EXPECT_EQUAL(S_ISREG(stat.st_mode), true);
	}
	munmap(pages, 2 * PAGE_SIZE);
}

static void
paths_at_the_end_of_a_page(void **state)
{
	vfs_harness_alone(page_end_body, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_where_they_should),
		cmocka_unit_test(walks_with_and_without_references_agree),
		cmocka_unit_test(mounts_in_use_stay),
		cmocka_unit_test(modes_are_respected),
		cmocka_unit_test(forty_links_and_no_more),
		cmocka_unit_test(deep_directories_with_long_names),
		cmocka_unit_test(paths_at_the_end_of_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
