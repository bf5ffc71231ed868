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

/* The room's own state: field names say enough. */
static bool
name_vfs(const void *address, struct object_name *name)
{
	*name = (struct object_name){ .name = "vfs", .type = "vfs", .start = kernel.vfs };
	return true;
}

/* Several chains share a line: the first one of it speaks for them. */
static bool
name_chain(const void *address, struct object_name *name, const char *table_name,
	   const struct hlist_bl_head *table)
{
	size_t chain = ((const char *)address - (const char *)table) / sizeof(*table);

	chain -= chain % (CACHE_LINE / sizeof(*table));
	name->type = NULL;
	name->start = &table[chain];
	snprintf(name->name, sizeof(name->name), "%s from chain %zu", table_name, chain);
	return true;
}

static bool
name_hash(const void *address, struct object_name *name)
{
	return name_chain(address, name, "dentry hash", kernel.vfs->dcache.hash);
}

static bool
name_in_lookup(const void *address, struct object_name *name)
{
	return name_chain(address, name, "in-lookup hash", kernel.vfs->dcache.in_lookup);
}

static bool
name_in_lookup_wait(const void *address, struct object_name *name)
{
	const struct wait_queue_head *queues = kernel.vfs->dcache.in_lookup_wait;
	size_t queue = ((const char *)address - (const char *)queues) / sizeof(*queues);

	name->type = "wait_queue_head";
	name->start = &queues[queue];
	snprintf(name->name, sizeof(name->name), "in-lookup wait queue %zu", queue);
	return true;
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

/* Superblocks come and go, so they are looked for: there are few. */
static bool
name_super(const void *address, struct object_name *name)
{
	const struct super_block *sb;
	int node;

	list_for_each_entry (sb, &kernel.vfs->supers, s_list) {
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
			snprintf(name->name, sizeof(name->name), "dentry LRU %u of node %d",
				 sb->s_dev, node);
			return true;
		}
		if (sb->s_type->name_object && sb->s_type->name_object(sb, address, name))
			return true;
	}
	return false;
}

void
register_vfs_names(struct vfs *vfs)
{
	const struct dcache *dcache = &vfs->dcache;

	kmem_cache_set_namer(dcache->dentry_cache, name_dentry);
	kmem_cache_set_namer(vfs->inode_cache, name_inode);
	kmem_cache_set_namer(vfs->file_cache, name_file);
	register_namer(NULL, SIZE_MAX, name_super);
	register_namer(NULL, SIZE_MAX, name_fdtable);
	register_namer(vfs, sizeof(*vfs), name_vfs);
	register_namer(dcache->hash, sizeof(*dcache->hash) << DCACHE_HASH_BITS, name_hash);
	register_namer(dcache->in_lookup, sizeof(*dcache->in_lookup) << IN_LOOKUP_BITS,
		       name_in_lookup);
	register_namer(dcache->in_lookup_wait,
		       sizeof(*dcache->in_lookup_wait) << IN_LOOKUP_WAIT_BITS, name_in_lookup_wait);
}
