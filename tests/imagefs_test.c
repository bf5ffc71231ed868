/*
 * imagefs_test.c - a file system on a disk, and the inode cache under it
 *
 * Goal: what is on the disk is found, cached, and found again after the shrinkers
 * took it from memory, written bytes included; a name that does not exist is
 * remembered; what is removed is gone from the disk, too; a number has one inode
 * at a time, however many ask for it while it comes or goes. Method: a small disk
 * from a table; shrinkers called by hand, and by one task while others work.
 */
#include <errno.h>

#include "machine/err.h"
#include "machine/random.h"
#include "machine/slab.h"
#include "tests/dirent64.h"
#include "tests/vfs_harness.h"
#include "vfs/dcache.h"
#include "vfs/image.h"
#include "vfs/inode_cache.h"
#include "vfs/namei.h"
#include "vfs/super.h"

static const struct image_file files[] = {
	{ "hello", S_IFREG | 0644, "hello, world" },
	{ "dir", S_IFDIR | 0755, NULL },
	{ "dir/a-name-that-is-longer-than-forty-bytes-are", S_IFREG | 0600, "long" },
	{ "dir/inner", S_IFDIR | 0700, NULL },
	{ "dir/inner/empty", S_IFREG | 0444, NULL },
	{ "link", S_IFLNK | 0777, "dir/../hello" },
	{ NULL, 0, NULL },
};

static struct super_block *sb;

static void
mount_disk(void *data)
{
	struct path root;

	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", "image", 0, data), 0);
	EXPECT_EQUAL(user_path_at("/mnt", LOOKUP_FOLLOW, &root), 0);
	sb = root.mnt->mnt_sb;
	path_put(&root);
}

static void
run(void (*body)(void *arg))
{
	vfs_harness_boot(1);
	vfs_harness_init(mount_disk, (void *)files);
	vfs_harness_init(body, NULL);
	vfs_harness_shutdown();
}

/* Take everything unused from memory. */
static void
drop_caches(void)
{
	while (prune_dcache_sb(sb, 1000))
		;
	while (prune_icache_sb(sb, 1000))
		;
}

static void
expect_contents(const char *path, const char *contents)
{
	char buf[64] = "";
	int fd = vfs_harness_open(path, O_RDONLY);

	EXPECT_EQUAL(sys_pread(fd, buf, sizeof(buf), 0), strlen(contents));
	EXPECT(!strcmp(buf, contents));
	EXPECT_EQUAL(sys_close(fd), 0);
}

/* --- one task ------------------------------------------------------------- */

static void
contents_body(void *arg)
{
	struct path path;
	char text[32] = "";

	for (int i = 0; i < 2; i++) {
		expect_contents("/mnt/hello", "hello, world");
		expect_contents("/mnt/link", "hello, world");
		expect_contents("/mnt/dir/a-name-that-is-longer-than-forty-bytes-are", "long");
		expect_contents("/mnt/dir/inner/empty", "");
		EXPECT_EQUAL(sys_readlink("/mnt/link", text, sizeof(text)), 12);
		EXPECT(!strcmp(text, "dir/../hello"));
		EXPECT_EQUAL(user_path_at("/mnt/dir", 0, &path), 0);
		EXPECT_EQUAL(d_inode(path.dentry)->i_mode, S_IFDIR | 0755);
		EXPECT_EQUAL(d_inode(path.dentry)->i_nlink, 3);
		path_put(&path);
		EXPECT_EQUAL(sys_open("/mnt/nowhere", O_RDONLY, 0), -ENOENT);
		drop_caches();
	}
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
what_is_on_the_disk_is_found(void **state)
{
	run(contents_body);
}

static void
bad_disks_body(void *arg)
{
	static const struct image_file orphan[] = { { "no/file", S_IFREG | 0644, NULL }, { 0 } };
	static const struct image_file twice[] = {
		{ "f", S_IFREG | 0644, "x" }, { "f", S_IFREG | 0644, "x" }, { 0 }
	};
	static const struct image_file through[] = {
		{ "f", S_IFREG | 0644, "x" }, { "f/g", S_IFREG | 0644, "x" }, { 0 }
	};

	EXPECT_EQUAL(sys_mkdir("/bad", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/bad", "image", 0, orphan), -ENOENT);
	EXPECT_EQUAL(sys_mount("none", "/bad", "image", 0, twice), -EINVAL);
	EXPECT_EQUAL(sys_mount("none", "/bad", "image", 0, through), -EINVAL);
	EXPECT_EQUAL(sys_rmdir("/bad"), 0);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
bad_disks_are_not_mounted(void **state)
{
	run(bad_disks_body);
}

/* Dentries stay, negative ones, too; so do inodes; each for the shrinker to take. */
static void
caches_body(void *arg)
{
	size_t inodes = kmem_cache_in_use(kernel.vfs->inode_cache);

	drop_caches();
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 0);
	expect_contents("/mnt/hello", "hello, world");
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 1);
	EXPECT_EQUAL(sys_open("/mnt/nowhere", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 2);
	EXPECT_EQUAL(sys_open("/mnt/nowhere", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 2);
	EXPECT_EQUAL(kmem_cache_in_use(kernel.vfs->inode_cache), inodes + 1);
	/* A dentry holds its inode; without one, the cache does. */
	EXPECT_EQUAL(sb->s_inode_lru.nr, 0);
	EXPECT_EQUAL(prune_icache_sb(sb, 10), 0);
	EXPECT_EQUAL(prune_dcache_sb(sb, 10), 2);
	EXPECT_EQUAL(sb->s_inode_lru.nr, 1);
	/* It is found again, still on the list; the second time it gets a second chance. */
	expect_contents("/mnt/hello", "hello, world");
	EXPECT_EQUAL(kmem_cache_in_use(kernel.vfs->inode_cache), inodes + 1);
	EXPECT_EQUAL(sb->s_inode_lru.nr, 1);
	EXPECT_EQUAL(prune_dcache_sb(sb, 10), 1);
	EXPECT_EQUAL(prune_icache_sb(sb, 10), 1);
	EXPECT_EQUAL(sb->s_inode_lru.nr, 0);
	rcu_barrier();
	EXPECT_EQUAL(kmem_cache_in_use(kernel.vfs->inode_cache), inodes);
	/* A removed name turns negative and stays; its inode does not. */
	EXPECT_EQUAL(sys_unlink("/mnt/hello"), 0);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 1);
	EXPECT_EQUAL(sb->s_inode_lru.nr, 0);
	EXPECT_EQUAL(sys_open("/mnt/hello", O_RDONLY, 0), -ENOENT);
	drop_caches();
	EXPECT_EQUAL(sys_open("/mnt/hello", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_open("/mnt/link", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
unused_ones_stay_until_the_shrinker_comes(void **state)
{
	run(caches_body);
}

#define PAGES 5

static void
fill(char *buf, size_t size, int seed)
{
	for (size_t i = 0; i < size; i++)
		buf[i] = (char)((i * 7 + i / 4096 + (size_t)seed) % 251);
}

static void
expect_bytes(const char *path, const char *wanted, size_t size)
{
	char buf[PAGES * 4096];
	int fd = vfs_harness_open(path, O_RDONLY);

	EXPECT_EQUAL(sys_pread(fd, buf, sizeof(buf), 0), size);
	EXPECT(!memcmp(buf, wanted, size));
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
write_body(void *arg)
{
	char bytes[PAGES * 4096];
	int fd;

	fill(bytes, sizeof(bytes), 1);
	fd = vfs_harness_open("/mnt/dir/new", O_RDWR | O_CREAT | O_EXCL);
	EXPECT_EQUAL(sys_pwrite(fd, bytes, 10000, 0), 10000);
	/* With a hole of a page and a bit. */
	EXPECT_EQUAL(sys_pwrite(fd, bytes + 17000, 3000, 17000), 3000);
	memset(bytes + 10000, 0, 7000);
	expect_bytes("/mnt/dir/new", bytes, 20000);
	EXPECT_EQUAL(sys_close(fd), 0);
	drop_caches();
	expect_bytes("/mnt/dir/new", bytes, 20000);
	drop_caches();
	/* Part of a page that is not in memory. */
	fd = vfs_harness_open("/mnt/dir/new", O_RDWR);
	EXPECT_EQUAL(sys_pwrite(fd, "xyz", 3, 5000), 3);
	memcpy(bytes + 5000, "xyz", 3);
	expect_bytes("/mnt/dir/new", bytes, 20000);
	EXPECT_EQUAL(sys_close(fd), 0);
	drop_caches();
	expect_bytes("/mnt/dir/new", bytes, 20000);
	/* What was cut off is zero when the file grows again, in memory or not. */
	for (int i = 0; i < 2; i++) {
		loff_t cut = 9000 - 4000 * i;

		fd = vfs_harness_open("/mnt/dir/new", O_RDWR);
		EXPECT_EQUAL(sys_ftruncate(fd, cut), 0);
		EXPECT_EQUAL(sys_ftruncate(fd, 20000), 0);
		memset(bytes + cut, 0, 20000 - (size_t)cut);
		expect_bytes("/mnt/dir/new", bytes, 20000);
		EXPECT_EQUAL(sys_close(fd), 0);
		drop_caches();
	}
	expect_bytes("/mnt/dir/new", bytes, 20000);
	EXPECT_EQUAL(sys_rename("/mnt/dir/new", "/mnt/hello"), 0);
	drop_caches();
	expect_bytes("/mnt/link", bytes, 20000);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
written_bytes_survive_the_cache(void **state)
{
	run(write_body);
}

/* What is removed while it is open goes with the last close, from the disk, too. */
static void
removed_body(void *arg)
{
	struct image *image = sb->s_fs_info;
	struct path path;
	u64 ino;
	int fd;

	EXPECT_EQUAL(user_path_at("/mnt/hello", 0, &path), 0);
	ino = d_inode(path.dentry)->i_ino;
	path_put(&path);
	fd = vfs_harness_open("/mnt/hello", O_RDWR);
	EXPECT_EQUAL(sys_unlink("/mnt/hello"), 0);
	drop_caches();
	EXPECT(image_find_inode(image, ino));
	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 100), 1);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT(!image_find_inode(image, ino));
	/* A name is made anew where one was remembered as missing. */
	EXPECT_EQUAL(sys_open("/mnt/hello", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_symlink("dir", "/mnt/hello"), 0);
	drop_caches();
	fd = vfs_harness_open("/mnt/hello/inner", O_RDONLY | O_DIRECTORY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
removed_files_leave_the_disk(void **state)
{
	run(removed_body);
}

#define MANY 3000

/* Many names share chains; each is read once, also while others go. */
static void
readdir_body(void *arg)
{
	unsigned char met[MANY] = { 0 };
	char path[32];
	char buf[1000];
	ssize_t got;
	int total = 0;
	int fd;
	int nr;

	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "/mnt/dir/inner/f%d", i);
		fd = sys_creat(path, 0644);
		EXPECT(fd >= 0);
		EXPECT_EQUAL(sys_close(fd), 0);
	}
	fd = vfs_harness_open("/mnt/dir/inner", O_RDONLY);
	while ((got = sys_getdents64(fd, buf, sizeof(buf))) > 0) {
		for_each_dirent64 (entry, buf, got) {
			total++;
			if (sscanf(entry->d_name, "f%d", &nr) != 1)
				continue;
			EXPECT_EQUAL(entry->d_type, DT_REG);
			EXPECT_EQUAL(met[nr]++, 0);
			/* Every other one goes as it is met. */
			if (nr % 2) {
				snprintf(path, sizeof(path), "/mnt/dir/inner/f%d", nr);
				EXPECT_EQUAL(sys_unlink(path), 0);
			}
		}
	}
	EXPECT_EQUAL(got, 0);
	EXPECT_EQUAL(sys_close(fd), 0);
	/* ".", "..", "empty". */
	EXPECT_EQUAL(total, MANY + 3);
	EXPECT_EQUAL(sys_rmdir("/mnt/dir/inner"), -ENOTEMPTY);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
directories_are_read_in_hash_order(void **state)
{
	run(readdir_body);
}

/* --- many tasks ----------------------------------------------------------- */

#define TASKS 4
#define ROUNDS 200

static atomic_t started;
static atomic_t finished;
static atomic_t made;

/* The last one unmounts. */
static void
finish(void)
{
	if (atomic_fetch_add(1, &finished) + 1 == TASKS)
		EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
run_all(void (*body)(void *arg), void *disk)
{
	atomic_init(&started, 0);
	atomic_init(&finished, 0);
	atomic_init(&made, 0);
	vfs_harness_boot(TASKS);
	vfs_harness_init(mount_disk, disk);
	vfs_harness_run(TASK_PROCESS, TASKS, body, NULL);
	vfs_harness_shutdown();
}

/* All ask for the same numbers, which go as soon as nobody has them. */
static void
iget_body(void *arg)
{
	for (u64 ino = 1000; ino < 1000 + ROUNDS; ino++) {
		struct inode *inode = iget_locked(sb, ino / 2);

		EXPECT(inode);
		if (READ_ONCE(inode->i_state) & I_NEW) {
			atomic_inc(&made);
			/* Every third one cannot be filled in. */
			if (ino % 3 == 0) {
				iget_failed(inode);
				continue;
			}
			inode->i_mode = S_IFREG | 0644;
			unlock_new_inode(inode);
		}
		EXPECT_EQUAL(inode->i_mode, S_IFREG | 0644);
		EXPECT_EQUAL(inode->i_ino, ino / 2);
		iput(inode);
		if (ino % 8 == 0)
			prune_icache_sb(sb, 4);
	}
	finish();
}

static void
a_number_has_one_inode(void **state)
{
	run_all(iget_body, NULL);
	assert_true(atomic_read(&made) >= ROUNDS / 2);
}

/* Three open, write and read their files and a common one; one shrinks the caches. */
static void
shrink_body(void *arg)
{
	int self = atomic_fetch_add(1, &started);
	char path[24];

	snprintf(path, sizeof(path), "/mnt/dir/own%d", self);
	for (int i = 0; i < ROUNDS; i++) {
		int fd;
		int got = -1;

		if (!self) {
			prune_dcache_sb(sb, 2);
			prune_icache_sb(sb, 2);
			cond_resched();
			continue;
		}
		fd = vfs_harness_open(path, O_RDWR | O_CREAT);
		if (i)
			EXPECT_EQUAL(sys_pread(fd, &got, sizeof(got), i * 100), 0);
		if (i)
			EXPECT_EQUAL(sys_pread(fd, &got, sizeof(got), (i - 1) * 100), sizeof(got));
		EXPECT_EQUAL(got, i - 1);
		EXPECT_EQUAL(sys_pwrite(fd, &i, sizeof(i), i * 100), sizeof(i));
		EXPECT_EQUAL(sys_close(fd), 0);
		expect_contents("/mnt/link", "hello, world");
		EXPECT_EQUAL(sys_open("/mnt/nowhere", O_RDONLY, 0), -ENOENT);
	}
	finish();
}

static void
shrinkers_take_nothing_that_is_used(void **state)
{
	run_all(shrink_body, (void *)files);
}

/* What a writer takes from a file's mode is gone from the disk, too. */
static void
modes_body(void *arg)
{
	struct stat stat;
	int fd;

	EXPECT_EQUAL(sys_umask(0), 022);
	EXPECT_EQUAL(sys_close(sys_open("/mnt/set", O_CREAT | O_RDWR, 06777)), 0);
	drop_caches();
	EXPECT_EQUAL(sys_stat("/mnt/set", &stat), 0);
	EXPECT_EQUAL(stat.st_mode, S_IFREG | 06777);
	vfs_harness_become(1000, 1000);
	fd = vfs_harness_open("/mnt/set", O_WRONLY);
	EXPECT_EQUAL(sys_write(fd, "x", 1), 1);
	EXPECT_EQUAL(sys_close(fd), 0);
	drop_caches();
	EXPECT_EQUAL(sys_stat("/mnt/set", &stat), 0);
	EXPECT_EQUAL(stat.st_mode, S_IFREG | 0777);
	EXPECT_EQUAL(sys_open("/mnt/set", O_RDONLY | O_DIRECT, 0), -EINVAL); /* it cannot */
	vfs_harness_become(0, 0);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
modes_survive_the_cache(void **state)
{
	run(modes_body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_on_the_disk_is_found),
		cmocka_unit_test(bad_disks_are_not_mounted),
		cmocka_unit_test(unused_ones_stay_until_the_shrinker_comes),
		cmocka_unit_test(written_bytes_survive_the_cache),
		cmocka_unit_test(modes_survive_the_cache),
		cmocka_unit_test(removed_files_leave_the_disk),
		cmocka_unit_test(directories_are_read_in_hash_order),
		cmocka_unit_test(a_number_has_one_inode),
		cmocka_unit_test(shrinkers_take_nothing_that_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
