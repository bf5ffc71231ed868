/*
 * path.h - a place in the tree of names: a dentry as seen through a mount
 */
#ifndef VFS_PATH_H
#define VFS_PATH_H

#include "machine/types.h"

struct vfsmount;
struct dentry;

/* References on both halves are taken and dropped by path_get() and path_put() of mount.h. */
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

static __always_inline bool
path_equal(const struct path *a, const struct path *b)
{
	return a->mnt == b->mnt && a->dentry == b->dentry;
}

#endif
