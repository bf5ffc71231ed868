/*
 * open.c - open and close
 *
 * Mirrors fs/open.c. What an open and its close write, besides the task's own
 * file: the dentry's lockref four times (namei_open.c), the inode's line 5
 * (i_writecount or i_readcount) twice, cred.usage twice (shared by threads),
 * files_struct line 2 twice (file_lock, shared by threads).
 *
 * The descriptor is reserved first, so that an open which fails with EMFILE has
 * not made the file.
 *
 * Flags that Linux does not know are ignored, and of those that it knows these mean
 * nothing on our file systems: O_NOCTTY, O_NONBLOCK, O_ASYNC, O_SYNC, O_DSYNC; O_DIRECT
 * means nothing on tmpfs, and O_NOATIME only asks for permission.
 *
 * Differences from Linux: no O_TMPFILE, as on a file system that cannot: EOPNOTSUPP,
 * whatever the path.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/err.h"
#include "vfs/fdget.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

#define VALID_OPEN_FLAGS                                                                           \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |      \
	 O_ASYNC | O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_PATH |          \
	 O_TMPFILE)
#define O_PATH_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_PATH | O_CLOEXEC) /* it takes no others */

/* Open @name as reserved descriptor @fd. Return: 0 or -errno. */
static int
open_reserved(unsigned int fd, const struct filename *name, int flags, mode_t mode)
{
	struct file *file = alloc_empty_file();
	int error;

	if (IS_ERR(file))
		return PTR_ERR(file);
	error = do_filp_open(file, name, flags, mode);
	if (error) {
		fput_close(file);
		return error;
	}
	fd_install(fd, file);
	return 0;
}

/* Return: the descriptor or -errno. */
static int
open_name(const struct filename *name, int flags, mode_t mode)
{
	int fd = get_unused_fd_flags((unsigned int)flags & O_CLOEXEC);
	int error;

	if (unlikely(fd < 0))
		return fd;
	error = open_reserved((unsigned int)fd, name, flags, mode);
	if (unlikely(error)) {
		put_unused_fd((unsigned int)fd);
		return error;
	}
	return fd;
}

/* Do @flags go together? Return: 0, -EINVAL or -EOPNOTSUPP. */
static int
check_flags(int flags)
{
	if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return -EINVAL;
	/* O_DIRECTORY is part of O_TMPFILE, and it has to be writable. */
	if (likely(!(flags & O_TMPFILE & ~O_DIRECTORY)))
		return 0;
	return (flags & O_DIRECTORY) && (flags & O_ACCMODE) ? -EOPNOTSUPP : -EINVAL;
}

SYSCALL_DEFINE(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
{
	struct filename name;
	int result;

	flags &= flags & O_PATH ? O_PATH_FLAGS : VALID_OPEN_FLAGS;
	result = check_flags(flags);
	if (unlikely(result))
		return result;
	result = getname(&name, path, 0);
	if (result)
		return result;
	result = open_name(&name, flags, mode);
	putname(&name);
	return result;
}

SYSCALL_DEFINE(int, close, (int fd), (fd))
{
	struct file *file = file_close_fd((unsigned int)fd);

	if (!file)
		return -EBADF;
	fput_close(file);
	return 0;
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

/* Not one of Linux's calls: none is charged. */
int
sys_file_node(int fd, int node)
{
	int result = do_file_node(fd, node);

	syscall_exit();
	return result;
}
