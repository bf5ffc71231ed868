/*
 * mount.c - see mount.h; mirrors fs/namespace.c
 */
#include "vfs/mount.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/err.h"
#include "machine/slab.h"
#include "vfs/inode.h"
#include "vfs/vfs.h"

/* Exact once nobody can take or drop a reference unseen. Context: mount_lock held. */
static int
mnt_count(const struct mount *mnt)
{
	int count = 0;
	int cpu;

	for_each_cpu (cpu) {
		const struct mnt_pcp *pcp = per_cpu_ptr(mnt->mnt_pcp, cpu);

		count += READ_ONCE(pcp->mnt_gets) - READ_ONCE(pcp->mnt_puts);
	}
	return count;
}

static struct mount **
mount_chain(const struct dentry *mountpoint)
{
	/* A mountpoint is a directory, and its inode stays while it is one. */
	const struct inode *inode = rcu_dereference(mountpoint->d_inode);
	u32 hash = inode ? inode->i_salt : 0;

	return &kernel.vfs->mounts.hash[hash >> (32 - MOUNT_HASH_BITS)];
}

struct mount *
__lookup_mnt(const struct vfsmount *mnt, const struct dentry *dentry)
{
	struct mount *at = rcu_dereference(*mount_chain(dentry));

	while (at && (at->mnt_mountpoint != dentry || &at->mnt_parent->mnt != mnt))
		at = rcu_dereference(at->mnt_hash_next);
	return at;
}

struct vfsmount *
lookup_mnt(const struct path *path)
{
	const seqlock_t *mount_lock = &kernel.vfs->mounts.lock;
	struct mount *found;
	unsigned int seq;
	int result;

	for (;;) {
		rcu_read_lock();
		seq = read_seqbegin(mount_lock);
		found = __lookup_mnt(path->mnt, path->dentry);
		result = found ? legitimize_mnt(mount_lock, &found->mnt, seq) : 0;
		rcu_read_unlock();
		if (result == 0)
			return found ? &found->mnt : NULL;
		if (result < 0)
			mntput(&found->mnt);
	}
}

/* --- making and freeing --------------------------------------------------- */

/* A slot of per-CPU counters for @mnt, all zero. Return: false if all are taken. */
static bool
take_slot(struct mount *mnt)
{
	struct mounts *mounts = &kernel.vfs->mounts;
	bool taken = false;
	int cpu;

	write_seqlock(&mounts->lock);
	for (u32 id = 0; id < NR_MOUNTS && !taken; id++) {
		if (mounts->slots[id])
			continue;
		mounts->slots[id] = mnt;
		mnt->mnt_id = id;
		taken = true;
	}
	write_sequnlock(&mounts->lock);
	if (!taken)
		return false;
	mnt->mnt_pcp.offset = mounts->pcp.offset + mnt->mnt_id * (u32)sizeof(struct mnt_pcp);
	for_each_cpu (cpu) {
		struct mnt_pcp *pcp = per_cpu_ptr(mnt->mnt_pcp, cpu);

		WRITE_ONCE(pcp->mnt_gets, 0);
		WRITE_ONCE(pcp->mnt_puts, 0);
		WRITE_ONCE(pcp->mnt_writers, 0);
	}
	return true;
}

/* Slots of mounts that are gone come back after a grace period: wait for them if need be. */
static bool
take_slot_or_wait(struct mount *mnt)
{
	if (take_slot(mnt))
		return true;
	rcu_barrier();
	return take_slot(mnt);
}

static void
free_mount(struct mount *mnt)
{
	struct mounts *mounts = &kernel.vfs->mounts;

	write_seqlock(&mounts->lock);
	mounts->slots[mnt->mnt_id] = NULL;
	write_sequnlock(&mounts->lock);
	kmem_cache_free(mounts->cache, mnt);
}

static void
free_mount_rcu(struct rcu_head *rcu)
{
	free_mount(container_of(rcu, struct mount, mnt_rcu));
}

/*
 * A mount of a new instance of @type, not in the tree, with one reference.
 * Return: ERR_PTR(-ENOMEM, -ENOSPC or the file system's error).
 */
static struct mount *
new_mount(const struct file_system_type *type, const char *data)
{
	struct mount *mnt = kmem_cache_alloc(kernel.vfs->mounts.cache);
	struct super_block *sb;

	if (!mnt)
		return ERR_PTR(-ENOMEM);
	if (!take_slot_or_wait(mnt)) {
		kmem_cache_free(kernel.vfs->mounts.cache, mnt);
		return ERR_PTR(-ENOSPC);
	}
	sb = sget(type, data);
	if (IS_ERR(sb)) {
		free_mount(mnt);
		return ERR_PTR(PTR_ERR(sb));
	}
	mnt->mnt.mnt_sb = sb;
	mnt->mnt.mnt_root = dget(sb->s_root);
	mnt->mnt_parent = mnt;
	mnt->mnt_mountpoint = mnt->mnt.mnt_root;
	mntget(&mnt->mnt);
	return mnt;
}

/* The last reference is gone, and it is out of the tree. Context: task; sleeps. */
static void
cleanup_mount(struct mount *mnt)
{
	dput(mnt->mnt.mnt_root);
	deactivate_super(mnt->mnt.mnt_sb);
	call_rcu(&mnt->mnt_rcu, free_mount_rcu);
}

void
mntput_slow(struct mount *mnt)
{
	struct mnt_pcp *pcp;
	int left;

	write_seqlock(&kernel.vfs->mounts.lock);
	pcp = mnt_pcp(&mnt->mnt);
	WRITE_ONCE(pcp->mnt_puts, pcp->mnt_puts + 1);
	left = mnt_count(mnt);
	write_sequnlock(&kernel.vfs->mounts.lock);
	BUG_ON(left < 0, "mount put %d times too often", -left);
	if (!left)
		cleanup_mount(mnt);
}

/* --- the tree ------------------------------------------------------------- */

/* Context: mount_lock held for writing. */
static void
attach(struct mount *mnt, const struct path *path)
{
	struct mount **chain = mount_chain(path->dentry);

	mnt->mnt_parent = real_mount(path->mnt);
	mnt->mnt_mountpoint = path->dentry;
	WRITE_ONCE(mnt->mnt_ns, true);
	mnt->mnt_hash_next = *chain;
	rcu_assign_pointer(*chain, mnt);
}

/* Whether another mount has the same mountpoint dentry. Context: mount_lock held. */
static bool
is_mountpoint(const struct dentry *dentry)
{
	const struct mount *at = *mount_chain(dentry);

	while (at && at->mnt_mountpoint != dentry)
		at = at->mnt_hash_next;
	return at;
}

/* Context: mount_lock held for writing. */
static void
detach(struct mount *mnt)
{
	struct mount **link = mount_chain(mnt->mnt_mountpoint);

	while (*link != mnt)
		link = &(*link)->mnt_hash_next;
	rcu_assign_pointer(*link, mnt->mnt_hash_next);
	WRITE_ONCE(mnt->mnt_ns, false);
}

static void
set_mounted(struct dentry *dentry, bool mounted)
{
	d_lock(dentry);
	WRITE_ONCE(dentry->d_flags, mounted ? dentry->d_flags | DCACHE_MOUNTED :
					      dentry->d_flags & ~DCACHE_MOUNTED);
	d_unlock(dentry);
}

/* Context: namespace_sem held. Return: as path_mount(). */
static int
do_mount(const struct file_system_type *type, const struct path *path, const char *data)
{
	struct inode *dir = d_inode(path->dentry);
	struct mount *mnt;
	int error = 0;

	if (!d_is_dir(path->dentry))
		return -ENOTDIR;
	mnt = new_mount(type, data);
	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	path_get(path);
	inode_lock(dir);
	if (!dir->i_nlink) {
		error = -ENOENT;
	} else {
		set_mounted(path->dentry, true);
		write_seqlock(&kernel.vfs->mounts.lock);
		attach(mnt, path);
		write_sequnlock(&kernel.vfs->mounts.lock);
	}
	inode_unlock(dir);
	if (error) {
		path_put(path);
		mntput(&mnt->mnt);
	}
	return error;
}

int
path_mount(const struct file_system_type *type, const struct path *path, const char *data)
{
	int error;

	mutex_lock(&kernel.vfs->mounts.namespace_sem);
	error = do_mount(type, path, data);
	mutex_unlock(&kernel.vfs->mounts.namespace_sem);
	return error;
}

/* Whether something is mounted in @mnt. Context: mount_lock held. */
static bool
has_children(const struct mount *mnt)
{
	const struct mounts *mounts = &kernel.vfs->mounts;

	for (int id = 0; id < NR_MOUNTS; id++) {
		const struct mount *at = mounts->slots[id];

		if (at && at != mnt && at->mnt_ns && at->mnt_parent == mnt)
			return true;
	}
	return false;
}

/*
 * Take @mnt out of the tree unless somebody uses it: the tree has one reference,
 * the caller another. Return: 0 or -EBUSY.
 */
static int
detach_unused(struct mount *mnt)
{
	struct mounts *mounts = &kernel.vfs->mounts;
	int error = 0;

	write_seqlock(&mounts->lock);
	smp_mb(); /* pairs with the one in legitimize_mnt() */
	if (has_children(mnt) || mnt_count(mnt) > 2) {
		error = -EBUSY;
	} else {
		detach(mnt);
		if (!is_mountpoint(mnt->mnt_mountpoint))
			set_mounted(mnt->mnt_mountpoint, false);
	}
	write_sequnlock(&mounts->lock);
	return error;
}

int
path_umount(struct path *path)
{
	struct mounts *mounts = &kernel.vfs->mounts;
	struct mount *mnt = real_mount(path->mnt);
	struct path mountpoint;
	int error = -EINVAL;

	mutex_lock(&mounts->namespace_sem);
	if (path->dentry == mnt->mnt.mnt_root && mnt != mounts->root)
		error = detach_unused(mnt);
	mutex_unlock(&mounts->namespace_sem);
	if (error) {
		path_put(path);
		return error;
	}
	/* Whoever saw it in the tree has put without looking at the sum, or taken a reference. */
	synchronize_rcu();
	mountpoint = (struct path){ &mnt->mnt_parent->mnt, mnt->mnt_mountpoint };
	path_put(path);
	mntput(&mnt->mnt);
	path_put(&mountpoint);
	return 0;
}

/* --- boot and shutdown ---------------------------------------------------- */

int
mount_boot(void)
{
	struct mounts *mounts = &kernel.vfs->mounts;
	struct mount *root;

	seqlock_init(&mounts->lock);
	mutex_init(&mounts->namespace_sem);
	mounts->pcp = alloc_percpu("mount", NR_MOUNTS * sizeof(struct mnt_pcp), CACHE_LINE);
	mounts->cache = kmem_cache_create("mount", sizeof(struct mount), SLAB_ZERO, NULL);
	if (!mounts->cache)
		return -ENOMEM;
	root = new_mount(&tmpfs_type, NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	WRITE_ONCE(root->mnt_ns, true);
	mounts->root = root;
	return 0;
}

void
mount_shutdown(void)
{
	struct mounts *mounts = &kernel.vfs->mounts;
	struct mount *root = mounts->root;

	if (root) {
		for (int id = 0; id < NR_MOUNTS; id++)
			BUG_ON(mounts->slots[id] && mounts->slots[id] != root,
			       "mount %d was left behind", id);
		BUG_ON(mnt_count(root) != 1, "%d references on the root mount leaked",
		       mnt_count(root) - 1);
		mounts->root = NULL;
		WRITE_ONCE(root->mnt_ns, false);
		mntput(&root->mnt);
		rcu_barrier();
	}
	kmem_cache_destroy(mounts->cache);
}
