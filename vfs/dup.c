/*
 * dup.c - one file behind several descriptors
 *
 * Mirrors dup(2) and do_dup2() of fs/file.c. What a dup and the close of the copy
 * write: the file's reference count twice and file_lock's line twice; the dentry
 * is not touched.
 *
 * A descriptor that dup2() is to replace may be reserved but not yet installed:
 * another thread's open() is on its way to it. Neither closing nor taking it would
 * be right, so that is EBUSY:
 *
 *   T1 open                               T2 dup2(0, 3)
 *   alloc_fd: 3, its bit is set
 *                                         slot 3 is NULL and its bit set: -EBUSY
 *   fd_install: slot 3
 */
#include <errno.h>

#include "machine/bitops.h"
#include "vfs/fdget.h"
#include "vfs/syscall_define.h"
#include "vfs/vfs.h"

SYSCALL_DEFINE(int, dup, (int old_fd), (old_fd))
{
	struct file *file = fget_raw((unsigned int)old_fd);
	int fd;

	if (!file)
		return -EBADF;
	fd = get_unused_fd_flags(0);
	if (fd < 0)
		fput(file);
	else
		fd_install((unsigned int)fd, file);
	return fd;
}

/* Make the table have slot @fd. Context: file_lock held; drops and retakes it. */
static int
make_room(struct files_struct *files, unsigned int fd)
{
	int error = 0;

	while (!error && fd >= files->fdt->max_fds)
		error = expand_files(files, fd);
	return error;
}

/*
 * Let slot @new have the file of slot @old. Context: file_lock held, both slots
 * are in the table. Return: 0 with what was there in *@replaced, or -errno.
 */
static int
replace_fd(struct files_struct *files, unsigned int old, unsigned int new, struct file **replaced)
{
	struct fdtable *fdt = files->fdt;
	struct file *file = files_lookup_fd(files, old);

	if (!file)
		return -EBADF;
	*replaced = rcu_dereference(fdt->fd[new]);
	if (!*replaced && __test_bit(new, fdt->open_fds))
		return -EBUSY;
	/* Pairs with the rcu_dereference() of lookups: they see an opened file. */
	rcu_assign_pointer(fdt->fd[new], get_file(file));
	mark_fd_open(fdt, new, 0);
	return 0;
}

static int
do_dup2(unsigned int old, unsigned int new)
{
	struct files_struct *files = current->files;
	struct file *replaced = NULL;
	int error;

	if (new >= kernel.vfs->nr_open)
		return -EBADF;
	spin_lock(&files->file_lock);
	/* A wrong @old is found out first, and then @new makes nothing grow. */
	error = files_lookup_fd(files, old) ? make_room(files, new) : -EBADF;
	if (!error)
		error = replace_fd(files, old, new, &replaced);
	spin_unlock(&files->file_lock);
	if (error)
		return error;
	if (replaced)
		fput_deferred(replaced);
	return (int)new;
}

/* dup2() onto itself changes nothing, but says whether it is open. */
static int
check_open(unsigned int fd)
{
	struct file *file;

	rcu_read_lock();
	file = files_lookup_fd(current->files, fd);
	rcu_read_unlock();
	return file ? (int)fd : -EBADF;
}

SYSCALL_DEFINE(int, dup2, (int old_fd, int new_fd), (old_fd, new_fd))
{
	return old_fd == new_fd ? check_open((unsigned int)old_fd) :
				  do_dup2((unsigned int)old_fd, (unsigned int)new_fd);
}
