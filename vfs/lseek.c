/*
 * lseek.c - moving the file position
 *
 * Mirrors ksys_lseek() and generic_file_llseek() of fs/read_write.c, and for
 * directories offset_dir_llseek() of fs/libfs.c. A position is shared by whoever
 * shares the open file; f_pos_lock is taken if anybody does (fdget_pos()).
 *
 * A directory's position is what getdents made of it; its end is nowhere, as on tmpfs.
 * Where a file has data and where holes its file system knows (seek_hole_data()).
 */
#include <errno.h>
#include <unistd.h>

#include "vfs/fdget.h"
#include "vfs/syscall_define.h"

/* Where data begins or ends. Return: the position, -EINVAL or -ENXIO. */
static noinline loff_t
seek_hole_data(struct file *file, loff_t offset, int whence)
{
	if (!file->f_op->seek_hole_data)
		return -EINVAL;
	return file->f_op->seek_hole_data(file, offset, whence);
}

/* Where @offset and @whence lead. Return: the position, -EINVAL or -ENXIO. */
static loff_t
seek_target(struct file *file, loff_t offset, int whence)
{
	loff_t base = 0;
	loff_t pos;

	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		base = file->f_pos;
		break;
	case SEEK_END:
		if (file->f_op->iterate_shared)
			return -EINVAL;
		base = i_size_read(file->f_inode);
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		return seek_hole_data(file, offset, whence);
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, offset, &pos) || pos < 0)
		return -EINVAL;
	return pos;
}

/* Context: f_pos_lock held, or nobody shares @file. Return: as sys_lseek(). */
static loff_t
vfs_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t pos = seek_target(file, offset, whence);

	if (pos < 0)
		return pos;
	/* Asking where it is writes nothing. */
	if (pos != file->f_pos)
		file->f_pos = pos;
	return pos;
}

SYSCALL_DEFINE(loff_t, lseek, (int fd, loff_t offset, int whence), (fd, offset, whence))
{
	struct fd f = fdget_pos((unsigned int)fd);
	loff_t result;

	if (!fd_file(f))
		return -EBADF;
	result = vfs_llseek(fd_file(f), offset, whence);
	fdput_pos(f);
	return result;
}
