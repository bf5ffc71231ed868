/*
 * dcache_test.c - what stays cached, what the shrinker takes, and renames under lookups
 *
 * Goal: an unused dentry goes onto its LRU once, is marked as used the second time
 * and not written after that; the shrinker passes over what is used; walks that
 * meet a rename find the file under one of its names or not at all, and never
 * another one; of many tasks that miss a name at once one asks the file system.
 * Method: a file system of this test's own, whose dentries nobody pins; and tmpfs.
 */
#include <errno.h>

#include "machine/arena.h"
#include "machine/err.h"
#include "machine/rcu.h"
#include "tests/vfs_harness.h"
#include "vfs/dentry_name.h"
#include "vfs/inode.h"
#include "vfs/namei.h"
#include "vfs/nameidata.h"

static atomic_t asked; /* lookups that got as far as the file system */

static int
no_such_name(struct inode *dir, struct dentry *dentry)
{
	atomic_inc(&asked);
	d_add(dentry, NULL);
	return 0;
}

static const struct inode_operations empty_dir = { .lookup = no_such_name };

static int
fill_empty(struct super_block *sb, const char *data)
{
	struct inode *inode = new_inode(sb, 1, NULL, S_IFDIR | 0755);

	if (!inode)
		return -ENOMEM;
	inode->i_op = &empty_dir;
	sb->s_root = d_make_root(sb, inode);
	return sb->s_root ? 0 : -ENOMEM;
}

static const struct file_system_type empty_type = { .name = "empty", .fill_super = fill_empty };

static struct dentry *
look(struct super_block *sb, const char *path)
{
	struct inode *dir = d_inode(sb->s_root);
	struct filename name;
	struct qstr last;
	struct dentry *dentry;

	EXPECT_EQUAL(getname(&name, path, 0), 0);
	hash_component(dir->i_salt, name.name, &last);
	inode_lock_shared(dir);
	dentry = lookup_locked(&last, sb->s_root);
	inode_unlock_shared(dir);
	putname(&name);
	EXPECT(!IS_ERR(dentry));
	return dentry;
}

static void
lru_body(void *arg)
{
	struct super_block *sb = sget(&empty_type, NULL);
	struct dentry *used;
	struct dentry *a;
	struct dentry *b;

	EXPECT(!IS_ERR(sb));
	a = look(sb, "a");
	EXPECT_EQUAL(d_count(a), 1);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 0);
	dput(a);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 1);
	EXPECT_EQUAL(d_flags(a) & (DCACHE_LRU_LIST | DCACHE_REFERENCED), DCACHE_LRU_LIST);
	EXPECT(look(sb, "a") == a);
	dput(a);
	EXPECT(d_flags(a) & DCACHE_REFERENCED);
	b = look(sb, "b");
	dput(b);
	used = look(sb, "a-name-that-is-longer-than-forty-bytes-are");
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 2);
	dput(used);
	EXPECT(look(sb, "a-name-that-is-longer-than-forty-bytes-are") == used);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 3);
	/* a gets a second chance, b goes. */
	EXPECT_EQUAL(prune_dcache_sb(sb, 1), 1);
	EXPECT(look(sb, "a") == a);
	EXPECT(!(d_flags(a) & DCACHE_REFERENCED));
	dput(a);
	EXPECT_EQUAL(atomic_read(&asked), 3);
	/* What is used only leaves the list. */
	EXPECT_EQUAL(prune_dcache_sb(sb, 100), 1);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 0);
	EXPECT_EQUAL(d_count(used), 1);
	dput(used);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 1);
	EXPECT_EQUAL(d_count(sb->s_root), 2);
	/* One that was unhashed goes with its last reference. */
	used = look(sb, "c");
	d_invalidate(used);
	dput(used);
	EXPECT_EQUAL(vfs_harness_unused_dentries(sb), 1);
	deactivate_super(sb);
}

static void
unused_dentries_stay_for_a_while(void **state)
{
	atomic_init(&asked, 0);
	vfs_harness_boot(1);
	vfs_harness_init(lru_body, NULL);
	vfs_harness_shutdown();
}

/* --- many tasks ----------------------------------------------------------- */

#define TASKS 4
#define ROUNDS 300

static struct super_block *shared;
static atomic_t started;

static void
miss_body(void *arg)
{
	char path[16];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(path, sizeof(path), "n%d", i);
		dput(look(shared, path));
	}
}

static void
make_shared(void *arg)
{
	shared = sget(&empty_type, NULL);
	EXPECT(!IS_ERR(shared));
}

static void
drop_shared(void *arg)
{
	deactivate_super(shared);
}

static void
misses_ask_once(void **state)
{
	atomic_init(&asked, 0);
	vfs_harness_boot(TASKS);
	vfs_harness_init(make_shared, NULL);
	vfs_harness_run(TASK_PROCESS, TASKS, miss_body, NULL);
	assert_int_equal(atomic_read(&asked), ROUNDS);
	assert_int_equal(process_run_alone(drop_shared, NULL, "drop"), 0);
	vfs_harness_shutdown();
}

static const char *const names[] = { "/d/x", "/d/e/a-name-that-is-longer-than-forty-bytes-are" };

/* Give what is called names[@from] the other name, as rename(2) does. */
static void
move(int from)
{
	struct path old;
	struct path parent;
	struct dentry *target;

	EXPECT_EQUAL(user_path_at(names[from], 0, &old), 0);
	target = start_creating_path(names[!from], &parent, 0);
	EXPECT(!IS_ERR(target));
	d_move(old.dentry, target);
	end_creating_path(target, &parent);
	path_put(&old);
}

static void
rename_body(void *arg)
{
	int found = 0;

	if (atomic_fetch_add(1, &started) == 0) {
		for (int i = 0; i < ROUNDS; i++)
			move(i % 2);
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		int fd = sys_open(names[i / 2 % 2], O_RDONLY, 0);
		char byte = 0;

		EXPECT(fd >= 0 || fd == -ENOENT);
		if (fd < 0)
			continue;
		found++;
		EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), 1);
		EXPECT_EQUAL(byte, 'x');
		EXPECT_EQUAL(sys_close(fd), 0);
	}
	EXPECT(found > 0);
}

static void
make_tree(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	vfs_harness_file(names[0], 1, 'x');
}

static void
renames_do_not_mislead_walks(void **state)
{
	for (int layout = 0; layout < 2; layout++) {
		policy_value[POLICY_dentry_layout] = layout;
		atomic_init(&started, 0);
		vfs_harness_boot(TASKS);
		vfs_harness_init(make_tree, NULL);
		vfs_harness_run(TASK_PROCESS, TASKS, rename_body, NULL);
		vfs_harness_shutdown();
	}
	policy_value[POLICY_dentry_layout] = dentry_layout_own_line;
}

/* Files made, and missed, in one directory by all. */
static void
create_body(void *arg)
{
	int self = atomic_fetch_add(1, &started);
	char path[32];
	int fd;

	for (int i = 0; i < ROUNDS / 4; i++) {
		snprintf(path, sizeof(path), "/d/%d-%d", self, i);
		EXPECT_EQUAL(sys_open(path, O_RDONLY, 0), -ENOENT);
		fd = vfs_harness_open(path, O_RDWR | O_CREAT | O_EXCL);
		EXPECT_EQUAL(sys_close(fd), 0);
		snprintf(path, sizeof(path), "/d/both-%d", i);
		fd = vfs_harness_open(path, O_RDWR | O_CREAT);
		EXPECT_EQUAL(sys_close(fd), 0);
	}
}

static void
all_create_in_one_directory(void **state)
{
	for (int kind = TASK_THREAD; kind <= TASK_PROCESS; kind++) {
		atomic_init(&started, 0);
		vfs_harness_boot(TASKS);
		vfs_harness_init(make_tree, NULL);
		vfs_harness_run(kind, TASKS, create_body, NULL);
		vfs_harness_shutdown();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unused_dentries_stay_for_a_while),
		cmocka_unit_test(misses_ask_once),
		cmocka_unit_test(renames_do_not_mislead_walks),
		cmocka_unit_test(all_create_in_one_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
