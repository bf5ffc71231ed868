/*
 * simple_offset.h - where in a directory each name is, for file systems in memory
 *
 * Mirrors struct offset_ctx and simple_offset_*() of fs/libfs.c (6.6). A directory
 * gives each name that comes into it a number, which the name keeps until it goes:
 * reading the directory goes from number to number, so what is made or removed
 * between two calls makes it neither miss nor repeat any other name. Before that,
 * a reader put a dentry of its own among the directory's children, and reading a
 * large directory took quadratic time when many did.
 *
 * Differences from Linux: an xarray (as 6.6 has it) and no maple tree; a reader
 * also sees names that were made after it opened the directory.
 */
#ifndef VFS_SIMPLE_OFFSET_H
#define VFS_SIMPLE_OFFSET_H

#include "pagecache/xarray.h"

struct dentry;
struct dir_context;
struct file;

struct offset_ctx {
	struct xarray xa;		/* number -> struct dentry *, a hashed positive one */
	unsigned long next_offset;	/* inode lock of the directory */
};

void simple_offset_init(struct offset_ctx *ctx);

/* Forget all names. Context: the directory's inode goes. */
void simple_offset_destroy(struct offset_ctx *ctx);

/*
 * Give @dentry a number in @ctx. Context: inode lock of the directory held.
 * Return: 0 or -ENOMEM.
 */
int simple_offset_add(struct offset_ctx *ctx, struct dentry *dentry);

/* Take it back. Context: as simple_offset_add(). */
void simple_offset_remove(struct offset_ctx *ctx, struct dentry *dentry);

/*
 * @old moves from @old_ctx to the place that @new has in @new_ctx, or to one of its
 * own. Context: inode locks of both. Return: 0, or -ENOMEM with nothing changed.
 */
int simple_offset_rename(struct offset_ctx *old_ctx, struct dentry *old,
			 struct offset_ctx *new_ctx, struct dentry *new);

/*
 * iterate_shared() of a directory with @ctx: ".", "..", then the names in the order
 * of their numbers. Context: as iterate_shared(). Return: 0.
 */
int simple_offset_iterate(struct file *file, struct offset_ctx *ctx,
			  struct dir_context *context);

#endif
