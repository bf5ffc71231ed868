/*
 * simple_offset.c - see simple_offset.h
 */
#include "vfs/simple_offset.h"

#include <errno.h>

#include "vfs/dcache.h"
#include "vfs/file.h"
#include "vfs/readdir.h"

#define FIRST_OFFSET 2 /* behind "." and ".." */

void
simple_offset_init(struct offset_ctx *ctx)
{
	xa_init(&ctx->xa);
	ctx->next_offset = FIRST_OFFSET;
}

void
simple_offset_destroy(struct offset_ctx *ctx)
{
	unsigned long at = FIRST_OFFSET;

	while (!xa_empty(&ctx->xa)) {
		XA_STATE(xas, &ctx->xa, at);

		rcu_read_lock();
		xas_find(&xas, ~0ul);
		at = xas.xa_index;
		rcu_read_unlock();
		xa_erase(&ctx->xa, at);
	}
}

int
simple_offset_add(struct offset_ctx *ctx, struct dentry *dentry)
{
	int error = xa_store(&ctx->xa, ctx->next_offset, 0, dentry);

	if (!error)
		dentry->d_fsdata = ctx->next_offset++;
	return error;
}

void
simple_offset_remove(struct offset_ctx *ctx, struct dentry *dentry)
{
	xa_erase(&ctx->xa, dentry->d_fsdata);
	dentry->d_fsdata = 0;
}

int
simple_offset_rename(struct offset_ctx *old_ctx, struct dentry *old, struct offset_ctx *new_ctx,
		     struct dentry *new)
{
	unsigned long offset = old->d_fsdata;
	int error;

	if (new->d_fsdata) {
		error = xa_store(&new_ctx->xa, new->d_fsdata, 0, old);
		BUG_ON(error, "no memory for a slot that exists");
		old->d_fsdata = new->d_fsdata;
		new->d_fsdata = 0;
	} else {
		error = simple_offset_add(new_ctx, old);
	}
	if (!error)
		xa_erase(&old_ctx->xa, offset);
	return error;
}

/* The next name from *@offset on, with a reference, and its number; NULL: there is no more. */
static struct dentry *
find_from(struct offset_ctx *ctx, unsigned long *offset)
{
	XA_STATE(xas, &ctx->xa, *offset);
	struct dentry *dentry;

	/* The inode lock keeps the tree's shape. */
	rcu_read_lock();
	dentry = xas_find(&xas, ~0ul);
	if (dentry) {
		d_lock(dentry);
		dget_dlock(dentry);
		d_unlock(dentry);
		*offset = xas.xa_index;
	}
	rcu_read_unlock();
	return dentry;
}

static bool
emit(struct dir_context *context, const struct dentry *dentry)
{
	const struct inode *inode = d_inode(dentry);

	return context->actor(context, dentry->d_name.name, dentry->d_name.len, inode->i_ino,
			      inode_dirent_type(inode));
}

int
simple_offset_iterate(struct file *file, struct offset_ctx *ctx, struct dir_context *context)
{
	if (!dir_emit_dots(file, context))
		return 0;
	for (;;) {
		unsigned long offset = (unsigned long)context->pos;
		struct dentry *dentry = find_from(ctx, &offset);
		bool taken;

		if (!dentry)
			return 0;
		/* The inode lock keeps its name; the reference is for a copy that sleeps. */
		taken = emit(context, dentry);
		dput(dentry);
		if (!taken)
			return 0;
		context->pos = (loff_t)offset + 1;
	}
}
