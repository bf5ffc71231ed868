/*
 * tmpfs.c - see tmpfs.h
 *
 * Writes that tasks share when they make or remove files: the directory's inode
 * lock, size and times, and stat_lock, which counts inodes and numbers them.
 *
 * Differences from Linux: no limits of its own (memory is the limit), no extended
 * attributes, no swap, no quotas.
 */
#include "vfs/tmpfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/arena.h"
#include "machine/names.h"
#include "vfs/file.h"
#include "vfs/simple_offset.h"
#include "vfs/super.h"
#include "vfs/vfs.h"

#define DIRENT_SIZE 20 /* what each entry adds to a directory's size, as in Linux */

struct tmpfs_info {
	spinlock_t stat_lock;	/* guards what follows */
	u64 next_ino;
	u64 inodes;		/* made and not freed */
};

/* Nobody uses it and nobody can find out more: negative ones go at once. */
static bool
always_delete(const struct dentry *dentry)
{
	return true;
}

static const struct dentry_operations tmpfs_dentry_operations = { .d_delete = always_delete };

static u64
reserve_inode(struct super_block *sb)
{
	struct tmpfs_info *info = sb->s_fs_info;
	u64 ino;

	spin_lock(&info->stat_lock);
	ino = ++info->next_ino;
	info->inodes++;
	spin_unlock(&info->stat_lock);
	return ino;
}

static void
free_inode(struct super_block *sb)
{
	struct tmpfs_info *info = sb->s_fs_info;

	spin_lock(&info->stat_lock);
	info->inodes--;
	spin_unlock(&info->stat_lock);
}

static void
tmpfs_evict_inode(struct inode *inode)
{
	struct offset_ctx *names = inode->i_private;

	if (names) {
		simple_offset_destroy(names);
		arena_free(names, sizeof(*names));
	}
	free_inode(inode->i_sb);
}

static const struct super_operations tmpfs_super_operations = { .evict_inode = tmpfs_evict_inode };

static bool
make_directory(struct inode *inode)
{
	struct offset_ctx *names = arena_alloc(sizeof(*names), CACHE_LINE, numa_node_id());

	if (!names)
		return false;
	simple_offset_init(names);
	inode->i_private = names;
	inode->i_op = &tmpfs_dir_inode_operations;
	inode->i_fop = &tmpfs_dir_operations;
	inode->i_nlink = 2;
	return true;
}

/* A new inode made in @dir, with its operations. Return: NULL without memory. */
static struct inode *
tmpfs_new_inode(struct super_block *sb, const struct inode *dir, mode_t mode)
{
	struct inode *inode = new_inode(sb, reserve_inode(sb), dir, mode);

	if (!inode) {
		free_inode(sb);
		return NULL;
	}
	if (S_ISDIR(mode)) {
		if (!make_directory(inode)) {
			discard_new_inode(inode);
			return NULL;
		}
	} else if (S_ISLNK(mode)) {
		inode->i_op = &tmpfs_symlink_inode_operations;
	} else {
		inode->i_op = &tmpfs_file_inode_operations;
		inode->i_fop = &tmpfs_file_operations;
	}
	return inode;
}

static int
tmpfs_fill_super(struct super_block *sb, const char *data)
{
	struct tmpfs_info *info = arena_alloc(sizeof(*info), CACHE_LINE, 0);
	struct inode *inode;

	if (!info)
		return -ENOMEM;
	memset(info, 0, sizeof(*info));
	sb->s_fs_info = info;
	sb->s_op = &tmpfs_super_operations;
	sb->s_d_op = &tmpfs_dentry_operations;
	inode = tmpfs_new_inode(sb, NULL, S_IFDIR | 0755);
	if (inode)
		sb->s_root = d_make_root(sb, inode);
	return sb->s_root ? 0 : -ENOMEM;
}

static void
tmpfs_kill_sb(struct super_block *sb)
{
	struct tmpfs_info *info = sb->s_fs_info;

	if (!info)
		return;
	BUG_ON(info->inodes, "%llu inodes of a tmpfs leaked", (unsigned long long)info->inodes);
	arena_free(info, sizeof(*info));
}

/* The names of a directory that is still there, or NULL. Context: reporting. */
static struct dentry *
find_directory(const struct super_block *sb, const void *address)
{
	struct dentry *at = sb->s_root;

	for (; at; at = next_in_tree(sb->s_root, at)) {
		const struct offset_ctx *names = at->d_inode ? at->d_inode->i_private : NULL;

		if (names && (size_t)((const char *)address - (const char *)names) < sizeof(*names))
			return at;
	}
	return NULL;
}

static bool
tmpfs_name_object(const struct super_block *sb, const void *address, struct object_name *name)
{
	struct tmpfs_info *info = sb->s_fs_info;
	struct dentry *directory;
	char path[40];

	if ((size_t)((const char *)address - (const char *)info) < sizeof(*info)) {
		*name = (struct object_name){ "tmpfs_info", "tmpfs_info", info };
		return true;
	}
	directory = find_directory(sb, address);
	if (!directory)
		return false;
	name->type = "offset_ctx";
	name->start = directory->d_inode->i_private;
	snprintf(name->name, sizeof(name->name), "names in %s",
		 dentry_path(directory, path, sizeof(path)));
	return true;
}

const struct file_system_type tmpfs_type = {
	.name = "tmpfs",
	.litter = true,
	.fill_super = tmpfs_fill_super,
	.kill_sb = tmpfs_kill_sb,
	.name_object = tmpfs_name_object,
};

/* --- names ---------------------------------------------------------------- */

/* An entry more or less in @dir. Context: its inode lock held. */
static void
count_entry(struct inode *dir, int entries)
{
	smp_store_release(&dir->i_size, dir->i_size + entries * DIRENT_SIZE);
	inode_update_time(dir, ATTR_MTIME | ATTR_CTIME);
}

/* A name that the cache does not have does not exist. */
static int
tmpfs_lookup(struct inode *dir, struct dentry *dentry)
{
	d_add(dentry, NULL);
	return 0;
}

/*
 * Give @inode, new, the name @dentry, which is pinned from now on. Return: 0, or
 * -ENOMEM, and the inode is gone.
 */
static int
add_name(struct inode *dir, struct dentry *dentry, struct inode *inode)
{
	int error = simple_offset_add(dir->i_private, dentry);

	if (error) {
		discard_new_inode(inode);
		return error;
	}
	count_entry(dir, 1);
	d_instantiate(dentry, inode);
	dget(dentry);
	return 0;
}

static int
tmpfs_create(struct inode *dir, struct dentry *dentry, mode_t mode)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, dir, mode);

	return inode ? add_name(dir, dentry, inode) : -ENOMEM;
}

static int
tmpfs_mkdir(struct inode *dir, struct dentry *dentry, mode_t mode)
{
	int error = tmpfs_create(dir, dentry, mode);

	if (!error)
		inode_add_nlink(dir, 1);
	return error;
}

static int
tmpfs_symlink(struct inode *dir, struct dentry *dentry, const char *text, size_t len)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, dir, S_IFLNK | 0777);

	if (!inode)
		return -ENOMEM;
	if (!inode_set_link(inode, text, len)) {
		discard_new_inode(inode);
		return -ENOMEM;
	}
	return add_name(dir, dentry, inode);
}

/* The name is not in @dir any more. */
static void
drop_name(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	count_entry(dir, -1);
	inode_update_time(inode, ATTR_CTIME);
	inode_add_nlink(inode, -1);
	dput(dentry); /* the pin; the caller has a reference, too */
}

static int
tmpfs_unlink(struct inode *dir, struct dentry *dentry)
{
	simple_offset_remove(dir->i_private, dentry);
	drop_name(dir, dentry);
	return 0;
}

/* The directory's own "." and its ".." go. */
static void
drop_directory(struct inode *dir, struct dentry *dentry)
{
	inode_add_nlink(d_inode(dentry), -1);
	inode_add_nlink(dir, -1);
	drop_name(dir, dentry);
}

static bool
is_empty(const struct inode *dir)
{
	const struct offset_ctx *names = dir->i_private;

	return xa_empty(&names->xa);
}

static int
tmpfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	if (!is_empty(d_inode(dentry)))
		return -ENOTEMPTY;
	simple_offset_remove(dir->i_private, dentry);
	drop_directory(dir, dentry);
	return 0;
}

/* The name @new, if it leads anywhere, goes. */
static int
tmpfs_rename(struct inode *old_dir, struct dentry *old, struct inode *new_dir, struct dentry *new)
{
	bool is_dir = d_is_dir(old);
	bool replaces = !d_is_negative(new);
	int error;

	if (replaces && is_dir && !is_empty(d_inode(new)))
		return -ENOTEMPTY;
	error = simple_offset_rename(old_dir->i_private, old, new_dir->i_private, new);
	if (error)
		return error;
	if (replaces && is_dir)
		drop_directory(new_dir, new);
	else if (replaces)
		drop_name(new_dir, new);
	if (is_dir) {
		inode_add_nlink(old_dir, -1);
		inode_add_nlink(new_dir, 1);
	}
	count_entry(old_dir, -1);
	count_entry(new_dir, 1);
	inode_update_time(d_inode(old), ATTR_CTIME);
	return 0;
}

static int
tmpfs_setsize(struct inode *inode, loff_t size)
{
	inode_truncate(inode, size);
	return 0;
}

const struct inode_operations tmpfs_dir_inode_operations = {
	.lookup = tmpfs_lookup,
	.create = tmpfs_create,
	.mkdir = tmpfs_mkdir,
	.symlink = tmpfs_symlink,
	.unlink = tmpfs_unlink,
	.rmdir = tmpfs_rmdir,
	.rename = tmpfs_rename,
};

const struct inode_operations tmpfs_file_inode_operations = { .setsize = tmpfs_setsize };

const struct inode_operations tmpfs_symlink_inode_operations = { 0 };

/* --- contents ------------------------------------------------------------- */

static ssize_t
tmpfs_read(struct file *file, void *buf, size_t count, loff_t pos)
{
	return shmem_read(file_mapping(file), buf, count, pos, &file->f_inode->i_size);
}

static ssize_t
tmpfs_write(struct file *file, const void *buf, size_t count, loff_t pos)
{
	return shmem_write(file_mapping(file), buf, count, pos, &file->f_inode->i_size);
}

/* The inode lock, because what changes pages and size holds it. */
static loff_t
tmpfs_seek_hole_data(struct file *file, loff_t offset, int whence)
{
	struct address_space *mapping = file_mapping(file);
	struct inode *inode = file->f_inode;

	inode_lock(inode);
	offset = mapping_seek_hole_data(mapping, offset, inode->i_size, whence == SEEK_DATA);
	inode_unlock(inode);
	return offset;
}

const struct file_operations tmpfs_file_operations = {
	.read = tmpfs_read,
	.write = tmpfs_write,
	.seek_hole_data = tmpfs_seek_hole_data,
	.can_odirect = true,
};

static int
tmpfs_iterate(struct file *file, struct dir_context *context)
{
	return simple_offset_iterate(file, file->f_inode->i_private, context);
}

const struct file_operations tmpfs_dir_operations = { .iterate_shared = tmpfs_iterate };
