/*
 * mount.h - file systems in the tree of names
 *
 * Mirrors fs/mount.h and fs/namespace.c. A mount says that from its mountpoint
 * on, a path goes on at the root of another file system. Its references are
 * counted per CPU, so that opening files writes no shared line here:
 *
 *   references = sum over all CPUs of (gets - puts), known only under mount_lock
 *
 * While a mount is in the tree (mnt_ns) that sum need not be known, so a put is
 * one more per-CPU addition. umount() takes it out first, and from then on puts
 * look at the sum.
 *
 * A walk under RCU takes its reference at the end, without a lock:
 *
 *   T1 legitimize_mnt                       T2 umount
 *   mount_lock's count unchanged?           write_seqlock(mount_lock)
 *   gets++
 *   smp_mb()                                smp_mb()
 *   count still unchanged: a reference      sum over CPUs: sees gets++, or T1 sees
 *   else: give it back                      the count changed
 *
 * Locks: namespace_sem > mount_lock > d_lock. mount_lock guards the hash, the
 * parents and mountpoints, and mnt_ns.
 *
 * Differences from Linux: one namespace; no propagation, no bind mounts, no
 * expiry; NR_MOUNTS at most, as per-CPU data is never given back.
 */
#ifndef VFS_MOUNT_H
#define VFS_MOUNT_H

#include "machine/hlist.h"
#include "machine/mutex.h"
#include "machine/percpu.h"
#include "machine/rcu.h"
#include "machine/seqlock.h"
#include "vfs/dcache.h"
#include "vfs/path.h"
#include "vfs/super.h"

#define NR_MOUNTS 64
#define MOUNT_HASH_BITS 6

/* The half of a mount that walks read. */
struct vfsmount {
	struct dentry *mnt_root;	/* a reference; constant */
	struct super_block *mnt_sb;	/* an active reference; constant */
};

/* Of one CPU, of one mount; written by its CPU only. */
struct mnt_pcp {
	s32 mnt_gets;
	s32 mnt_puts;
	s32 mnt_writers;	/* files open for writing; may be negative on one CPU */
};

struct mount {
	struct mount *mnt_hash_next;	/* in its chain; stores: mount_lock, loads: RCU */
	struct mount *mnt_parent;	/* a reference; itself at the top of the tree */
	struct dentry *mnt_mountpoint;	/* a reference; in mnt_parent */
	struct vfsmount mnt;
	struct percpu mnt_pcp;		/* struct mnt_pcp */
	bool mnt_ns;			/* in the tree; under mount_lock, read by puts */
	u32 mnt_id;			/* which slot of vfs.mounts */
	struct rcu_head mnt_rcu;	/* frees it */
} ____cacheline_aligned;

/* The room's part of this, off struct vfs. */
struct mounts {
	seqlock_t lock ____cacheline_aligned;	/* mount_lock: every walk reads its count */
	struct mutex namespace_sem ____cacheline_aligned; /* one mount or umount at a time */
	struct kmem_cache *cache;
	struct mount *root;			/* the top of the tree; constant */
	struct mount *hash[1 << MOUNT_HASH_BITS];
	struct mount *slots[NR_MOUNTS];		/* by mnt_id, under lock; NULL: free */
	struct percpu pcp;			/* struct mnt_pcp [NR_MOUNTS] */
};

static __always_inline struct mount *
real_mount(struct vfsmount *mnt)
{
	return container_of(mnt, struct mount, mnt);
}

/*
 * Mount tmpfs as the root of the tree. Context: boot, as its last step: what it made
 * cannot be undone in boot code. Return: 0 or -ENOMEM, with nothing made.
 */
int mount_boot(void);

/*
 * Take the root mount down. BUG if another mount is left or it is referenced.
 * Context: shutdown, a task; sleeps.
 */
void mount_shutdown(void);

/* The calling CPU's counters of @mnt. Context: task. */
static __always_inline struct mnt_pcp *
mnt_pcp(struct vfsmount *mnt)
{
	return this_cpu_ptr(real_mount(mnt)->mnt_pcp);
}

/* Another reference for somebody who has one. Context: task. */
static __always_inline struct vfsmount *
mntget(struct vfsmount *mnt)
{
	struct mnt_pcp *pcp = mnt_pcp(mnt);

	WRITE_ONCE(pcp->mnt_gets, pcp->mnt_gets + 1);
	return mnt;
}

/* Drop one on a mount that is out of the tree; see mount.c. */
void mntput_slow(struct mount *mnt);

/* Drop a reference. Context: task; no locks, not inside an RCU reader; may sleep. */
static __always_inline void
mntput(struct vfsmount *vfsmnt)
{
	struct mount *mnt = real_mount(vfsmnt);

	rcu_read_lock();
	/* Pairs with the grace period in umount: it waits for whoever has read true. */
	if (likely(READ_ONCE(mnt->mnt_ns))) {
		struct mnt_pcp *pcp = mnt_pcp(vfsmnt);

		smp_wmb(); /* what was done under the reference comes before */
		WRITE_ONCE(pcp->mnt_puts, pcp->mnt_puts + 1);
		rcu_read_unlock();
		return;
	}
	rcu_read_unlock();
	mntput_slow(mnt);
}

/* A reference on each half, for somebody who has one on each. Context: task. */
static __always_inline void
path_get(const struct path *path)
{
	mntget(path->mnt);
	dget(path->dentry);
}

/* Drop them. Context: as mntput(). */
static __always_inline void
path_put(const struct path *path)
{
	dput(path->dentry);
	mntput(path->mnt);
}

/*
 * Turn a mount found under RCU into a reference, if the count of @mount_lock is
 * still @seq. Context: RCU.
 * Return: 0 with it taken; 1: not taken; -1: not good, and the caller must
 * mntput() it once outside RCU.
 */
static __always_inline int
legitimize_mnt(const seqlock_t *mount_lock, struct vfsmount *mnt, unsigned int seq)
{
	if (read_seqretry(mount_lock, seq))
		return 1;
	mntget(mnt);
	smp_mb(); /* pairs with the one in path_umount() */
	if (likely(!read_seqretry(mount_lock, seq)))
		return 0;
	/* Whoever took it out of the tree has counted us or will not miss us. */
	return -1;
}

/* The mount whose mountpoint is (@mnt, @dentry), or NULL. Context: RCU, checked by mount_lock. */
struct mount *__lookup_mnt(const struct vfsmount *mnt, const struct dentry *dentry);

/* The same with a reference. Context: any. */
struct vfsmount *lookup_mnt(const struct path *path);

/* A file is opened for writing / closed. Context: task with a reference on @mnt. */
static __always_inline void
mnt_get_write_access(struct vfsmount *mnt)
{
	struct mnt_pcp *pcp = mnt_pcp(mnt);

	WRITE_ONCE(pcp->mnt_writers, pcp->mnt_writers + 1);
	smp_mb(); /* pairs with a remount's: it sees the writer, or the writer the flag */
}

static __always_inline void
mnt_put_write_access(struct vfsmount *mnt)
{
	struct mnt_pcp *pcp = mnt_pcp(mnt);

	WRITE_ONCE(pcp->mnt_writers, pcp->mnt_writers - 1);
}

/*
 * Mount a new instance of @type at directory @path. Context: task; sleeps.
 * Return: 0, -ENOTDIR, -ENOENT (removed), -ENOMEM, -ENOSPC (NR_MOUNTS), or what the
 * file system says.
 */
int path_mount(const struct file_system_type *type, const struct path *path, const char *data);

/*
 * Take down the mount whose root @path is; takes over the caller's reference.
 * Context: task; sleeps. Return: 0, -EINVAL (not the root of a mount) or -EBUSY.
 */
int path_umount(struct path *path);

#endif
