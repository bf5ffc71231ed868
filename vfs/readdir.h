/*
 * readdir.h - what file systems need to hand out directory entries
 */
#ifndef VFS_READDIR_H
#define VFS_READDIR_H

#include "vfs/inode.h"

struct dir_context;
struct file;

/* What an entry says about @inode: a DT_* of dirent.h. */
static __always_inline unsigned int
inode_dirent_type(const struct inode *inode)
{
	return READ_ONCE(inode->i_mode) >> 12;
}

/*
 * Hand out "." and ".." if context->pos is 0 or 1. Context: as iterate_shared().
 * Return: false: no room, stop.
 */
bool dir_emit_dots(struct file *file, struct dir_context *context);

#endif
