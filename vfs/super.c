/*
 * super.c - see super.h; mirrors fs/super.c
 */
#include "vfs/super.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/err.h"
#include "vfs/inode_cache.h"
#include "vfs/vfs.h"

static const struct file_system_type *const types[] = { &tmpfs_type, &image_type };

static bool
is_called(const struct file_system_type *type, const char *name)
{
	size_t i = 0;

	while (type->name[i] && type->name[i] == name[i])
		i++;
	return type->name[i] == name[i];
}

const struct file_system_type *
get_fs_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (is_called(types[i], name))
			return types[i];
	return NULL;
}

static size_t
super_size(void)
{
	return sizeof(struct super_block) + nr_node_ids * sizeof(struct dentry_lru);
}

static struct super_block *
alloc_super(const struct file_system_type *type)
{
	struct super_block *sb = arena_alloc(super_size(), CACHE_LINE, 0);
	int node;

	if (!sb)
		return NULL;
	memset(sb, 0, super_size());
	sb->s_type = type;
	mutex_init(&sb->s_vfs_rename_mutex);
	atomic_init(&sb->s_active, 1);
	spin_lock_init(&sb->s_inode_lru.lock);
	INIT_LIST_HEAD(&sb->s_inode_lru.list);
	for_each_node (node) {
		spin_lock_init(&sb->s_dentry_lru[node].lock);
		INIT_LIST_HEAD(&sb->s_dentry_lru[node].list);
	}
	return sb;
}

struct super_block *
sget(const struct file_system_type *type, const char *data)
{
	struct vfs *vfs = kernel.vfs;
	struct super_block *sb = alloc_super(type);
	int error;

	if (!sb)
		return ERR_PTR(-ENOMEM);
	spin_lock(&vfs->supers_lock);
	sb->s_dev = ++vfs->next_dev;
	list_add_tail(&sb->s_list, &vfs->supers);
	spin_unlock(&vfs->supers_lock);
	error = type->fill_super(sb, data);
	if (!error)
		return sb;
	deactivate_super(sb);
	return ERR_PTR(error);
}

void
deactivate_super(struct super_block *sb)
{
	struct vfs *vfs = kernel.vfs;

	if (!atomic_dec_and_test(&sb->s_active))
		return;
	if (sb->s_root)
		shrink_dcache_for_umount(sb);
	evict_inodes(sb);
	if (sb->s_type->kill_sb)
		sb->s_type->kill_sb(sb);
	spin_lock(&vfs->supers_lock);
	list_del(&sb->s_list);
	spin_unlock(&vfs->supers_lock);
	arena_free(sb, super_size());
}
