/*
 * vfs_names_test.c - what reports call the room's objects
 */
#include "tests/vfs_harness.h"

#include "machine/names.h"
#include "vfs/fdtable.h"
#include "vfs/simple_offset.h"

#define EXPECT_NAME(address, wanted) expect_name(#address, address, wanted)

static void
expect_name(const char *what, const void *address, const char *wanted)
{
	struct object_name name = { .name = "nothing" };

	BUG_ON(!name_of(address, &name) || strcmp(name.name, wanted), "%s is '%s' and not '%s'",
	       what, name.name, wanted);
	BUG_ON((const char *)address < (const char *)name.start, "%s starts behind it", what);
}

static void
look(void *unused)
{
	struct vfs *vfs = kernel.vfs;
	struct dentry *root = vfs->mounts.root->mnt.mnt_root;
	struct super_block *sb = root->d_sb;
	struct dentry *dir;

	EXPECT_EQUAL(sys_mkdir("/dir", 0755), 0);
	dir = next_in_tree(root, root);
	EXPECT_NAME(dir, "dentry /dir");
	EXPECT_NAME(d_lockref(dir), "dentry /dir");
	EXPECT_NAME(&dir->d_inode->i_rwsem, "inode /dir");
	EXPECT_NAME(dir->d_inode->i_private, "names in /dir");
	EXPECT_NAME(kernel.machine, "machine");
	EXPECT_NAME(&vfs->mounts.lock, "vfs");
	EXPECT_NAME(&vfs->rename_lock, "vfs");
	EXPECT_NAME(&vfs->lsm_label, "vfs");
	EXPECT_NAME(&vfs->dcache.hash[19], "dentry hash from chain 16");
	EXPECT_NAME(&vfs->dcache.in_lookup[8], "in-lookup hash from chain 8");
	EXPECT_NAME(&vfs->dcache.in_lookup_wait[2], "in-lookup wait queue 2");
	EXPECT_NAME(&sb->s_active, "super_block 1 of tmpfs");
	EXPECT_NAME(&sb->s_dentry_lru[0].nr, "dentry LRU 1 of node 0");
	EXPECT_NAME(sb->s_fs_info, "tmpfs_info");
}

/* The first table lies in files_struct; the one after it, for a hundred descriptors, has 128. */
static void
outgrow_the_first_table(void *unused)
{
	int fd = vfs_harness_open("/", O_RDONLY);
	const struct fdtable *fdt;

	EXPECT_NAME(&current->files->fdt->fd[fd], "files_struct");
	EXPECT_EQUAL(sys_dup2(fd, 100), 100);
	fdt = current->files->fdt;
	EXPECT_NAME(fdt, "fdtable of 128");
	EXPECT_NAME(&fdt->fd[100], "descriptors of 128");
	EXPECT_NAME(fdt->open_fds, "descriptor bitmaps of 128");
}

static void
every_object_has_a_name(void **state)
{
	(void)state;
	vfs_harness_boot(1);
	vfs_harness_init(look, NULL);
	vfs_harness_run(TASK_PROCESS, 1, outgrow_the_first_table, NULL);
	vfs_harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_object_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
