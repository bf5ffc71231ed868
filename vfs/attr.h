/*
 * attr.h - owners and modes: what new inodes get, and what writing takes away
 *
 * Mirrors fs/attr.c, and vfs_prepare_mode(), inode_init_owner() and
 * file_remove_privs() of fs/namei.c and fs/inode.c (6.12).
 *
 * A file with S_ISUID or S_ISGID runs with its owner's or group's rights, so whoever
 * changes what it holds takes those bits away, unless he is root:
 *
 *   S_ISUID    always
 *   S_ISGID    if the group may run it, or he is not in its group; else it is left
 *              alone: without S_IXGRP it once meant mandatory locking
 *
 * A directory's S_ISGID means that what is made in it belongs to its group.
 */
#ifndef VFS_ATTR_H
#define VFS_ATTR_H

#include "vfs/inode.h"

/*
 * The mode of what is made in @dir, of which the caller wants @mode: without the
 * umask's bits, and without S_ISGID for a program of a group that he is not in.
 */
mode_t vfs_prepare_mode(const struct inode *dir, mode_t mode);

/*
 * Give new @inode @mode, and an owner: the caller, and for the group @dir's if that is a
 * directory with S_ISGID. @dir: NULL for a root. Context: nobody has found @inode.
 */
void inode_init_owner(struct inode *inode, const struct inode *dir, mode_t mode);

/* Take S_ISUID and S_ISGID away, as said above. Context: inode lock held. */
void inode_remove_privs(struct inode *inode);

static __always_inline void
file_remove_privs(struct inode *inode)
{
	if (unlikely(inode->i_mode & (S_ISUID | S_ISGID)))
		inode_remove_privs(inode);
}

/* @inode is about to be written to. Context: inode lock held. */
static __always_inline void
file_modified(struct inode *inode)
{
	file_remove_privs(inode);
	inode_update_time(inode, ATTR_MTIME | ATTR_CTIME);
}

/* May the calling task do what only the owner may? */
bool inode_owner_or_capable(const struct inode *inode);

/*
 * Set the size of a regular file, which counts as open for writing meanwhile.
 * Context: task; sleeps. Return: 0, -ETXTBSY or -errno of the file system.
 */
int truncate_as_writer(struct inode *inode, loff_t length);

#endif
