/*
 * names.c - see names.h
 *
 * A closed file's memory still leads to its dentry, whose memory is a dentry as
 * long as nobody has been given it again: reports are about the latest use.
 */
#include "vfs/names.h"

#include <stdio.h>

#include "machine/slab.h"
#include "vfs/file.h"
#include "vfs/vfs.h"

#define PATH_SHOWN 40 /* bytes of a path's end */

static void
name_by_path(struct object_name *name, const char *kind, const struct dentry *dentry)
{
	char buf[PATH_SHOWN];

	if (dentry)
		snprintf(name->name, sizeof(name->name), "%s %s", kind,
			 dentry_path(dentry, buf, sizeof(buf)));
}

static void
name_dentry(const void *object, struct object_name *name)
{
	name_by_path(name, "dentry", object);
}

static void
name_inode(const void *object, struct object_name *name)
{
	name_by_path(name, "inode", ((const struct inode *)object)->i_dentry);
}

static void
name_file(const void *object, struct object_name *name)
{
	name_by_path(name, "file", file_path((struct file *)object)->dentry);
}

void
register_vfs_names(struct vfs *vfs)
{
	kmem_cache_set_namer(vfs->dcache.dentry_cache, name_dentry);
	kmem_cache_set_namer(vfs->inode_cache, name_inode);
	kmem_cache_set_namer(vfs->file_cache, name_file);
}
