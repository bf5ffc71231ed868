/*
 * remove.c - unlink and rmdir: names taken away
 *
 * Mirrors do_unlinkat() and do_rmdir() of fs/namei.c. What a removal writes that
 * is shared: the directory's inode lock, size and times, the victim's inode lock
 * and link count, and the victim's lockref and d_seq (d_delete()). The inode itself
 * is held over all of it, so that a file's pages are freed with no lock held.
 *
 * Lock order: the directory's inode lock > the victim's.
 *
 * Differences from Linux: something is mounted in the one namespace there is or
 * not at all, so nothing has to be detached from a directory that goes.
 */
#include <errno.h>

#include "machine/cost.h"
#include "machine/err.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/nameidata.h"
#include "vfs/syscall_define.h"

/* What is being removed, and where from. */
struct removal {
	/* Context: inode lock of @dir held. Return: 0 or -errno. */
	int (*remove)(const struct removal *removal, struct inode *dir, struct dentry *victim);
	struct path parent;
	struct qstr last;
	bool slash;		/* behind the name */
};

/* Context: inode lock of @dir held. Return: 0 or -errno. */
static int
vfs_unlink(struct inode *dir, struct dentry *victim)
{
	struct inode *inode = d_inode(victim);
	int error = may_delete(dir, victim, false);

	spend(COST_security);
	if (error)
		return error;
	if (!dir->i_op->unlink)
		return -EPERM;
	inode_lock(inode);
	error = dir->i_op->unlink(dir, victim);
	inode_unlock(inode);
	if (!error)
		d_delete(victim);
	return error;
}

/* Context: inode lock of @dir held. Return: 0 or -errno. */
static int
vfs_rmdir(struct inode *dir, struct dentry *victim)
{
	struct inode *inode = d_inode(victim);
	int error = may_delete(dir, victim, true);

	spend(COST_security);
	if (error)
		return error;
	if (!dir->i_op->rmdir)
		return -EPERM;
	inode_lock(inode);
	/* Whoever mounts sets the flag under this lock. */
	error = d_mountpoint(victim) ? -EBUSY : dir->i_op->rmdir(dir, victim);
	if (!error)
		shrink_dcache_parent(victim);
	inode_unlock(inode);
	if (!error)
		d_delete(victim);
	return error;
}

/* A name with a slash behind it is a directory's, or nobody's. */
static int
slash_error(const struct dentry *victim)
{
	if (d_is_negative(victim))
		return -ENOENT;
	return d_is_dir(victim) ? -EISDIR : -ENOTDIR;
}

static int
unlink_victim(const struct removal *removal, struct inode *dir, struct dentry *victim)
{
	if (removal->slash || d_is_negative(victim))
		return slash_error(victim);
	return vfs_unlink(dir, victim);
}

static int
rmdir_victim(const struct removal *removal, struct inode *dir, struct dentry *victim)
{
	return d_is_negative(victim) ? -ENOENT : vfs_rmdir(dir, victim);
}

/*
 * Look the last component up and let @remove take it away, with the directory
 * locked. Return: 0 or -errno; *@inode has a reference for the caller to drop, or is NULL.
 */
static int
remove_locked(const struct removal *removal, struct inode *dir, struct inode **inode)
{
	struct dentry *victim = lookup_locked(&removal->last, removal->parent.dentry);
	int error;

	if (IS_ERR(victim))
		return PTR_ERR(victim);
	*inode = d_inode(victim);
	if (*inode)
		ihold(*inode);
	error = removal->remove(removal, dir, victim);
	dput(victim);
	return error;
}

static int
remove_last(const struct removal *removal)
{
	struct inode *dir = d_inode(removal->parent.dentry);
	struct inode *inode = NULL;
	int error;

	inode_lock(dir);
	error = remove_locked(removal, dir, &inode);
	inode_unlock(dir);
	if (inode)
		iput(inode);
	return error;
}

/* What is neither removed nor looked up. */
static int
unlink_special(enum last_type type)
{
	return type == LAST_NORM ? 0 : -EISDIR;
}

static int
rmdir_special(enum last_type type)
{
	switch (type) {
	case LAST_DOTDOT:
		return -ENOTEMPTY;
	case LAST_DOT:
		return -EINVAL;
	case LAST_ROOT:
		return -EBUSY;
	case LAST_NORM:
		break;
	}
	return 0;
}

static int
do_remove(struct removal *removal, const char *path, int (*special)(enum last_type type))
{
	struct filename name;
	enum last_type type;
	int error = getname(&name, path, 0);

	if (error)
		return error;
	error = filename_parentat(&name, &removal->parent, &removal->last, &type,
				  &removal->slash);
	if (!error) {
		error = special(type);
		if (!error)
			error = remove_last(removal);
		path_put(&removal->parent);
	}
	putname(&name);
	return error;
}

SYSCALL_DEFINE(int, unlink, (const char *path), (path))
{
	struct removal removal = { .remove = unlink_victim };

	return do_remove(&removal, path, unlink_special);
}

SYSCALL_DEFINE(int, rmdir, (const char *path), (path))
{
	struct removal removal = { .remove = rmdir_victim };

	return do_remove(&removal, path, rmdir_special);
}
