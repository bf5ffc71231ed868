/*
 * fdget.h - from a descriptor to its file
 *
 * Mirrors fget_raw() of fs/file.c and struct fd of include/linux/file.h. Two ways:
 *
 *   light   the calling task is the only user of its table: nobody can close
 *           the file during this system call, so the slot's reference is
 *           borrowed and no shared line is written
 *   full    take a reference of its own: two writes of the file's line 2
 *
 * The policy `fdget` says whether light is allowed. Rules for light: the same
 * system call only, no closing of that descriptor and no new user of the table
 * in between.
 *
 * Calls that use the file position take f_pos_lock as well, if anybody else could
 * be using it: fdget_pos(). What was opened with O_PATH is there for few calls, those
 * with "raw" in what they call: close, dup and dup2, fstat.
 *
 * Context: task.
 */
#ifndef VFS_FDGET_H
#define VFS_FDGET_H

#include "vfs/fdtable.h"
#include "vfs/policy.h"

/* A pointer to a file, and in the low bits what there is to give back. */
struct fd {
	unsigned long word;
};

#define FDPUT_FPUT 1ul		/* a reference */
#define FDPUT_POS_UNLOCK 2ul	/* f_pos_lock */

static __always_inline struct file *
fd_file(struct fd f)
{
	return (struct file *)(f.word & ~(FDPUT_FPUT | FDPUT_POS_UNLOCK));
}

/*
 * Take a reference on the file behind descriptor @fd of the calling task, with O_PATH,
 * too. Return: the file, or NULL.
 */
struct file *fget_raw(unsigned int fd);

/* Return: the file in slot @fd, by looking alone, or NULL. Context: RCU, or only user. */
static __always_inline struct file *
files_lookup_fd(struct files_struct *files, unsigned int fd)
{
	/* Both pair with the rcu_assign_pointer() of whoever published. */
	const struct fdtable *fdt = rcu_dereference(files->fdt);

	return likely(fd < fdt->max_fds) ? rcu_dereference(fdt->fd[fd]) : NULL;
}

/*
 * The same without a reference, where one can be borrowed. Return: the file, to be given
 * back with fdput(); fd_file() NULL: EBADF.
 */
static __always_inline struct fd
fdget_raw(unsigned int fd)
{
	struct files_struct *files = current->files;
	struct file *file;

	/*
	 * The acquire pairs with the decrement in put_files_struct(): what the
	 * last other user did to the table is seen.
	 */
	if (likely(policy_value[POLICY_fdget] == fdget_light) &&
	    likely(atomic_read_acquire(&files->count) == 1))
		return (struct fd){ (unsigned long)files_lookup_fd(files, fd) };
	file = fget_raw(fd);
	return (struct fd){ file ? (unsigned long)file | FDPUT_FPUT : 0 };
}

static __always_inline void
fdput(struct fd f)
{
	if (unlikely(f.word & FDPUT_FPUT))
		fput(fd_file(f));
}

/* As fdget_raw(), but what was opened with O_PATH is EBADF. */
static __always_inline struct fd
fdget(unsigned int fd)
{
	struct fd f = fdget_raw(fd);

	if (likely(fd_file(f)) && unlikely(file_mode(fd_file(f)) & FMODE_PATH)) {
		fdput(f);
		f.word = 0;
	}
	return f;
}

/*
 * Whether others may use @file's position meanwhile: somebody else has a reference
 * (a thread's own counts, too), or it is a directory, whose entries are read at the
 * position by more than one step. Linux asks for FMODE_ATOMIC_POS as well, which every
 * file and directory has.
 */
static __always_inline bool
file_needs_f_pos_lock(struct file *file)
{
	return file_count(file) != 1 || file->f_op->iterate_shared;
}

/* fdget(), and f_pos is the caller's until fdput_pos(). May sleep. */
static __always_inline struct fd
fdget_pos(unsigned int fd)
{
	struct fd f = fdget(fd);
	struct file *file = fd_file(f);

	if (likely(file) && file_needs_f_pos_lock(file)) {
		mutex_lock(&file->f_pos_lock);
		f.word |= FDPUT_POS_UNLOCK;
	}
	return f;
}

static __always_inline void
fdput_pos(struct fd f)
{
	if (f.word & FDPUT_POS_UNLOCK)
		mutex_unlock(&fd_file(f)->f_pos_lock);
	fdput(f);
}

#endif
