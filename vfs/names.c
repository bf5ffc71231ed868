/*
 * names.c - see names.h
 *
 * A closed file's memory still leads to its dentry, whose memory is a dentry as
 * long as nobody has been given it again: reports are about the latest use.
 *
 * Context of every namer: reporting. Nobody else runs, or the report is about a
 * moment that has passed; all accesses are plain.
 */
#include "vfs/names.h"

#include <stdio.h>

#include "machine/slab.h"
#include "vfs/fdtable.h"
#include "vfs/file.h"
#include "vfs/process.h"
#include "vfs/super.h"
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

static bool
lies_in(const void *address, const void *start, size_t size)
{
	return (size_t)((const char *)address - (const char *)start) < size;
}

/* Several chains share a line: the first one of it speaks for them. */
static bool
name_chain(const void *address, struct object_name *name, const char *table_name,
	   const struct hlist_bl_head *table, unsigned int bits)
{
	size_t chain = ((const char *)address - (const char *)table) / sizeof(*table);

	if (!lies_in(address, table, sizeof(*table) << bits))
		return false;
	chain -= chain % (CACHE_LINE / sizeof(*table));
	name->type = NULL;
	name->start = &table[chain];
	snprintf(name->name, sizeof(name->name), "%s from chain %zu", table_name, chain);
	return true;
}

/* Field names say enough about the state of the room itself. */
static bool
name_state(const void *address, struct object_name *name)
{
	const struct vfs *vfs = kernel.vfs;
	const struct wait_queue_head *queues = vfs->dcache.in_lookup_wait;
	size_t queue = ((const char *)address - (const char *)queues) / sizeof(*queues);

	if (lies_in(address, vfs, sizeof(*vfs))) {
		*name = (struct object_name){ .name = "vfs", .type = "vfs", .start = vfs };
		return true;
	}
	if (lies_in(address, queues, sizeof(*queues) << IN_LOOKUP_WAIT_BITS)) {
		name->type = "wait_queue_head";
		name->start = &queues[queue];
		snprintf(name->name, sizeof(name->name), "in-lookup wait queue %zu", queue);
		return true;
	}
	return name_chain(address, name, "dentry hash", vfs->dcache.hash, DCACHE_HASH_BITS) ||
	       name_chain(address, name, "in-lookup hash", vfs->dcache.in_lookup, IN_LOOKUP_BITS);
}

/* Descriptor tables that have outgrown the embedded one, of those who run. */
static bool
name_fdtable(const void *address, struct object_name *name)
{
	const struct files_struct *files;

	for (int i = 0; (files = initial_task_files(i)); i++)
		if (files->fdt != &files->fdtab && fdtable_name(files->fdt, address, name))
			return true;
	return false;
}

static bool
name_in_super(const struct super_block *sb, const void *address, struct object_name *name)
{
	int node;

	if (lies_in(address, sb, sizeof(*sb))) {
		name->type = "super_block";
		name->start = sb;
		snprintf(name->name, sizeof(name->name), "super_block %u of %s", sb->s_dev,
			 sb->s_type->name);
		return true;
	}
	for_each_node (node) {
		if (!lies_in(address, &sb->s_dentry_lru[node], sizeof(struct dentry_lru)))
			continue;
		name->type = "dentry_lru";
		name->start = &sb->s_dentry_lru[node];
		snprintf(name->name, sizeof(name->name), "dentry LRU %u of node %d", sb->s_dev,
			 node);
		return true;
	}
	return sb->s_type->name_object && sb->s_type->name_object(sb, address, name);
}

/* What lies in no cache. Much of it comes and goes, so it is looked for: there is little. */
static bool
name_other(const void *address, struct object_name *name)
{
	const struct super_block *sb;

	if (!kernel.vfs) /* reports are made after its shutdown, too */
		return false;
	if (name_state(address, name) || name_fdtable(address, name))
		return true;
	list_for_each_entry (sb, &kernel.vfs->supers, s_list)
		if (name_in_super(sb, address, name))
			return true;
	return false;
}

void
register_vfs_names(struct vfs *vfs)
{
	kmem_cache_set_namer(vfs->dcache.dentry_cache, name_dentry);
	kmem_cache_set_namer(vfs->inode_cache, name_inode);
	kmem_cache_set_namer(vfs->file_cache, name_file);
	register_namer(NULL, SIZE_MAX, name_other);
}
