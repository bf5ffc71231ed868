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
 * Differences from Linux: flags that are not modelled are EINVAL instead of
 * ignored.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/err.h"
#include "vfs/fdget.h"
#include "vfs/fs_struct.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

#define VALID_OPEN_FLAGS                                                                           \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW)

/* Open @name as reserved descriptor @fd. Return: 0 or -errno. */
static int
open_reserved(unsigned int fd, const struct filename *name, int flags, mode_t mode)
{
	struct file *file = alloc_empty_file();
	int error;

	if (IS_ERR(file))
		return PTR_ERR(file);
	error = do_filp_open(file, name, flags, mode & ~READ_ONCE(current->fs->umask));
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

SYSCALL_DEFINE(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
{
	struct filename name;
	int result;

	if ((flags & ~VALID_OPEN_FLAGS) || (flags & O_ACCMODE) == O_ACCMODE ||
	    (flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return -EINVAL;
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
