/*
 * imagefs.c - a file system on a disk: "image"
 *
 * What ext4 is to the layers above: names are looked up on the disk (image.h) and
 * then cached, those that do not exist, too; inodes come through the inode cache
 * and stay there when nobody uses them; files are read by filemap_read(), without a
 * folio's lock, and pages missing in the cache are filled from blocks. What was
 * written stays in the cache, dirty, until its inode leaves memory.
 *
 * So a dentry's last put leaves it on the LRU, and shrinkers may take dentry and
 * inode, which come back by another look at the disk.
 *
 * Lock order: inode lock > invalidate_lock > folio lock > the image's own.
 *
 * Differences from Linux: the disk answers at once; no journal, no write-back but
 * that at the end; a write takes its block at once; no O_DIRECT.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "machine/err.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"
#include "pagecache/uaccess.h"
#include "vfs/dcache.h"
#include "vfs/file.h"
#include "vfs/image.h"
#include "vfs/inode_cache.h"
#include "vfs/readdir.h"
#include "vfs/super.h"

#define DIRECTORY_SIZE 4096 /* what stat says of any */

static const struct inode_operations image_dir_inode_operations;
static const struct inode_operations image_file_inode_operations;
static const struct inode_operations image_symlink_inode_operations;
static const struct file_operations image_file_operations;
static const struct file_operations image_dir_operations;
static const struct address_space_operations image_aops;

static struct image *
image_of(const struct inode *inode)
{
	return inode->i_sb->s_fs_info;
}

/* --- inodes --------------------------------------------------------------- */

static void
set_operations(struct inode *inode)
{
	inode->i_data.a_ops = &image_aops;
	if (S_ISDIR(inode->i_mode)) {
		inode->i_op = &image_dir_inode_operations;
		inode->i_fop = &image_dir_operations;
	} else if (S_ISLNK(inode->i_mode)) {
		inode->i_op = &image_symlink_inode_operations;
	} else {
		inode->i_op = &image_file_inode_operations;
		inode->i_fop = &image_file_operations;
	}
}

/* Fill @inode in from @disk. Context: nobody else uses it yet. Return: 0 or -ENOMEM. */
static int
read_inode(struct inode *inode, struct image_inode *disk)
{
	inode->i_mode = disk->mode;
	inode->i_uid = disk->uid;
	inode->i_gid = disk->gid;
	inode->i_nlink = disk->nlink;
	inode->i_size = S_ISDIR(disk->mode) ? DIRECTORY_SIZE : disk->size;
	inode->i_atime_sec = disk->atime.sec;
	inode->i_atime_nsec = disk->atime.nsec;
	inode->i_mtime_sec = disk->mtime.sec;
	inode->i_mtime_nsec = disk->mtime.nsec;
	inode->i_ctime_sec = disk->ctime.sec;
	inode->i_ctime_nsec = disk->ctime.nsec;
	set_operations(inode);
	if (disk->link && !inode_set_link(inode, disk->link, (size_t)disk->size))
		return -ENOMEM;
	inode->i_private = disk;
	return 0;
}

/* The inode with number @ino, with a reference. Return: ERR_PTR(-ENOMEM). */
static struct inode *
image_iget(struct super_block *sb, u64 ino)
{
	struct inode *inode = iget_locked(sb, ino);
	struct image_inode *disk;
	int error;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	if (!(READ_ONCE(inode->i_state) & I_NEW))
		return inode;
	disk = image_find_inode(sb->s_fs_info, ino);
	BUG_ON(!disk, "the image has no inode %llu", (unsigned long long)ino);
	error = read_inode(inode, disk);
	if (!error) {
		unlock_new_inode(inode);
		return inode;
	}
	iget_failed(inode);
	return ERR_PTR(error);
}

/* Copy dirty pages into their blocks, which writing has made. */
static void
write_pages(struct inode *inode, struct image_inode *disk)
{
	unsigned long index = 0;
	void *block;

	for (; (block = image_next_block(disk, &index)); index++) {
		struct folio *folio = filemap_get_entry(&inode->i_data, index);

		if (!folio)
			continue;
		if (folio_test_dirty(folio)) {
			folio_clear_dirty(folio);
			memcpy(block, folio_address(folio), PAGE_SIZE);
		}
		folio_put(folio);
	}
}

static void
image_write_inode(struct inode *inode)
{
	struct image_inode *disk = inode->i_private;

	if (!disk)
		return;
	disk->mode = inode->i_mode;
	disk->nlink = inode->i_nlink;
	disk->atime = (struct timestamp){ inode->i_atime_sec, inode->i_atime_nsec };
	disk->mtime = (struct timestamp){ inode->i_mtime_sec, inode->i_mtime_nsec };
	disk->ctime = (struct timestamp){ inode->i_ctime_sec, inode->i_ctime_nsec };
	if (!S_ISREG(inode->i_mode))
		return;
	disk->size = inode->i_size;
	write_pages(inode, disk);
}

static void
image_evict_inode(struct inode *inode)
{
	struct image_inode *disk = inode->i_private;

	if (disk && !inode->i_nlink)
		image_free_inode(image_of(inode), disk);
}

static bool
image_keep_inode(const struct inode *inode)
{
	return true;
}

static const struct super_operations image_super_operations = {
	.write_inode = image_write_inode,
	.evict_inode = image_evict_inode,
	.keep_inode = image_keep_inode,
};

static int
image_fill_super(struct super_block *sb, const char *data)
{
	struct image *image = image_create();
	struct inode *root;
	int error = 0;

	if (!image)
		return -ENOMEM;
	sb->s_fs_info = image;
	sb->s_op = &image_super_operations;
	if (data)
		error = image_fill(image, (const void *)data);
	if (error)
		return error;
	root = image_iget(sb, IMAGE_ROOT_INO);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(sb, root);
	return sb->s_root ? 0 : -ENOMEM;
}

static void
image_kill_sb(struct super_block *sb)
{
	if (sb->s_fs_info)
		image_destroy(sb->s_fs_info);
}

const struct file_system_type image_type = {
	.name = "image",
	.fill_super = image_fill_super,
	.kill_sb = image_kill_sb,
};

/* --- names ---------------------------------------------------------------- */

static int
image_lookup(struct inode *dir, struct dentry *dentry)
{
	const struct image_name *name = image_find_name(dir->i_private, &dentry->d_name);
	struct inode *inode = NULL;

	if (name)
		inode = image_iget(dir->i_sb, name->ino);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	d_add(dentry, inode);
	return 0;
}

/* An inode in memory and on the disk, made in @dir but without a name. Return: ERR_PTR(-ENOMEM). */
static struct inode *
image_new(const struct inode *dir, mode_t mode, const char *text, size_t len)
{
	struct super_block *sb = dir->i_sb;
	struct image *image = sb->s_fs_info;
	struct image_inode *disk = image_new_inode(image, mode);
	struct inode *inode = NULL;

	if (!disk)
		return ERR_PTR(-ENOMEM);
	if (!text || !image_set_link(disk, text, len))
		inode = new_inode(sb, disk->ino, dir, mode);
	if (inode) {
		disk->mode = inode->i_mode;
		disk->uid = inode->i_uid;
		disk->gid = inode->i_gid;
		if (!read_inode(inode, disk))
			return inode;
		discard_new_inode(inode);
	}
	image_free_inode(image, disk);
	return ERR_PTR(-ENOMEM);
}

/* Make what @dentry names. Return: 0 or -ENOMEM. */
static int
image_make(struct inode *dir, struct dentry *dentry, mode_t mode, const char *text, size_t len)
{
	struct inode *inode = image_new(dir, mode, text, len);
	int error;

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	error = image_add_name(dir->i_private, &dentry->d_name, inode->i_private);
	if (error) {
		inode->i_nlink = 0;
		discard_new_inode(inode);
		return error;
	}
	inode_update_time(dir, ATTR_MTIME | ATTR_CTIME);
	insert_inode_hash(inode);
	d_instantiate(dentry, inode);
	return 0;
}

static int
image_create_file(struct inode *dir, struct dentry *dentry, mode_t mode)
{
	return image_make(dir, dentry, mode, NULL, 0);
}

static int
image_mkdir(struct inode *dir, struct dentry *dentry, mode_t mode)
{
	int error = image_make(dir, dentry, mode, NULL, 0);

	if (!error)
		inode_add_nlink(dir, 1);
	return error;
}

static int
image_symlink(struct inode *dir, struct dentry *dentry, const char *text, size_t len)
{
	return image_make(dir, dentry, S_IFLNK | 0777, text, len);
}

/* @dentry's inode has lost its name in @dir. */
static void
drop_links(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	if (d_is_dir(dentry)) {
		inode_add_nlink(dir, -1);
		inode_add_nlink(inode, -1);
	}
	inode_add_nlink(inode, -1);
	inode_update_time(inode, ATTR_CTIME);
	inode_update_time(dir, ATTR_MTIME | ATTR_CTIME);
}

static int
image_unlink(struct inode *dir, struct dentry *dentry)
{
	image_remove_name(dir->i_private, &dentry->d_name);
	drop_links(dir, dentry);
	return 0;
}

static bool
is_empty(const struct inode *dir)
{
	const struct image_inode *disk = dir->i_private;

	return !disk->nr_names;
}

static int
image_rmdir(struct inode *dir, struct dentry *dentry)
{
	return is_empty(d_inode(dentry)) ? image_unlink(dir, dentry) : -ENOTEMPTY;
}

static int
image_rename(struct inode *old_dir, struct dentry *old, struct inode *new_dir, struct dentry *new)
{
	bool is_dir = d_is_dir(old);
	bool replaces = !d_is_negative(new);
	struct image_name *name;
	int error = 0;

	if (replaces && is_dir && !is_empty(d_inode(new)))
		return -ENOTEMPTY;
	if (replaces) {
		name = image_find_name(new_dir->i_private, &new->d_name);
		name->ino = d_inode(old)->i_ino;
		name->type = inode_dirent_type(d_inode(old));
		drop_links(new_dir, new);
	} else {
		error = image_add_name(new_dir->i_private, &new->d_name, d_inode(old)->i_private);
	}
	if (error)
		return error;
	image_remove_name(old_dir->i_private, &old->d_name);
	if (is_dir) {
		inode_add_nlink(old_dir, -1);
		inode_add_nlink(new_dir, 1);
	}
	inode_update_time(old_dir, ATTR_MTIME | ATTR_CTIME);
	inode_update_time(new_dir, ATTR_MTIME | ATTR_CTIME);
	inode_update_time(d_inode(old), ATTR_CTIME);
	return 0;
}

/* Readers that have to fill a page meanwhile wait: its block may be going. */
static int
image_setsize(struct inode *inode, loff_t size)
{
	down_write(&inode->i_data.invalidate_lock);
	inode_truncate(inode, size);
	image_truncate(inode->i_private, size);
	up_write(&inode->i_data.invalidate_lock);
	return 0;
}

static const struct inode_operations image_dir_inode_operations = {
	.lookup = image_lookup,
	.create = image_create_file,
	.mkdir = image_mkdir,
	.symlink = image_symlink,
	.unlink = image_unlink,
	.rmdir = image_rmdir,
	.rename = image_rename,
};

static const struct inode_operations image_file_inode_operations = { .setsize = image_setsize };

static const struct inode_operations image_symlink_inode_operations = { 0 };

static int
image_iterate(struct file *file, struct dir_context *context)
{
	struct image_inode *dir = file->f_inode->i_private;
	const struct image_name *name;

	if (!dir_emit_dots(file, context))
		return 0;
	while ((name = image_next_name(dir, &context->pos))) {
		if (!context->actor(context, (const char *)name->name, name->len, name->ino,
				    name->type))
			break;
		context->pos++;
	}
	return 0;
}

static const struct file_operations image_dir_operations = { .iterate_shared = image_iterate };

/* --- contents ------------------------------------------------------------- */

static int
image_read_folio(struct address_space *mapping, struct folio *folio)
{
	const void *block = image_block(mapping->host->i_private, folio->index);

	if (block)
		memcpy(folio_address(folio), block, PAGE_SIZE);
	else
		memset(folio_address(folio), 0, PAGE_SIZE);
	folio_end_read(folio, true);
	return 0;
}

static const struct address_space_operations image_aops = {
	.read_folio = image_read_folio,
	.name = inode_mapping_name,
};

/* A new locked folio at @index. Return: NULL: a reader was faster; or ERR_PTR(-ENOSPC). */
static struct folio *
add_folio(struct address_space *mapping, unsigned long index)
{
	struct folio *folio = folio_alloc(0, mapping->node);
	int error;

	if (!folio)
		return ERR_PTR(-ENOSPC);
	__folio_set_locked(folio);
	error = filemap_add_folio(mapping, folio, index);
	if (!error)
		return folio;
	folio_unlock(folio);
	folio_put(folio);
	return error == -EEXIST ? NULL : ERR_PTR(-ENOSPC);
}

/*
 * The folio at @index, locked and with a reference, to be written to. Context: inode
 * lock held: nobody truncates. Return: ERR_PTR(-ENOSPC) without memory.
 */
static struct folio *
write_begin(struct address_space *mapping, unsigned long index)
{
	struct folio *folio;

	do {
		folio = filemap_get_entry(mapping, index);
		if (!folio)
			folio = add_folio(mapping, index);
		else
			folio_lock(folio);
	} while (!folio);
	return folio;
}

/* Write up to the end of one page. Context: inode lock held. Return: bytes, or -ENOSPC. */
static ssize_t
write_one(struct inode *inode, const char *buf, size_t count, loff_t pos)
{
	unsigned long index = (unsigned long)pos >> PAGE_SHIFT;
	size_t offset = (size_t)pos & (PAGE_SIZE - 1);
	size_t bytes = min(count, PAGE_SIZE - offset);
	const void *block = image_make_block(inode->i_private, index);
	struct folio *folio;
	char *contents;

	if (!block)
		return -ENOSPC;
	folio = write_begin(&inode->i_data, index);
	if (IS_ERR(folio))
		return PTR_ERR(folio);
	contents = folio_address(folio);
	if (!folio_test_uptodate(folio) && bytes < PAGE_SIZE)
		memcpy(contents, block, PAGE_SIZE);
	copy_from_user(contents + offset, buf, bytes);
	if (!folio_test_uptodate(folio))
		folio_mark_uptodate(folio);
	if (!folio_test_dirty(folio))
		folio_set_dirty(folio);
	/* Release: pairs with the readers' acquire; what the size covers is there. */
	if (pos + (loff_t)bytes > inode->i_size)
		smp_store_release(&inode->i_size, pos + (loff_t)bytes);
	folio_unlock(folio);
	folio_put(folio);
	return (ssize_t)bytes;
}

static ssize_t
image_write(struct file *file, const void *buf, size_t count, loff_t pos)
{
	size_t done = 0;

	while (done < count) {
		ssize_t bytes = write_one(file->f_inode, (const char *)buf + done, count - done,
					  pos + (loff_t)done);

		if (bytes < 0)
			return done ? (ssize_t)done : bytes;
		done += (size_t)bytes;
	}
	return (ssize_t)done;
}

/* Where pages from @index on begin to have blocks, or end to; in bytes. */
static u64
next_data(struct image_inode *disk, unsigned long index)
{
	return image_next_block(disk, &index) ? (u64)index << PAGE_SHIFT : ~0ull;
}

static u64
next_hole(struct image_inode *disk, unsigned long index)
{
	while (image_block(disk, index))
		index++;
	return (u64)index << PAGE_SHIFT;
}

/* Data is what has blocks, whatever they hold. */
static loff_t
image_seek_hole_data(struct file *file, loff_t offset, int whence)
{
	struct inode *inode = file->f_inode;
	unsigned long index = (unsigned long)offset >> PAGE_SHIFT;
	bool data = whence == SEEK_DATA;
	u64 size, found;

	inode_lock_shared(inode);
	size = (u64)inode->i_size;
	found = data ? next_data(inode->i_private, index) : next_hole(inode->i_private, index);
	inode_unlock_shared(inode);
	if (offset < 0 || (u64)offset >= size)
		return -ENXIO;
	found = max(found, (u64)offset);
	if (found < size)
		return (loff_t)found;
	return data ? -ENXIO : (loff_t)size;
}

static ssize_t
image_read(struct file *file, void *buf, size_t count, loff_t pos)
{
	return filemap_read(file->f_mapping, buf, count, pos, &file->f_inode->i_size, &file->f_ra);
}

static const struct file_operations image_file_operations = {
	.read = image_read,
	.write = image_write,
	.seek_hole_data = image_seek_hole_data,
};
