/*
 * namei_open.c - the last step of open(2)
 *
 * Mirrors open_last_lookups(), lookup_open() and do_open() of fs/namei.c; the
 * errors and their precedence are theirs. An open without O_CREAT stays under RCU
 * until it has found everything; then it takes its references:
 *
 *   complete_walk      the walk's own      lockref + 1    mount, this CPU + 1
 *   vfs_open           the file's                  + 1                   + 1
 *   terminate_walk     the walk's, dropped         - 1                   - 1
 *   __fput (close)     the file's, dropped         - 1                   - 1
 *
 * Differences from Linux: no atomic_open, no O_TMPFILE, no leases.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/cost.h"
#include "machine/err.h"
#include "machine/task.h"
#include "vfs/attr.h"
#include "vfs/dcache.h"
#include "vfs/events.h"
#include "vfs/file.h"
#include "vfs/legitimize.h"
#include "vfs/vfs.h"

/* What one open(2) asks for. */
struct open_how {
	int flags;
	mode_t mode;		/* of a new file */
	bool created;		/* it is new */
};

/* Make negative @dentry in @dir. Context: inode lock of @dir held. Return: 0 or -errno. */
static int
create(struct inode *dir, struct dentry *dentry, struct open_how *how)
{
	int error = may_create(dir);
	mode_t mode;

	if (error)
		return error;
	if (!dir->i_op->create)
		return -EACCES;
	mode = vfs_prepare_mode(dir, how->mode) & 07777;
	error = dir->i_op->create(dir, dentry, S_IFREG | mode);
	how->created = !error;
	return error;
}

/* Look the last component up under its directory's lock; make it if it is not there. */
static struct dentry *
lookup_or_create(struct nameidata *nd, struct open_how *how)
{
	struct inode *dir = nd->inode;
	struct dentry *dentry;
	int error = 0;

	inode_lock(dir);
	dentry = lookup_locked(&nd->last, nd->path.dentry);
	if (!IS_ERR(dentry) && d_is_negative(dentry))
		error = create(dir, dentry, how);
	inode_unlock(dir);
	if (!error)
		return dentry;
	dput(dentry);
	return ERR_PTR(error);
}

/* The last component of an open with O_CREAT. Return: as walk_last(). */
static int
open_or_create(struct nameidata *nd, struct open_how *how)
{
	bool may_exist = !(how->flags & O_EXCL);
	struct dentry *dentry;
	unsigned int seq = 0;

	if (nd->slash)
		return -EISDIR;
	/* What is there already needs no lock. */
	dentry = lookup_fast(nd, &seq);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	if (dentry && may_exist && !d_is_negative(dentry))
		return step_into_last(nd, dentry, seq);
	if (nd->flags & LOOKUP_RCU) {
		if (!try_to_unlazy(nd))
			return -ECHILD;
	} else {
		dput(dentry);
	}
	dentry = lookup_or_create(nd, how);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	return step_into_last(nd, dentry, seq);
}

/* As walk_path(), with O_CREAT. */
static int
walk_and_create(struct nameidata *nd, const char *name, unsigned int flags, struct open_how *how)
{
	int result;

	path_init(nd, name, flags);
	do {
		result = walk_to_parent(nd);
		if (!result)
			result = nd->last_type == LAST_NORM ? open_or_create(nd, how) :
							      walk_last(nd);
	} while (result > 0);
	return result;
}

/* What each access mode asks for; the last one may then do neither. */
static const u8 access_masks[] = {
	[O_RDONLY] = MAY_READ,
	[O_WRONLY] = MAY_WRITE,
	[O_RDWR] = MAY_READ | MAY_WRITE,
	[O_ACCMODE] = MAY_READ | MAY_WRITE,
};

/* May what the walk found be opened? Return: 0 or -errno. */
static __always_inline int
may_open(const struct nameidata *nd, const struct open_how *how)
{
	mode_t mode = READ_ONCE(nd->inode->i_mode);
	unsigned int mask = access_masks[how->flags & O_ACCMODE];

	spend(COST_security);
	if (how->created)
		return 0;
	if (unlikely(how->flags & O_CREAT)) {
		if (how->flags & O_EXCL)
			return -EEXIST;
		if (S_ISDIR(mode))
			return -EISDIR;
	}
	if ((nd->flags & LOOKUP_DIRECTORY) && !S_ISDIR(mode))
		return -ENOTDIR;
	if (unlikely(S_ISLNK(mode)))
		return -ELOOP;
	if (how->flags & O_TRUNC)
		mask |= MAY_WRITE;
	if (unlikely(S_ISDIR(mode)) && (mask & MAY_WRITE))
		return -EISDIR;
	return inode_permission(nd->inode, mask);
}

/* Open what the walk found. Return: 0 or -errno. */
static __always_inline int
do_open(struct nameidata *nd, struct file *file, const struct open_how *how)
{
	int error = complete_walk(nd);

	if (!error)
		error = may_open(nd, how);
	if (unlikely(how->flags & O_NOATIME) && !error && !inode_owner_or_capable(nd->inode))
		error = -EPERM;
	if (!error)
		error = vfs_open(file, &nd->path, how->flags);
	if (!error && unlikely(how->flags & O_TRUNC) && !how->created)
		error = truncate_as_writer(nd->inode, 0);
	return error;
}

static __always_inline int
path_openat(struct nameidata *nd, struct file *file, const struct filename *name,
	    struct open_how *how, unsigned int flags)
{
	int result;

	if (!(how->flags & O_NOFOLLOW) && (how->flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL))
		flags |= LOOKUP_FOLLOW;
	if (how->flags & O_DIRECTORY)
		flags |= LOOKUP_DIRECTORY;
	how->created = false;
	if (likely(!(how->flags & O_CREAT)))
		result = walk_path(nd, name->name, flags);
	else
		result = walk_and_create(nd, name->name, flags, how);
	if (likely(!result))
		result = do_open(nd, file, how);
	terminate_walk(nd);
	return result;
}

static noinline int
open_again(struct nameidata *nd, struct file *file, const struct filename *name,
	   struct open_how *how)
{
	count_event(EVENT_WALK_RESTART);
	return path_openat(nd, file, name, how, 0);
}

/* With O_PATH there are no permissions to ask for but those of the walk. */
static noinline int
open_path(struct file *file, const struct filename *name, int flags)
{
	unsigned int lookup = flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
	struct path path;
	int error;

	if (flags & O_DIRECTORY)
		lookup |= LOOKUP_DIRECTORY;
	error = filename_lookup(name, lookup, &path);
	if (error)
		return error;
	error = vfs_open(file, &path, flags);
	path_put(&path);
	return error;
}

int
do_filp_open(struct file *file, const struct filename *name, int flags, mode_t mode)
{
	struct open_how how = { .flags = flags, .mode = mode };
	struct nameidata nd;
	int error;

	if (unlikely(flags & O_PATH))
		return open_path(file, name, flags);
	error = path_openat(&nd, file, name, &how, LOOKUP_RCU);
	if (unlikely(error == -ECHILD))
		return open_again(&nd, file, name, &how);
	return error;
}
