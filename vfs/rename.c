/*
 * rename.c - giving a file or directory another name
 *
 * Mirrors do_renameat2() and vfs_rename() of fs/namei.c, without flags. Errors
 * and their precedence are theirs.
 *
 * A rename between two directories changes who is above whom, so only one at a
 * time may do so in a file system; with that, what is above what stays put and the
 * directories can be locked in an order that everybody agrees on:
 *
 *   s_vfs_rename_mutex    if the directories differ
 *   both directories      the one above first; unrelated ones as they come
 *   source and target     what is moved, if it is a directory that gets another
 *                         parent; then what is replaced. Two files: by number
 *
 * If one directory is above the other, the name in the upper one that leads down
 * to the lower one is the trap: moving it would put a directory into itself,
 * replacing it would cut off where we stand.
 *
 * Differences from Linux: what was replaced is dropped after all locks.
 */
#include <errno.h>

#include "machine/cost.h"
#include "machine/err.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/nameidata.h"
#include "vfs/super.h"
#include "vfs/syscall_define.h"

/* One of the two names: its directory and what is there. */
struct rename_end {
	struct filename name;
	struct path parent;
	struct qstr last;
	enum last_type type;
	bool slash;
	struct dentry *dentry;		/* a reference, or NULL */
};

static struct inode *
dir_of(const struct rename_end *end)
{
	return d_inode(end->parent.dentry);
}

/* --- locks ---------------------------------------------------------------- */

/*
 * The child of @ancestor that is @dentry or above it; NULL if there is none.
 * Context: s_vfs_rename_mutex held.
 */
static struct dentry *
child_towards(struct dentry *ancestor, struct dentry *dentry)
{
	for (;;) {
		struct dentry *parent = rcu_dereference(dentry->d_parent);

		if (parent == dentry)
			return NULL;
		if (parent == ancestor)
			return dentry;
		dentry = parent;
	}
}

/* Lock the two directories. Return: the trap, or NULL. */
static struct dentry *
lock_rename(struct dentry *a, struct dentry *b)
{
	struct dentry *trap;

	if (a == b) {
		inode_lock(d_inode(a));
		return NULL;
	}
	mutex_lock(&a->d_sb->s_vfs_rename_mutex);
	trap = child_towards(b, a);
	if (trap) {
		inode_lock(d_inode(b));
		inode_lock(d_inode(a));
		return trap;
	}
	inode_lock(d_inode(a));
	inode_lock(d_inode(b));
	return child_towards(a, b);
}

static void
unlock_rename(struct dentry *a, struct dentry *b)
{
	inode_unlock(d_inode(a));
	if (a == b)
		return;
	inode_unlock(d_inode(b));
	mutex_unlock(&a->d_sb->s_vfs_rename_mutex);
}

/* Lock @source and @target (may be NULL), as the prologue says. @moves: to another directory. */
static void
lock_children(struct inode *source, struct inode *target, bool moves)
{
	if (S_ISDIR(READ_ONCE(source->i_mode))) {
		if (moves)
			inode_lock(source);
		if (target)
			inode_lock(target);
	} else if (!target) {
		inode_lock(source);
	} else {
		inode_lock(source->i_ino < target->i_ino ? source : target);
		inode_lock(source->i_ino < target->i_ino ? target : source);
	}
}

static void
unlock_children(struct inode *source, struct inode *target, bool moves)
{
	if (!S_ISDIR(READ_ONCE(source->i_mode)) || moves)
		inode_unlock(source);
	if (target)
		inode_unlock(target);
}

/* --- the rename ----------------------------------------------------------- */

/* Context: all directories locked. Return: 0 or -errno. */
static int
may_rename(const struct rename_end *from, const struct rename_end *to)
{
	bool is_dir = d_is_dir(from->dentry);
	int error = may_delete(dir_of(from), from->dentry, is_dir);

	if (error)
		return error;
	error = d_is_negative(to->dentry) ? may_create(dir_of(to)) :
					    may_delete(dir_of(to), to->dentry, is_dir);
	if (error)
		return error;
	if (!dir_of(from)->i_op->rename)
		return -EPERM;
	/* Its ".." changes. */
	if (is_dir && dir_of(from) != dir_of(to))
		return inode_permission(d_inode(from->dentry), MAY_WRITE);
	return 0;
}

/* Context: source and target locked, too. */
static int
rename_locked(const struct rename_end *from, const struct rename_end *to)
{
	int error;

	if (d_mountpoint(from->dentry) || d_mountpoint(to->dentry))
		return -EBUSY;
	error = dir_of(from)->i_op->rename(dir_of(from), from->dentry, dir_of(to), to->dentry);
	if (error)
		return error;
	if (d_is_dir(to->dentry))
		shrink_dcache_parent(to->dentry);
	d_move(from->dentry, to->dentry);
	return 0;
}

static int
vfs_rename(const struct rename_end *from, const struct rename_end *to)
{
	struct inode *source = d_inode(from->dentry);
	struct inode *target = d_inode(to->dentry);
	bool moves = dir_of(from) != dir_of(to);
	int error;

	if (source == target)
		return 0;
	error = may_rename(from, to);
	spend(COST_security);
	if (error)
		return error;
	lock_children(source, target, moves);
	error = rename_locked(from, to);
	unlock_children(source, target, moves);
	return error;
}

/* Look the name up. Return: 0 or -errno. */
static int
look_up_end(struct rename_end *end)
{
	struct dentry *dentry = lookup_locked(&end->last, end->parent.dentry);

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	end->dentry = dentry;
	return 0;
}

/* Context: directories locked. Return: 0 or -errno. */
static int
rename_between(struct rename_end *from, struct rename_end *to, const struct dentry *trap)
{
	int error = look_up_end(from);

	if (error)
		return error;
	if (d_is_negative(from->dentry))
		return -ENOENT;
	error = look_up_end(to);
	if (error)
		return error;
	if (!d_is_dir(from->dentry) && (from->slash || to->slash))
		return -ENOTDIR;
	if (from->dentry == trap)
		return -EINVAL;
	if (to->dentry == trap)
		return -ENOTEMPTY;
	return vfs_rename(from, to);
}

static int
rename_ends(struct rename_end *from, struct rename_end *to)
{
	struct dentry *trap;
	int error;

	if (from->parent.mnt != to->parent.mnt)
		return -EXDEV;
	if (from->type != LAST_NORM || to->type != LAST_NORM)
		return -EBUSY;
	trap = lock_rename(to->parent.dentry, from->parent.dentry);
	error = rename_between(from, to, trap);
	unlock_rename(to->parent.dentry, from->parent.dentry);
	dput(to->dentry);
	dput(from->dentry);
	return error;
}

/* Find the directory of @path. Return: 0, with things to be given back by put_end(); or -errno. */
static int
get_end(struct rename_end *end, const char *path)
{
	int error = getname(&end->name, path, 0);

	if (error)
		return error;
	end->dentry = NULL;
	error = filename_parentat(&end->name, &end->parent, &end->last, &end->type, &end->slash);
	if (error)
		putname(&end->name);
	return error;
}

static void
put_end(struct rename_end *end)
{
	path_put(&end->parent);
	putname(&end->name);
}

SYSCALL_DEFINE(int, rename, (const char *from, const char *to), (from, to))
{
	struct rename_end old;
	struct rename_end new;
	int error = get_end(&old, from);

	if (error)
		return error;
	error = get_end(&new, to);
	if (!error) {
		error = rename_ends(&old, &new);
		put_end(&new);
	}
	put_end(&old);
	return error;
}
