/*
 * attr.c - see attr.h
 */
#include "vfs/attr.h"

#include "machine/task.h"
#include "vfs/cred.h"
#include "vfs/fs_struct.h"

/* Is the calling task in group @gid, or may it do as if it were? */
static bool
in_group_or_capable(gid_t gid)
{
	const struct cred *cred = current->cred;

	return cred->fsgid == gid || cred_is_root(cred);
}

mode_t
vfs_prepare_mode(const struct inode *dir, mode_t mode)
{
	/* Before the umask, which may well take S_IXGRP. */
	if ((mode & S_ISGID) && (mode & S_IXGRP) && (dir->i_mode & S_ISGID) &&
	    !in_group_or_capable(dir->i_gid))
		mode &= ~(mode_t)S_ISGID;
	return mode & ~READ_ONCE(current->fs->umask);
}

void
inode_init_owner(struct inode *inode, const struct inode *dir, mode_t mode)
{
	const struct cred *cred = current->cred; /* NULL at boot */

	inode->i_uid = cred ? cred->fsuid : 0;
	inode->i_gid = cred ? cred->fsgid : 0;
	if (dir && (dir->i_mode & S_ISGID)) {
		inode->i_gid = dir->i_gid;
		if (S_ISDIR(mode))
			mode |= S_ISGID;
	}
	inode->i_mode = mode;
}

void
inode_remove_privs(struct inode *inode)
{
	mode_t mode = inode->i_mode;
	mode_t privs = mode & S_ISUID;

	if ((mode & S_IXGRP) || !in_group_or_capable(inode->i_gid))
		privs |= mode & S_ISGID;
	if (privs && !cred_is_root(current->cred))
		WRITE_ONCE(inode->i_mode, mode & ~privs);
}

bool
inode_owner_or_capable(const struct inode *inode)
{
	const struct cred *cred = current->cred;

	return cred->fsuid == inode->i_uid || cred_is_root(cred);
}
