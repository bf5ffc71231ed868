/*
 * image.h - a disk in memory: what the image file system reads and writes
 *
 * Inodes by number, each with blocks of a page, names or the text of a link. It
 * stands in for a block device and is no part of any cache: what imagefs.c has in
 * memory of an inode, dentries and pages included, may go and is read again.
 *
 * A directory keeps its names in chains by the upper bits of their hash, each chain
 * in the order in which the names came. Chain and order together are a name's
 * position for getdents: like ext4's, a directory is read in hash order, and names
 * that come and go in between move no other.
 *
 * Locks: names and blocks are under the inode lock of who owns them in memory,
 * blocks that go also under invalidate_lock; numbers under the image's lock.
 */
#ifndef VFS_IMAGE_H
#define VFS_IMAGE_H

#include "pagecache/xarray.h"
#include "vfs/inode.h"
#include "vfs/qstr.h"

/* What mount(2) may hand to the image file system as data: a list that ends with path NULL. */
struct image_file {
	const char *path;	/* "dir/name"; directories come before what is in them */
	mode_t mode;		/* with its type */
	const char *contents;	/* a file's, or a link's text; NULL: nothing */
};

struct image_name {
	struct image_name *next;	/* in its chain */
	u64 ino;
	u32 order;			/* rises along the chain */
	u32 len;
	u32 type;			/* DT_* */
	u64 name[];			/* padded with zeroes to whole words, a NUL at least */
};

struct image_inode {
	u64 ino;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	u32 nlink;
	loff_t size;
	struct timestamp atime;
	struct timestamp mtime;
	struct timestamp ctime;
	struct xarray blocks;	/* of a file, by page: void *; a directory's chains */
	char *link;		/* the text, with a NUL, or NULL */
	u32 next_order;		/* of names in it */
	u32 nr_names;
};

struct image {
	struct xarray inodes;	/* by number: struct image_inode * */
	spinlock_t lock;	/* guards what follows */
	u64 next_ino;
};

#define IMAGE_ROOT_INO 2 /* as ext4's */

/* An image with an empty root. Context: task or boot. Return: NULL without memory. */
struct image *image_create(void);

/* Put @files in. Context: as image_create(). Return: 0, -ENOMEM, -ENOENT or -EINVAL. */
int image_fill(struct image *image, const struct image_file *files);

void image_destroy(struct image *image);

/* A new inode without a name, nlink 1. Return: NULL without memory. */
struct image_inode *image_new_inode(struct image *image, mode_t mode);

/* Free it and all it leads to. */
void image_free_inode(struct image *image, struct image_inode *inode);

/* Return: the inode, or NULL. */
struct image_inode *image_find_inode(struct image *image, u64 ino);

/* Make @inode a link to @text. Return: 0 or -ENOMEM. */
int image_set_link(struct image_inode *inode, const char *text, size_t len);

/* The entry of @name in @dir, or NULL. @name is padded as in a dentry. */
struct image_name *image_find_name(struct image_inode *dir, const struct qstr *name);

/* Return: 0 or -ENOMEM. */
int image_add_name(struct image_inode *dir, const struct qstr *name,
		   const struct image_inode *inode);
void image_remove_name(struct image_inode *dir, const struct qstr *name);

/* The first entry at *@pos or later, whose position that is then; NULL: no more. */
const struct image_name *image_next_name(struct image_inode *dir, loff_t *pos);

/* The block of page @index, NULL if there is none. */
void *image_block(struct image_inode *inode, unsigned long index);

/* The same, made of zeroes if it is not there. Return: NULL without memory. */
void *image_make_block(struct image_inode *inode, unsigned long index);

/* The first block at *@index or later, whose index that is then; NULL: no more. */
void *image_next_block(struct image_inode *inode, unsigned long *index);

/* Drop what lies beyond @size. */
void image_truncate(struct image_inode *inode, loff_t size);

#endif
