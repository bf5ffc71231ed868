/*
 * readlink.c - the text of a symbolic link; mirrors do_readlinkat() of fs/stat.c
 */
#include <errno.h>

#include "machine/cost.h"
#include "pagecache/uaccess.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

static ssize_t
vfs_readlink(const struct inode *inode, char *buf, int size)
{
	size_t bytes;

	spend(COST_security);
	if (!inode->i_link)
		return -EINVAL;
	/* A link's text and length never change. */
	bytes = min((size_t)inode->i_size, (size_t)size);
	copy_to_user(buf, inode->i_link, bytes);
	return (ssize_t)bytes;
}

SYSCALL_DEFINE(ssize_t, readlink, (const char *path, char *buf, int size), (path, buf, size))
{
	struct path link;
	ssize_t result;

	if (size <= 0)
		return -EINVAL;
	result = user_path_at(path, 0, &link);
	if (result)
		return result;
	result = vfs_readlink(d_inode(link.dentry), buf, size);
	path_put(&link);
	return result;
}
