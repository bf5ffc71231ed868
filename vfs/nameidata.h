/*
 * nameidata.h - the state of one path walk; private to the walk
 *
 * Mirrors struct nameidata and the walk's inner functions of fs/namei.c. A walk
 * begins under RCU and writes nothing: it holds sequence counts instead of
 * references. At its end it turns the last place into references
 * (legitimize.h). If anything changed on the way, the answer is -ECHILD and the
 * caller starts again with references on every component (no LOOKUP_RCU).
 *
 * What the walk knows, in RCU mode:
 *   path, inode   where it stands; seq is path.dentry's d_seq when it was reached
 *   root          where absolute links and ".." stop; root_seq likewise
 *   m_seq         mount_lock's count at the beginning
 */
#ifndef VFS_NAMEIDATA_H
#define VFS_NAMEIDATA_H

#include "vfs/namei.h"

#define MAXSYMLINKS 40 /* in all; then ELOOP */

/* A symbolic link that was followed: its inode owns the text that is being walked. */
struct followed_link {
	struct path path;	/* references in ref mode */
	unsigned int seq;
};

struct nameidata {
	struct path path;
	struct inode *inode;		/* path.dentry's */
	struct qstr last;		/* what to look up next, or the last component */
	unsigned int flags;		/* LOOKUP_* */
	unsigned int seq;
	unsigned int m_seq;
	unsigned int root_seq;
	enum last_type last_type;
	bool slash;			/* the last component has a slash behind it */
	bool root_grabbed;		/* references on root (ref mode) */
	struct path root;		/* mnt NULL: not needed so far */

	unsigned int nr_links;		/* followed */
	unsigned int depth;		/* texts under way: rest[0 .. depth] */
	const char *rest[MAXSYMLINKS + 1];	/* what is left of each; rest[0] is the outermost */
	struct followed_link links[MAXSYMLINKS];
};

/*
 * Begin at root or cwd. @flags: LOOKUP_*; with LOOKUP_RCU inside an RCU reader
 * until terminate_walk() or try_to_unlazy().
 */
void path_init(struct nameidata *nd, const char *name, unsigned int flags);

/*
 * Walk to the directory of the last component, which is left in nd->last.
 * Return: 0 or -errno; -ECHILD: again without LOOKUP_RCU.
 */
int walk_to_parent(struct nameidata *nd);

/*
 * Step to the last component, over mounts. A symbolic link is followed if
 * LOOKUP_FOLLOW or a slash asks for it.
 * Return: 0: nd->path and nd->inode are it (inode not NULL); 1: there was a link,
 * walk_to_parent() again; or -errno (-ENOENT: negative).
 */
int walk_last(struct nameidata *nd);

/*
 * Step to @dentry, found in nd->path at d_seq @seq: the end of walk_last(). In ref
 * mode takes over its reference and needs no @seq. Return: as walk_last().
 */
int step_into_last(struct nameidata *nd, struct dentry *dentry, unsigned int seq);

/*
 * Find nd->last in nd->path without asking the file system.
 * Return: the dentry (with a reference in ref mode, its d_seq in *@seq under RCU),
 * NULL: not cached, and the walk is in ref mode now; or ERR_PTR(-ECHILD).
 */
struct dentry *lookup_fast(struct nameidata *nd, unsigned int *seq);

/*
 * Ask the file system. Context: the directory's inode lock held, at least shared.
 * Return: a dentry with a reference, or ERR_PTR.
 */
struct dentry *lookup_locked(const struct qstr *name, struct dentry *parent);

/*
 * The whole walk: path_init(), and both of the above until there are no more links.
 * Return: as walk_last(), but not 1.
 */
int walk_path(struct nameidata *nd, const char *name, unsigned int flags);

/*
 * --- legitimize.c; how most walks end, complete_walk(), is in legitimize.h ---
 * Turn the walk into ref mode where it stands: references on links, path and
 * root, and out of RCU. Return: false: something changed; out of RCU with nothing
 * held but what terminate_walk() drops; the caller returns -ECHILD.
 */
bool try_to_unlazy(struct nameidata *nd);

/* Whether the walk holds nothing but its place. Context: ref mode. */
static __always_inline bool
holds_path_only(const struct nameidata *nd)
{
	return likely(!nd->nr_links) && likely(!nd->root_grabbed);
}

/* Drop what the walk holds, in either mode. */
void terminate_walk(const struct nameidata *nd);

#endif
