/*
 * syscalls.h - the mini-kernel's system calls
 *
 * Arguments, results and errors are Linux's: a negative errno on failure. Every
 * call of Linux's charges COST_syscall as it enters; every call lets others run
 * (cond_resched()) as it leaves, which is a quiescent state of RCU.
 *
 * Context: a task with descriptors (kernel_ops.h); may sleep. Buffers and paths
 * are user memory that exists: a wrong pointer is the caller's crash, not EFAULT.
 */
#ifndef VFS_SYSCALLS_H
#define VFS_SYSCALLS_H

#include "machine/types.h"

/*
 * @flags: O_RDONLY, O_WRONLY or O_RDWR with O_CREAT, O_EXCL, O_TRUNC, O_CLOEXEC.
 * Return: the lowest free descriptor, or -ENOENT, -EEXIST, -EISDIR, -ENOTDIR,
 * -ENAMETOOLONG, -EINVAL (other flags), -EMFILE, -ENFILE, -ENOMEM.
 */
int sys_open(const char *path, int flags, mode_t mode);

/* Return: 0 or -EBADF. */
int sys_close(int fd);

/*
 * At most MAX_RW_COUNT bytes. Return: bytes, 0 at the end of the file, -EBADF
 * (not open for reading), -EINVAL (offset), -EISDIR or -ENOMEM.
 */
ssize_t sys_pread(int fd, void *buf, size_t count, loff_t pos);

/* As sys_pread(); -ENOSPC when the file's node and all others are full. */
ssize_t sys_pwrite(int fd, const void *buf, size_t count, loff_t pos);

/* Return: 0, -EBADF or -EINVAL (negative, or not a file open for writing). */
int sys_ftruncate(int fd, loff_t length);

/* Outside Linux's list; see struct syscalls. Return: 0, -EBADF or -EINVAL. */
int sys_file_node(int fd, int node);

#endif
