/*
 * permission.c - who may do what to an inode
 *
 * Mirrors generic_permission(), may_create() and may_delete() of fs/namei.c.
 *
 * Differences from Linux: no access control lists, no immutable files.
 */
#include <errno.h>

#include "machine/task.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/namei.h"

int
inode_permission_cred(const struct inode *inode, unsigned int mask, const struct cred *cred)
{
	mode_t mode = READ_ONCE(inode->i_mode);
	mode_t allowed = mode;

	if (likely(cred->fsuid == inode->i_uid))
		allowed >>= 6;
	else if (cred->fsgid == inode->i_gid)
		allowed >>= 3;
	if (likely(!(mask & ~allowed & 7)))
		return 0;
	/* Root may do everything but run a file that nobody may run. */
	if (cred_is_root(cred) && (!(mask & MAY_EXEC) || S_ISDIR(mode) || (mode & 0111)))
		return 0;
	return -EACCES;
}

int
inode_permission(const struct inode *inode, unsigned int mask)
{
	/* What everybody may do needs no look at the credentials. */
	if (likely((READ_ONCE(inode->i_mode) & mask * 0111) == mask * 0111))
		return 0;
	return inode_permission_cred(inode, mask, current->cred);
}

int
may_create(struct inode *dir)
{
	if (!READ_ONCE(dir->i_nlink))
		return -ENOENT;
	return inode_permission(dir, MAY_WRITE | MAY_EXEC);
}

/* In a sticky directory only owners remove. */
static bool
sticky_forbids(const struct inode *dir, const struct inode *inode)
{
	const struct cred *cred = current->cred;

	return (dir->i_mode & S_ISVTX) && cred->fsuid != inode->i_uid &&
	       cred->fsuid != dir->i_uid && !cred_is_root(cred);
}

int
may_delete(struct inode *dir, const struct dentry *victim, bool isdir)
{
	const struct inode *inode = d_inode(victim);
	int error;

	if (!inode)
		return -ENOENT;
	error = inode_permission(dir, MAY_WRITE | MAY_EXEC);
	if (error)
		return error;
	if (sticky_forbids(dir, inode))
		return -EPERM;
	if (isdir && !d_is_dir(victim))
		return -ENOTDIR;
	if (!isdir && d_is_dir(victim))
		return -EISDIR;
	if (isdir && victim->d_parent == victim)
		return -EBUSY;
	return READ_ONCE(dir->i_nlink) ? 0 : -ENOENT;
}
