/*
 * lseek.c - moving the file position
 *
 * Mirrors ksys_lseek() and generic_file_llseek() of fs/read_write.c, and for
 * directories offset_dir_llseek() of fs/libfs.c. A position is shared by whoever
 * shares the open file; f_pos_lock is taken if anybody does (fdget_pos()).
 *
 * Differences from Linux: no SEEK_DATA and SEEK_HOLE. A directory's position is
 * what getdents made of it; its end is nowhere, as on tmpfs.
 */
#include <errno.h>
#include <unistd.h>

#include "vfs/fdget.h"
#include "vfs/syscall_define.h"

/* Where @whence is. Return: the offset, or -EINVAL. */
static loff_t
seek_base(const struct file *file, int whence)
{
	switch (whence) {
	case SEEK_SET:
		return 0;
	case SEEK_CUR:
		return file->f_pos;
	case SEEK_END:
		return S_ISDIR(file->f_inode->i_mode) ? -EINVAL : i_size_read(file->f_inode);
	default:
		return -EINVAL;
	}
}

/* Context: f_pos_lock held, or nobody shares @file. Return: as sys_lseek(). */
static loff_t
vfs_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t base = seek_base(file, whence);
	loff_t pos;

	if (base < 0)
		return base;
	if (__builtin_add_overflow(base, offset, &pos) || pos < 0)
		return -EINVAL;
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
