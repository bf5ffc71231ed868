/*
 * read_write.c - read and write, pread and pwrite
 *
 * Mirrors ksys_read(), ksys_pread64(), vfs_read() and rw_verify_area() of
 * fs/read_write.c, and generic_file_write_iter() of mm/filemap.c, which all writes go
 * through here: the checks are theirs, in their order. read and write use the
 * file position, under f_pos_lock if the file is shared; pread and pwrite do not
 * look at either. On the way to the data a pread reads
 * the task's files pointer, files_struct line 0, the table's slot, line 0 of
 * the file and line 1 of the inode (size); it writes nothing that is shared if
 * the descriptor table is not.
 *
 * What is written with O_APPEND goes to the end of the file wherever the position is,
 * with pwrite as well, which POSIX has otherwise.
 *
 * Differences from Linux: no RLIMIT_FSIZE, so EFBIG only where O_APPEND meets a file of
 * the largest size. Reading sets no access time, as with noatime.
 */
#include <errno.h>
#include <limits.h>

#include "machine/cost.h"
#include "vfs/attr.h"
#include "vfs/fdget.h"
#include "vfs/syscall_define.h"

#define MAX_LFS_FILESIZE LLONG_MAX /* no file is larger */
#define MAX_RW_COUNT 0x7ffff000 /* INT_MAX rounded down to a page */
#define TASK_SIZE_MAX 0x7ffffffff000ul /* user memory on x86-64: no buffer is longer */

/* May [@pos, @pos + @count) be transferred at all? Return: bytes to transfer, or -errno. */
static __always_inline ssize_t
rw_verify_area(loff_t pos, size_t count)
{
	loff_t end;

	if (unlikely(count > TASK_SIZE_MAX))
		return -EFAULT;
	if (unlikely(__builtin_add_overflow(pos, (loff_t)count, &end)))
		return -EINVAL;
	spend(COST_security);
	return min((ssize_t)count, (ssize_t)MAX_RW_COUNT);
}

/* Context: @file is referenced or borrowed. Return: as sys_pread(). */
static __always_inline ssize_t
vfs_read(struct file *file, void *buf, size_t count, loff_t pos)
{
	ssize_t bytes;

	if (unlikely(!(file_mode(file) & FMODE_READ)))
		return -EBADF;
	bytes = rw_verify_area(pos, count);
	if (unlikely(bytes < 0))
		return bytes;
	if (unlikely(!(file_mode(file) & FMODE_CAN_READ)))
		return -EISDIR;
	return file->f_op->read(file, buf, (size_t)bytes, pos);
}

/*
 * What comes first in a write of @count bytes to @file. With O_APPEND *@pos becomes the
 * end of the file, which stays where it is as long as the inode lock is held; without,
 * rw_verify_area() has seen to the largest offset. Context: inode lock held.
 * Return: bytes to write, or -EFBIG.
 */
static __always_inline ssize_t
generic_write_checks(const struct file *file, loff_t *pos, size_t count)
{
	if (likely(!(file->f_iocb_flags & IOCB_APPEND)))
		return (ssize_t)count;
	*pos = file->f_inode->i_size;
	if (*pos == MAX_LFS_FILESIZE)
		return -EFBIG;
	return min((ssize_t)count, MAX_LFS_FILESIZE - *pos);
}

/* @count: not 0. Context, return: as vfs_read(); *@pos is behind what was written then. */
static __always_inline ssize_t
generic_file_write(struct file *file, const void *buf, size_t count, loff_t *pos)
{
	struct inode *inode = file->f_inode;
	loff_t at = *pos;
	ssize_t bytes;

	inode_lock(inode);
	bytes = generic_write_checks(file, &at, count);
	if (likely(bytes > 0)) {
		file_modified(inode);
		bytes = file->f_op->write(file, buf, (size_t)bytes, at);
	}
	inode_unlock(inode);
	if (likely(bytes > 0))
		*pos = at + bytes;
	return bytes;
}

/* Context, return: as vfs_read(); *@pos is behind what was written then. */
static ssize_t
vfs_write(struct file *file, const void *buf, size_t count, loff_t *pos)
{
	ssize_t bytes;

	if (!(file_mode(file) & FMODE_WRITE))
		return -EBADF;
	bytes = rw_verify_area(*pos, count);
	if (bytes <= 0)
		return bytes;
	return generic_file_write(file, buf, (size_t)bytes, pos);
}

SYSCALL_DEFINE(ssize_t, pread, (int fd, void *buf, size_t count, loff_t pos), (fd, buf, count, pos))
{
	ssize_t result = -EBADF;
	struct fd f;

	if (unlikely(pos < 0))
		return -EINVAL;
	f = fdget((unsigned int)fd);
	if (likely(fd_file(f)))
		result = vfs_read(fd_file(f), buf, count, pos);
	fdput(f);
	return result;
}

SYSCALL_DEFINE(ssize_t, pwrite, (int fd, const void *buf, size_t count, loff_t pos),
	       (fd, buf, count, pos))
{
	ssize_t result = -EBADF;
	struct fd f;

	if (pos < 0)
		return -EINVAL;
	f = fdget((unsigned int)fd);
	if (fd_file(f))
		result = vfs_write(fd_file(f), buf, count, &pos);
	fdput(f);
	return result;
}

SYSCALL_DEFINE(ssize_t, read, (int fd, void *buf, size_t count), (fd, buf, count))
{
	struct fd f = fdget_pos((unsigned int)fd);
	struct file *file = fd_file(f);
	ssize_t result = -EBADF;

	if (file) {
		result = vfs_read(file, buf, count, file->f_pos);
		if (result > 0)
			file->f_pos += result;
	}
	fdput_pos(f);
	return result;
}

SYSCALL_DEFINE(ssize_t, write, (int fd, const void *buf, size_t count), (fd, buf, count))
{
	struct fd f = fdget_pos((unsigned int)fd);
	struct file *file = fd_file(f);
	ssize_t result = -EBADF;

	if (file)
		result = vfs_write(file, buf, count, &file->f_pos);
	fdput_pos(f);
	return result;
}
