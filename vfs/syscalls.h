/*
 * syscalls.h - the mini-kernel's system calls
 *
 * Arguments, results and errors are Linux's: a negative errno on failure. Every
 * call of Linux's charges COST_syscall as it enters; every call does what it put off
 * and lets others run as it leaves, which is a quiescent state of RCU (syscall_define.h).
 *
 * Context: a task with descriptors (kernel_ops.h); may sleep. Buffers and paths
 * are user memory that exists: a wrong pointer is the caller's crash, not EFAULT.
 */
#ifndef VFS_SYSCALLS_H
#define VFS_SYSCALLS_H

#include <sys/stat.h>

#include "machine/types.h"

/*
 * What a path can come to, in every call that takes one: -ENOENT, -ENOTDIR,
 * -EACCES, -ELOOP, -ENAMETOOLONG or -ENOMEM. Paths without a slash in front begin
 * at the current directory.
 */

/*
 * @flags: all of open(2), some of which change nothing (open.c); unknown ones are
 * ignored. Return: the lowest free descriptor, or as above or -EEXIST, -EISDIR, -EMFILE,
 * -ENFILE (not for root), -EINVAL (O_CREAT with O_DIRECTORY; O_DIRECT on what cannot),
 * -EPERM (O_NOATIME by others than the owner and root), -ETXTBSY, -EOPNOTSUPP
 * (O_TMPFILE).
 */
int sys_open(const char *path, int flags, mode_t mode);

/* open(@path, O_CREAT | O_WRONLY | O_TRUNC, @mode). */
int sys_creat(const char *path, mode_t mode);

/* Return: 0 or -EBADF. */
int sys_close(int fd);

/* Return: 0, or as above or -EEXIST. */
int sys_mkdir(const char *path, mode_t mode);
int sys_symlink(const char *target, const char *path);

/* Return: 0, or as above or -EBUSY, -EINVAL ("."), -ENOTEMPTY (also ".."). */
int sys_rmdir(const char *path);

/* Return: 0, or as above or -EISDIR, -EPERM (sticky directory). */
int sys_unlink(const char *path);

/* Return: 0, or as above or -EBUSY, -EINVAL (into itself), -EISDIR, -ENOTEMPTY, -EEXIST. */
int sys_rename(const char *from, const char *to);

/* Return: bytes (no NUL is written), or as above or -EINVAL (no link, @size <= 0). */
ssize_t sys_readlink(const char *path, char *buf, int size);

/* Return: 0, or as above. */
int sys_chdir(const char *path);

/*
 * Return: the new descriptor, or -EBADF; dup: -EMFILE; dup2: -EBUSY (another thread is
 * opening @new_fd), -EBADF also for one at the limit or beyond.
 */
int sys_dup(int fd);
int sys_dup2(int old_fd, int new_fd);

/* Return: 0, or as above, or -EBADF. */
int sys_stat(const char *path, struct stat *stat);
int sys_lstat(const char *path, struct stat *stat);
int sys_fstat(int fd, struct stat *stat);

/* @mode: F_OK or R_OK, W_OK and X_OK; checks the real ids. Return: 0, or as above or -EINVAL. */
int sys_access(const char *path, int mode);

/*
 * @whence: SEEK_SET, SEEK_CUR, SEEK_END; SEEK_DATA and SEEK_HOLE in files. Return: the new
 * offset, -EBADF, -EINVAL, or -ENXIO (no data, or @offset is not in the file).
 */
loff_t sys_lseek(int fd, loff_t offset, int whence);

/* As sys_pread() and sys_pwrite() at the file position, which moves by what was done. */
ssize_t sys_read(int fd, void *buf, size_t count);
ssize_t sys_write(int fd, const void *buf, size_t count);

/* Return: 0, or as above or -EINVAL, -EISDIR, -ETXTBSY. */
int sys_truncate(const char *path, loff_t length);

/*
 * Fill @buf with struct linux_dirent64 (getdents64(2)) from the file position on.
 * Return: bytes, 0 at the end, -EBADF, -ENOTDIR, -ENOENT (removed) or -EINVAL (no room).
 */
ssize_t sys_getdents64(int fd, void *buf, size_t size);

/*
 * For C test bodies. @type: a name that get_fs_type() knows; flags and source are
 * not looked at. Return: 0, or as above or -EPERM, -ENODEV, -EBUSY, -ENOSPC.
 */
int sys_mount(const char *source, const char *path, const char *type, unsigned long flags,
	      const void *data);

/* Return: 0, or as above or -EPERM, -EINVAL, -EBUSY. */
int sys_umount(const char *path);

/* Return: the old one. */
mode_t sys_umask(mode_t mask);

/*
 * At most MAX_RW_COUNT bytes. Return: bytes, 0 at the end of the file, -EBADF
 * (not open for reading), -EINVAL (offset), -EISDIR or -ENOMEM.
 */
ssize_t sys_pread(int fd, void *buf, size_t count, loff_t pos);

/*
 * As sys_pread(), and at the end of the file whatever @pos with O_APPEND; -ENOSPC when the
 * file's node and all others are full, -EFBIG where O_APPEND finds no larger offset.
 */
ssize_t sys_pwrite(int fd, const void *buf, size_t count, loff_t pos);

/* Return: 0, -EBADF or -EINVAL (negative, or not a file open for writing). */
int sys_ftruncate(int fd, loff_t length);

/* Outside Linux's list; see struct syscalls. Return: 0, -EBADF or -EINVAL. */
int sys_file_node(int fd, int node);

#endif
