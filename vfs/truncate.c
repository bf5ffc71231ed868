/*
 * truncate.c - setting a file's size, by path or by descriptor
 *
 * Mirrors vfs_truncate() and do_sys_ftruncate() of fs/open.c. By path, what is cut
 * counts as open for writing meanwhile (i_writecount, twice).
 *
 * Differences from Linux: no EFBIG, since tmpfs files may grow to the largest
 * offset and there is no RLIMIT_FSIZE.
 */
#include <errno.h>

#include "machine/cost.h"
#include "vfs/attr.h"
#include "vfs/dcache.h"
#include "vfs/fdget.h"
#include "vfs/mount.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

/* Context: somebody is counted as writer. Return: 0 or -errno. */
static int
do_truncate(struct inode *inode, loff_t length)
{
	int error;

	spend(COST_security);
	inode_lock(inode);
	error = inode->i_op->setsize(inode, length);
	if (!error)
		file_remove_privs(inode);
	inode_unlock(inode);
	return error;
}

int
truncate_as_writer(struct inode *inode, loff_t length)
{
	int error = get_write_access(inode);

	if (error)
		return error;
	error = do_truncate(inode, length);
	put_write_access(inode);
	return error;
}

static int
vfs_truncate(const struct path *path, loff_t length)
{
	struct inode *inode = d_inode(path->dentry);
	int error;

	if (d_is_dir(path->dentry))
		return -EISDIR;
	if (!inode->i_op->setsize)
		return -EINVAL;
	mnt_get_write_access(path->mnt);
	error = inode_permission(inode, MAY_WRITE);
	if (!error)
		error = truncate_as_writer(inode, length);
	mnt_put_write_access(path->mnt);
	return error;
}

SYSCALL_DEFINE(int, truncate, (const char *name, loff_t length), (name, length))
{
	struct path path;
	int error;

	if (length < 0)
		return -EINVAL;
	error = user_path_at(name, LOOKUP_FOLLOW, &path);
	if (error)
		return error;
	error = vfs_truncate(&path, length);
	path_put(&path);
	return error;
}

SYSCALL_DEFINE(int, ftruncate, (int fd, loff_t length), (fd, length))
{
	int error = -EINVAL;
	struct fd f;

	if (length < 0)
		return -EINVAL;
	f = fdget((unsigned int)fd);
	if (!fd_file(f))
		return -EBADF;
	if (file_mode(fd_file(f)) & FMODE_WRITE) /* no directory ever is */
		error = do_truncate(fd_file(f)->f_inode, length);
	fdput(f);
	return error;
}
