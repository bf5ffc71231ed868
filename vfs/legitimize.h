/*
 * legitimize.h - from a walk under RCU to references
 *
 * Mirrors __legitimize_path() and try_to_unlazy() of fs/namei.c. In RCU mode a
 * walk knows places by their sequence counts. A reference on such a place is
 * good if the count is the same after it was taken:
 *
 *   T1 walk                                T2
 *   stands on D at d_seq 6
 *                                          unlink: D unhashed, d_seq 8, last put kills it
 *   lockref_get_not_dead(D): dead          -> -ECHILD
 *
 *   stands on D at d_seq 6
 *                                          rename moves D: d_seq 8
 *   lockref_get_not_dead(D): ok
 *   d_seq is 8 and not 6: put it           -> -ECHILD: the path may lead elsewhere now
 *
 * Private to the walk.
 */
#ifndef VFS_LEGITIMIZE_H
#define VFS_LEGITIMIZE_H

#include <errno.h>

#include "vfs/dcache.h"
#include "vfs/mount.h"
#include "vfs/nameidata.h"
#include "vfs/vfs.h"

/* The same for what few walks hold. Return: false: terminate_walk() knows what to drop. */
bool legitimize_links(struct nameidata *nd);
bool legitimize_root(struct nameidata *nd);

/*
 * Take references on @path, reached at d_seq @seq. Return: false: @path keeps only
 * what terminate_walk() has to drop.
 */
static __always_inline bool
legitimize_path(const struct nameidata *nd, struct path *path, unsigned int seq)
{
	struct dentry *dentry = path->dentry;
	int result = legitimize_mnt(&kernel.vfs->mounts.lock, path->mnt, nd->m_seq);

	if (unlikely(result)) {
		if (result > 0)
			path->mnt = NULL;
		path->dentry = NULL;
		return false;
	}
	if (unlikely(!lockref_get_not_dead(d_lockref(dentry)))) {
		path->dentry = NULL;
		return false;
	}
	return !read_seqcount_retry(&dentry->d_seq, seq);
}

/* As try_to_unlazy(); @root: it is needed on. */
static __always_inline bool
unlazy(struct nameidata *nd, bool root)
{
	bool legitimate = false;

	nd->flags &= ~LOOKUP_RCU;
	if (unlikely(nd->nr_links) && !legitimize_links(nd))
		nd->path = (struct path){ NULL, NULL };
	else if (likely(legitimize_path(nd, &nd->path, nd->seq)))
		legitimate = !root || !nd->root.mnt || legitimize_root(nd);
	rcu_read_unlock();
	return legitimate;
}

/* The end of a walk: as try_to_unlazy(), root not needed any more. Return: 0 or -ECHILD. */
static __always_inline int
complete_walk(struct nameidata *nd)
{
	if (unlikely(!(nd->flags & LOOKUP_RCU)))
		return 0;
	return likely(unlazy(nd, false)) ? 0 : -ECHILD;
}

#endif
