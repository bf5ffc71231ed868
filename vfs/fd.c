/*
 * fd.c - reserving, installing and freeing single descriptors
 *
 * Mirrors alloc_fd(), fd_install() and file_close_fd() of fs/file.c; see
 * fdtable.h for the states of a slot and the race with growing.
 *
 * The search for a free descriptor has two levels: full_fds_bits says which
 * words of open_fds need not be looked at, so that 4,096 descriptors cost one
 * more word. Which level is asked when is the policy `fd_alloc`: a file each in
 * fd_alloc/.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/bitops.h"
#include "vfs/fd_alloc/bitmap.h"
#include "vfs/fd_alloc/bitmap_fastpath.h"
#include "vfs/fdtable.h"
#include "vfs/vfs.h"

/* Return: the lowest free descriptor from @start on, or max_fds. */
static __always_inline unsigned int
find_next_fd(const struct fdtable *fdt, unsigned int start)
{
	if (likely(policy_value[POLICY_fd_alloc] == fd_alloc_bitmap_fastpath))
		return fd_alloc_bitmap_fastpath_find(fdt, start);
	return fd_alloc_bitmap_find(fdt, start);
}

/* Word number @word of open_fds has room again. */
static __always_inline void
clear_full(struct fdtable *fdt, unsigned int word)
{
	if (likely(policy_value[POLICY_fd_alloc] == fd_alloc_bitmap_fastpath))
		fd_alloc_bitmap_fastpath_clear_full(fdt, word);
	else
		fd_alloc_bitmap_clear_full(fdt, word);
}

static __always_inline void
mark_open(struct fdtable *fdt, unsigned int fd, unsigned int flags)
{
	__set_bit(fd, fdt->open_fds);
	if (flags & O_CLOEXEC)
		__set_bit(fd, fdt->close_on_exec);
	else if (unlikely(__test_bit(fd, fdt->close_on_exec)))
		__clear_bit(fd, fdt->close_on_exec);
	if (unlikely(!~fdt->open_fds[fd / BITS_PER_LONG]))
		__set_bit(fd / BITS_PER_LONG, fdt->full_fds_bits);
}

void
mark_fd_open(struct fdtable *fdt, unsigned int fd, unsigned int flags)
{
	mark_open(fdt, fd, flags);
}

/* Context: file_lock held, the slot is NULL. */
static __always_inline void
mark_free(struct files_struct *files, unsigned int fd)
{
	struct fdtable *fdt = files->fdt;

	BUG_ON(!__test_bit(fd, fdt->open_fds), "descriptor %u is free already", fd);
	__clear_bit(fd, fdt->open_fds);
	clear_full(fdt, fd / BITS_PER_LONG);
	if (fd < files->next_fd)
		files->next_fd = fd;
}

/* One attempt. Context, return: as alloc_fd() with file_lock held; -EAGAIN: the table grew. */
static __always_inline int
alloc_fd_locked(struct files_struct *files, unsigned int start, unsigned int end,
		unsigned int flags)
{
	struct fdtable *fdt = files->fdt;
	unsigned int fd = max(start, files->next_fd);
	int error;

	if (likely(fd < fdt->max_fds))
		fd = find_next_fd(fdt, fd);
	if (unlikely(fd >= end))
		return -EMFILE;
	if (unlikely(fd >= fdt->max_fds)) {
		error = expand_files(files, fd);
		return error ? error : -EAGAIN;
	}
	if (start <= files->next_fd)
		files->next_fd = fd + 1;
	mark_open(fdt, fd, flags);
	if (unlikely(policy_value[POLICY_fd_alloc] == fd_alloc_bitmap))
		fd_alloc_bitmap_check_free(fdt, fd);
	return fd;
}

/* Context, return: as alloc_fd(). */
static __always_inline int
alloc_fd_from(struct files_struct *files, unsigned int start, unsigned int end, unsigned int flags)
{
	int fd;

	spin_lock(&files->file_lock);
	do {
		fd = alloc_fd_locked(files, start, end, flags);
	} while (unlikely(fd == -EAGAIN));
	spin_unlock(&files->file_lock);
	return fd;
}

int
alloc_fd(struct files_struct *files, unsigned int start, unsigned int end, unsigned int flags)
{
	return alloc_fd_from(files, start, end, flags);
}

int
get_unused_fd_flags(unsigned int flags)
{
	return alloc_fd_from(current->files, 0, kernel.vfs->nr_open, flags);
}

void
put_unused_fd(unsigned int fd)
{
	struct files_struct *files = current->files;

	spin_lock(&files->file_lock);
	mark_free(files, fd);
	spin_unlock(&files->file_lock);
}

static __always_inline void
install(struct fdtable *fdt, unsigned int fd, struct file *file)
{
	BUG_ON(READ_ONCE(fdt->fd[fd]), "descriptor %u has a file already", fd);
	/* Pairs with the rcu_dereference() of lookups: they see an opened file. */
	rcu_assign_pointer(fdt->fd[fd], file);
}

/* While the table grows. */
static noinline void
install_locked(struct files_struct *files, unsigned int fd, struct file *file)
{
	spin_lock(&files->file_lock);
	install(files->fdt, fd, file);
	spin_unlock(&files->file_lock);
}

void
fd_install(unsigned int fd, struct file *file)
{
	struct files_struct *files = current->files;

	rcu_read_lock();
	/* Pairs with the release in expand_files(). */
	if (likely(!smp_load_acquire(&files->resize_in_progress))) {
		install(rcu_dereference(files->fdt), fd, file);
		rcu_read_unlock();
		return;
	}
	rcu_read_unlock();
	install_locked(files, fd, file);
}

struct file *
file_close_fd(unsigned int fd)
{
	struct files_struct *files = current->files;
	struct file *file = NULL;
	struct fdtable *fdt;

	spin_lock(&files->file_lock);
	fdt = files->fdt;
	if (fd < fdt->max_fds)
		file = rcu_dereference(fdt->fd[fd]); /* installed without the lock */
	if (file) {
		WRITE_ONCE(fdt->fd[fd], NULL);
		mark_free(files, fd);
	}
	spin_unlock(&files->file_lock);
	return file;
}
