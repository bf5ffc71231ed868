/*
 * path.h - a place in the tree of names: a dentry as seen through a mount
 */
#ifndef VFS_PATH_H
#define VFS_PATH_H

#include "machine/types.h"

struct vfsmount;
struct dentry;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

/* A reference on each half, for somebody who has one on each. Context: any. */
void path_get(const struct path *path);

/* Drop them. Context: task; no locks, not inside an RCU reader; may sleep. */
void path_put(const struct path *path);

static __always_inline bool
path_equal(const struct path *a, const struct path *b)
{
	return a->mnt == b->mnt && a->dentry == b->dentry;
}

#endif
