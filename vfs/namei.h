/*
 * namei.h - from a path to an inode
 *
 * Mirrors fs/namei.c as far as one flat directory needs it.
 */
#ifndef VFS_NAMEI_H
#define VFS_NAMEI_H

#include "vfs/inode.h"

/*
 * Find the inode that @path names, or make it if @flags has O_CREAT, and check
 * that it may be opened with @flags.
 * Context: task; sleeps.
 * Return: 0 (found) or 1 (made) with a reference in *@found, or -errno.
 */
int path_openat(const char *path, int flags, mode_t mode, struct inode **found);

#endif
