/*
 * tmpfs.h - the file system whose only home is memory
 *
 * Mirrors the directory half of mm/shmem.c and fs/libfs.c; contents of files are
 * pagecache/shmem.c's. Names exist in the dentry cache only: each positive
 * dentry has one more reference ("pinned"), dropped when its name is removed.
 * Hence the last put of a file never reaches 0, and a negative dentry, which
 * nobody pins, is killed at its last put: looking for a name that is not there
 * makes and frees a dentry every time.
 */
#ifndef VFS_TMPFS_H
#define VFS_TMPFS_H

#include "vfs/inode.h"

extern const struct inode_operations tmpfs_dir_inode_operations;
extern const struct inode_operations tmpfs_file_inode_operations;
extern const struct inode_operations tmpfs_symlink_inode_operations;
extern const struct file_operations tmpfs_file_operations;
extern const struct file_operations tmpfs_dir_operations;

#endif
