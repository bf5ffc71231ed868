/*
 * open.c - open, close and ftruncate
 *
 * Mirrors fs/open.c. What an open and its close write, besides the task's own
 * file: cred.usage (shared by threads), the inode's line 5 (i_count and
 * i_readcount or i_writecount), files_struct line 2 (file_lock, shared by
 * threads).
 *
 * The descriptor is reserved first, so that an open which fails with EMFILE has
 * not made the file.
 *
 * Differences from Linux: flags that are not modelled are EINVAL instead of
 * ignored; a path is read where it is and not copied first.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "machine/cost.h"
#include "machine/sched.h"
#include "vfs/fdget.h"
#include "vfs/namei.h"
#include "vfs/syscalls.h"

#define VALID_OPEN_FLAGS (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC)

/* What can be said before looking anywhere. Return: 0 or -errno. */
static int
check_open(const char *path, int flags)
{
	if ((flags & ~VALID_OPEN_FLAGS) || (flags & O_ACCMODE) == O_ACCMODE)
		return -EINVAL;
	if (!path[0])
		return -ENOENT;
	return strnlen(path, PATH_MAX) == PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Open @path on @file. Return: 0 or -errno. */
static int
do_file_open(struct file *file, const char *path, int flags, mode_t mode)
{
	struct inode *inode;
	int made = path_openat(path, flags, mode, &inode);

	if (made < 0)
		return made;
	file_open_inode(file, inode, flags);
	if ((flags & O_TRUNC) && !made) {
		inode_lock(inode);
		inode_truncate(inode, 0);
		inode_unlock(inode);
	}
	return 0;
}

/* Open @path as reserved descriptor @fd. Return: 0 or -errno. */
static int
open_reserved(unsigned int fd, const char *path, int flags, mode_t mode)
{
	struct file *file;
	int error = alloc_empty_file(&file);

	if (error)
		return error;
	error = do_file_open(file, path, flags, mode);
	if (error) {
		fput_close(file);
		return error;
	}
	fd_install(fd, file);
	return 0;
}

static int
do_open(const char *path, int flags, mode_t mode)
{
	int error = check_open(path, flags);
	int fd;

	if (error)
		return error;
	fd = get_unused_fd_flags((unsigned int)flags & O_CLOEXEC);
	if (fd < 0)
		return fd;
	error = open_reserved((unsigned int)fd, path, flags, mode);
	if (error) {
		put_unused_fd((unsigned int)fd);
		return error;
	}
	return fd;
}

static int
do_close(int fd)
{
	struct file *file = file_close_fd((unsigned int)fd);

	if (!file)
		return -EBADF;
	fput_close(file);
	return 0;
}

static int
vfs_truncate(struct file *file, loff_t length)
{
	struct inode *inode = file->f_inode;

	if (!S_ISREG(inode->i_mode) || !(file->f_mode & FMODE_WRITE))
		return -EINVAL;
	spend(COST_security);
	inode_lock(inode);
	inode_truncate(inode, length);
	inode_unlock(inode);
	return 0;
}

static int
do_ftruncate(int fd, loff_t length)
{
	int error = -EBADF;
	struct fd f;

	if (length < 0)
		return -EINVAL;
	f = fdget((unsigned int)fd);
	if (fd_file(f))
		error = vfs_truncate(fd_file(f), length);
	fdput(f);
	return error;
}

static int
do_file_node(int fd, int node)
{
	int error = -EINVAL;
	struct fd f = fdget((unsigned int)fd);
	struct inode *inode;

	if (!fd_file(f))
		return -EBADF;
	if (node >= 0 && node < nr_node_ids) {
		inode = fd_file(f)->f_inode;
		inode_lock(inode);
		inode->i_data.node = node;
		inode_unlock(inode);
		error = 0;
	}
	fdput(f);
	return error;
}

int
sys_open(const char *path, int flags, mode_t mode)
{
	int result;

	spend(COST_syscall);
	result = do_open(path, flags, mode);
	cond_resched();
	return result;
}

int
sys_close(int fd)
{
	int result;

	spend(COST_syscall);
	result = do_close(fd);
	cond_resched();
	return result;
}

int
sys_ftruncate(int fd, loff_t length)
{
	int result;

	spend(COST_syscall);
	result = do_ftruncate(fd, length);
	cond_resched();
	return result;
}

int
sys_file_node(int fd, int node)
{
	int result = do_file_node(fd, node);

	cond_resched();
	return result;
}
