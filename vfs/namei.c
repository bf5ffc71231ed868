/*
 * namei.c - the path walk; see nameidata.h
 *
 * Mirrors fs/namei.c. In RCU mode each step reads line 0 of the next dentry and
 * of its inode and writes nothing. Every value that was read from a dentry is
 * believed only after its d_seq was checked; a step checks the directory it came
 * from after it has found the name, so that the whole chain held at one moment.
 *
 * A text is what is being walked: the path, or that of a symbolic link in it.
 * A link in the middle puts its text on top of the others; one at the end
 * replaces them. Links stay referenced until the walk ends.
 *
 * Differences from Linux: no file system looks at a cached name again
 * (d_revalidate), and no automounts.
 */
#include <errno.h>

#include "machine/err.h"
#include "machine/task.h"
#include "vfs/dcache_rcu.h"
#include "vfs/events.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/nameidata.h"
#include "vfs/vfs.h"

/* --- beginning ------------------------------------------------------------ */

/* Root or pwd of @fs, which @from is, and its d_seq in *@dentry_seq. Context: RCU. */
static __always_inline struct path
sample_place(const struct fs_struct *fs, const struct path *from, unsigned int *dentry_seq)
{
	struct path path;
	unsigned int seq;

	do {
		seq = read_seqbegin(&fs->seq);
		path.mnt = READ_ONCE(from->mnt);
		path.dentry = rcu_dereference(from->dentry);
		*dentry_seq = raw_seqcount_begin(&path.dentry->d_seq);
	} while (read_seqretry(&fs->seq, seq));
	return path;
}

/* The same with references. Context: ref mode. */
static noinline struct path
get_place(struct fs_struct *fs, const struct path *from)
{
	struct path path;

	read_seqlock_excl(&fs->seq);
	path = *from;
	path_get(&path);
	read_sequnlock_excl(&fs->seq);
	return path;
}

static void
set_root(struct nameidata *nd)
{
	struct fs_struct *fs = current->fs;

	if (nd->root.mnt)
		return;
	if (nd->flags & LOOKUP_RCU) {
		nd->root = sample_place(fs, &fs->root, &nd->root_seq);
		return;
	}
	nd->root = get_place(fs, &fs->root);
	nd->root_grabbed = true;
}

/* Go to the root. Return: 0 or -ECHILD. */
static int
jump_to_root(struct nameidata *nd)
{
	set_root(nd);
	if (nd->flags & LOOKUP_RCU) {
		nd->seq = nd->root_seq;
		nd->path = nd->root;
		nd->inode = d_inode(nd->path.dentry);
		return read_seqcount_retry(&nd->path.dentry->d_seq, nd->seq) ? -ECHILD : 0;
	}
	if (nd->path.dentry)
		path_put(&nd->path);
	nd->path = nd->root;
	path_get(&nd->path);
	nd->inode = d_inode(nd->path.dentry);
	return 0;
}

static __always_inline void
begin_walk(struct nameidata *nd, const char *name, unsigned int flags)
{
	struct fs_struct *fs = current->fs;
	bool absolute = *name == '/';
	const struct path *from = absolute ? &fs->root : &fs->pwd;
	struct path start;

	nd->flags = flags;
	nd->root_grabbed = false;
	nd->root.mnt = NULL;
	nd->nr_links = 0;
	nd->depth = 0;
	nd->rest[0] = name;
	if (likely(flags & LOOKUP_RCU)) {
		rcu_read_lock();
		nd->m_seq = read_seqbegin(&kernel.vfs->mounts.lock);
		start = sample_place(fs, from, &nd->seq);
		/* Links may begin at the root as well. */
		if (absolute) {
			nd->root = start;
			nd->root_seq = nd->seq;
		}
	} else {
		start = get_place(fs, from);
	}
	nd->path = start;
	nd->inode = d_inode(start.dentry);
}

void
path_init(struct nameidata *nd, const char *name, unsigned int flags)
{
	begin_walk(nd, name, flags);
}

/* --- one step ------------------------------------------------------------- */

/* Follow mounts from @path under RCU. Return: 0 or -ECHILD. */
static int
cross_mounts_rcu(const struct nameidata *nd, struct path *path, unsigned int *seq)
{
	while (d_flags(path->dentry) & DCACHE_MOUNTED) {
		struct mount *mount = __lookup_mnt(path->mnt, path->dentry);

		if (mount) {
			path->mnt = &mount->mnt;
			path->dentry = mount->mnt.mnt_root;
			*seq = raw_seqcount_begin(&path->dentry->d_seq);
		}
		if (read_seqretry(&kernel.vfs->mounts.lock, nd->m_seq))
			return -ECHILD;
		if (!mount)
			break;
	}
	return 0;
}

/* The same with references: the caller has one on the dentry, and nd->path's on the mount. */
static void
cross_mounts(const struct nameidata *nd, struct path *path)
{
	while (d_flags(path->dentry) & DCACHE_MOUNTED) {
		struct vfsmount *mnt = lookup_mnt(path);

		if (!mnt)
			break;
		dput(path->dentry);
		if (path->mnt != nd->path.mnt)
			mntput(path->mnt);
		path->mnt = mnt;
		path->dentry = dget(mnt->mnt_root);
	}
}

/* Drop the references of a step that is not made. Context: ref mode. */
static void
drop_step(const struct nameidata *nd, struct path path)
{
	dput(path.dentry);
	if (path.mnt != nd->path.mnt)
		mntput(path.mnt);
}

/*
 * Put the text of the link @path in front of what is left. @last: nothing is left.
 * Takes over the step's references in ref mode. Return: 1 or -errno.
 */
static int
follow_link(struct nameidata *nd, struct path path, unsigned int seq, struct inode *inode,
	    bool last)
{
	struct followed_link *link = &nd->links[nd->nr_links];
	const char *text = inode->i_link;
	int error = 0;

	if (nd->nr_links == MAXSYMLINKS) {
		if (!(nd->flags & LOOKUP_RCU))
			drop_step(nd, path);
		return -ELOOP;
	}
	link->path = path;
	link->seq = seq;
	nd->nr_links++;
	if (!(nd->flags & LOOKUP_RCU) && path.mnt == nd->path.mnt)
		mntget(path.mnt);
	nd->depth = last ? 0 : nd->depth + 1;
	nd->rest[nd->depth] = text;
	if (*text == '/')
		error = jump_to_root(nd);
	return error ? error : 1;
}

/*
 * Make the step to @dentry, found in nd->path, under RCU at d_seq @seq. @rcu: the
 * mode; @last: it is the last component. Return: as walk_last().
 */
static __always_inline int
step_into(struct nameidata *nd, struct dentry *dentry, unsigned int seq, bool rcu, bool last)
{
	struct path path = { .mnt = nd->path.mnt, .dentry = dentry };
	unsigned int flags = d_flags(dentry);
	struct inode *inode;

	if (unlikely(flags & DCACHE_MOUNTED)) {
		/* Copies: what is pointed to does not stay in registers. */
		struct path crossed = path;
		unsigned int crossed_seq = seq;

		if (!rcu)
			cross_mounts(nd, &crossed);
		else if (cross_mounts_rcu(nd, &crossed, &crossed_seq))
			return -ECHILD;
		path = crossed;
		seq = crossed_seq;
		flags = d_flags(path.dentry);
	}
	inode = d_inode(path.dentry);
	if (rcu && read_seqcount_retry(&path.dentry->d_seq, seq))
		return -ECHILD;
	if (unlikely(!inode)) {
		if (!rcu)
			drop_step(nd, path);
		return -ENOENT;
	}
	if (unlikely((flags & DCACHE_ENTRY_TYPE) == DCACHE_SYMLINK_TYPE) &&
	    (!last || nd->flags & LOOKUP_FOLLOW))
		return follow_link(nd, path, seq, inode, last);
	if (!rcu) {
		dput(nd->path.dentry);
		if (path.mnt != nd->path.mnt)
			mntput(nd->path.mnt);
	}
	nd->path.mnt = path.mnt;
	nd->path.dentry = path.dentry;
	nd->inode = inode;
	nd->seq = seq;
	return 0;
}

int
step_into_last(struct nameidata *nd, struct dentry *dentry, unsigned int seq)
{
	return step_into(nd, dentry, seq, nd->flags & LOOKUP_RCU, true);
}

/* --- names ---------------------------------------------------------------- */

struct dentry *
lookup_fast(struct nameidata *nd, unsigned int *seq)
{
	struct dentry *parent = nd->path.dentry;
	struct dentry *dentry;

	if (!(nd->flags & LOOKUP_RCU))
		return d_lookup(parent, &nd->last);
	dentry = __d_lookup_rcu(parent, &nd->last, seq);
	if (!dentry)
		return try_to_unlazy(nd) ? NULL : ERR_PTR(-ECHILD);
	/* The name was in this directory while the walk stood on it. */
	if (read_seqcount_retry(&parent->d_seq, nd->seq))
		return ERR_PTR(-ECHILD);
	return dentry;
}

struct dentry *
lookup_locked(const struct qstr *name, struct dentry *parent)
{
	struct inode *dir = d_inode(parent);
	struct dentry *dentry = d_lookup(parent, name);
	int error;

	if (dentry)
		return dentry;
	if (!READ_ONCE(dir->i_nlink))
		return ERR_PTR(-ENOENT);
	if (name->len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	dentry = d_alloc_parallel(parent, name);
	if (IS_ERR(dentry) || !d_in_lookup(dentry))
		return dentry;
	count_event(EVENT_LOOKUP_SLOW);
	error = dir->i_op->lookup(dir, dentry);
	if (d_in_lookup(dentry))
		d_lookup_done(dentry);
	if (!error)
		return dentry;
	dput(dentry);
	return ERR_PTR(error);
}

/* Ask the file system. Context: ref mode. */
static struct dentry *
lookup_slow(struct nameidata *nd)
{
	struct dentry *dentry;

	inode_lock_shared(nd->inode);
	dentry = lookup_locked(&nd->last, nd->path.dentry);
	inode_unlock_shared(nd->inode);
	return dentry;
}

/*
 * The parent of where the walk stands, up through mounts' roots, with references
 * in ref mode and its d_seq in *@parent_seq under RCU. Return: NULL: that is the root;
 * or ERR_PTR(-ECHILD).
 */
static struct dentry *
parent_of(struct nameidata *nd, unsigned int *parent_seq)
{
	bool rcu = nd->flags & LOOKUP_RCU;
	struct path path = nd->path;
	unsigned int seq = nd->seq;
	struct dentry *parent;

	set_root(nd);
	while (!path_equal(&path, &nd->root) && path.dentry == path.mnt->mnt_root) {
		struct mount *mount = real_mount(path.mnt);

		if (mount->mnt_parent == mount)
			return NULL;
		path.mnt = &mount->mnt_parent->mnt;
		path.dentry = mount->mnt_mountpoint;
		if (rcu) {
			seq = raw_seqcount_begin(&path.dentry->d_seq);
			if (read_seqretry(&kernel.vfs->mounts.lock, nd->m_seq))
				return ERR_PTR(-ECHILD);
		} else {
			path_get(&path);
			path_put(&nd->path);
			nd->path = path;
			nd->inode = d_inode(path.dentry);
		}
	}
	if (path_equal(&path, &nd->root))
		return NULL;
	if (!rcu)
		return dget_parent(path.dentry);
	parent = rcu_dereference(path.dentry->d_parent);
	*parent_seq = raw_seqcount_begin(&parent->d_seq);
	if (read_seqcount_retry(&path.dentry->d_seq, seq))
		return ERR_PTR(-ECHILD);
	nd->path.mnt = path.mnt;
	return parent;
}

static int
step_up(struct nameidata *nd)
{
	unsigned int seq = 0;
	struct dentry *parent = parent_of(nd, &seq);

	if (IS_ERR(parent))
		return PTR_ERR(parent);
	return parent ? step_into(nd, parent, seq, nd->flags & LOOKUP_RCU, false) : 0;
}

/* The step to nd->last in ref mode, @dentry being what the cache has. Return: as walk_last(). */
static noinline int
step_by_reference(struct nameidata *nd, struct dentry *dentry, bool last)
{
	if (!dentry)
		dentry = lookup_slow(nd);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	return step_into(nd, dentry, 0, false, last);
}

/* Anything but an ordinary step under RCU. Return: as walk_last(). */
static noinline int
walk_component_slow(struct nameidata *nd, bool last)
{
	if (nd->last_type == LAST_DOTDOT)
		return step_up(nd);
	if (nd->last_type != LAST_NORM)
		return 0;
	return step_by_reference(nd, d_lookup(nd->path.dentry, &nd->last), last);
}

/* The step to nd->last, which the cache does not have. Context: RCU. Return: as walk_last(). */
static noinline int
step_uncached(struct nameidata *nd, bool last)
{
	return try_to_unlazy(nd) ? step_by_reference(nd, NULL, last) : -ECHILD;
}

/* Step to the component nd->last. Return: as walk_last(). */
static __always_inline int
walk_component(struct nameidata *nd, bool last)
{
	struct dentry *parent = nd->path.dentry;
	struct dentry *dentry;
	unsigned int seq;

	if (unlikely(nd->last_type != LAST_NORM) || unlikely(!(nd->flags & LOOKUP_RCU)))
		return walk_component_slow(nd, last);
	dentry = __d_lookup_rcu(parent, &nd->last, &seq);
	if (unlikely(!dentry))
		return step_uncached(nd, last);
	/* The name was in this directory while the walk stood on it. */
	if (unlikely(read_seqcount_retry(&parent->d_seq, nd->seq)))
		return -ECHILD;
	return step_into(nd, dentry, seq, true, last);
}

int
walk_last(struct nameidata *nd)
{
	return walk_component(nd, true);
}

/* May the walk look a name up where it stands? Return: 0, -ENOTDIR or -EACCES. */
static __always_inline int
may_lookup(const struct inode *dir)
{
	mode_t mode = dir->i_mode;

	if (likely((mode & (S_IFMT | 0111)) == (S_IFDIR | 0111)))
		return 0;
	return S_ISDIR(mode) ? inode_permission(dir, MAY_EXEC) : -ENOTDIR;
}

/* Take the component at @name, where the walk stands, into nd->last. Return: what follows it. */
static __always_inline const char *
take_component(struct nameidata *nd, const char *name)
{
	const char *end = hash_component(nd->inode->i_salt, name, &nd->last);

	nd->last_type = LAST_NORM;
	if (unlikely(name[0] == '.')) {
		if (nd->last.len == 1)
			nd->last_type = LAST_DOT;
		else if (nd->last.len == 2 && name[1] == '.')
			nd->last_type = LAST_DOTDOT;
	}
	return end;
}

static __always_inline const char *
skip_slashes(const char *name)
{
	while (*name == '/')
		name++;
	return name;
}

/*
 * Walk from @name on, which is what is left of the topmost text and not empty.
 * Return: as walk_components(), and 1 when a link put its text on top.
 */
static __always_inline int
walk_text(struct nameidata *nd, const char *name, bool to_last)
{
	const char *end;
	int result;

	for (;;) {
		result = may_lookup(nd->inode);
		if (unlikely(result))
			return result;
		end = take_component(nd, name);
		name = skip_slashes(end);
		if (!*name) {
			if (likely(!nd->depth))
				break;
			name = nd->rest[--nd->depth];
		}
		nd->rest[nd->depth] = name;
		result = walk_component(nd, false);
		if (unlikely(result))
			return result;
	}
	/* It asks for a directory, and so for what a link leads to. */
	nd->slash = *end;
	if (unlikely(nd->slash))
		nd->flags |= LOOKUP_FOLLOW | LOOKUP_DIRECTORY;
	return to_last ? walk_component(nd, true) : 0;
}

/* As walk_to_parent(); @to_last: and then step to the last component, as walk_last(). */
static __always_inline int
walk_components(struct nameidata *nd, bool to_last)
{
	for (;;) {
		const char *name = skip_slashes(nd->rest[nd->depth]);
		int result;

		nd->last_type = LAST_ROOT;
		nd->slash = false;
		if (likely(*name)) {
			result = walk_text(nd, name, to_last);
			if (likely(result <= 0))
				return result;
		} else if (nd->depth) {
			nd->depth--; /* a link to "/" in the middle */
		} else {
			return 0;
		}
	}
}

int
walk_to_parent(struct nameidata *nd)
{
	return walk_components(nd, false);
}

int
walk_path(struct nameidata *nd, const char *name, unsigned int flags)
{
	begin_walk(nd, name, flags);
	return walk_components(nd, true);
}
