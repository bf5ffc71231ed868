/*
 * names.c - see names.h
 *
 * A file may be free by the time of the report; its memory still leads to its
 * inode, and inodes with names stay until shutdown. Every other inode's name is
 * NULL.
 */
#include "vfs/names.h"

#include <stdio.h>

#include "machine/slab.h"
#include "vfs/file.h"
#include "vfs/vfs.h"

static void
name_by_path(struct object_name *name, const char *kind, const struct inode *inode)
{
	if (inode && inode->i_data.name)
		snprintf(name->name, sizeof(name->name), "%s %.40s", kind, inode->i_data.name);
}

static void
name_inode(const void *object, struct object_name *name)
{
	name_by_path(name, "inode", object);
}

static void
name_file(const void *object, struct object_name *name)
{
	name_by_path(name, "file", ((const struct file *)object)->f_inode);
}

void
register_vfs_names(struct vfs *vfs)
{
	kmem_cache_set_namer(vfs->inode_cache, name_inode);
	kmem_cache_set_namer(vfs->file_cache, name_file);
}
