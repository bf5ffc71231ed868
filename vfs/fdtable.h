/*
 * fdtable.h - descriptors of one process
 *
 * Mirrors include/linux/fdtable.h and fs/file.c. Two structures: files_struct is
 * what threads share; fdtable is the array and its bitmaps, replaced as a whole
 * when it has to grow. Lookups are lockless (fdget.h); everything else happens
 * under file_lock, except that fd_install() stores into a reserved slot without.
 *
 *   a slot is NULL and its open bit set     reserved: between alloc_fd() and fd_install()
 *   a slot is set and its open bit set      open
 *   a slot is NULL and its open bit clear   free; next_fd is never above the lowest of them
 *
 * Growing and lockless installing meet like this:
 *
 *   T1 expand                               T2 fd_install
 *   resize_in_progress = true, unlock       reader begins: reads false
 *   synchronize_rcu() waits for T2 ........ stores into the old table; reader ends
 *   lock, copy, publish the new table
 *   resize_in_progress = false (release)    reads false (acquire): sees the new table
 *
 * A T2 that reads true takes file_lock instead: it stores into the old table
 * before the copy, or into the new one after it.
 *
 * Lock order: file_lock > resize_wait's lock; otherwise innermost. Nothing sleeps
 * under it.
 */
#ifndef VFS_FDTABLE_H
#define VFS_FDTABLE_H

#include "machine/names.h"
#include "machine/rcu.h"
#include "machine/wait.h"
#include "vfs/file.h"

#define BITS_PER_LONG 64
#define NR_OPEN_DEFAULT BITS_PER_LONG /* slots of the embedded table: one word of bits */

struct fdtable {
	unsigned int max_fds;		/* slots; constant */
	struct file **fd;		/* stores: file_lock, or fd_install(); loads: RCU */
	unsigned long *close_on_exec;	/* bitmaps, all under file_lock */
	unsigned long *open_fds;	/* reserved or open */
	unsigned long *full_fds_bits;	/* bit i: word i of open_fds is all ones */
	struct rcu_head rcu;		/* frees a replaced table */
};

_Static_assert(sizeof(struct fdtable) == 56, "as in the kernel");

struct files_struct {
	/* lines 0 and 1: read by every lookup */
	atomic_t count;				/* tasks that share this; anybody */
	bool resize_in_progress;		/* under file_lock; fd_install() reads it */
	struct wait_queue_head resize_wait;	/* for the end of a resize */
	struct fdtable *fdt;			/* under file_lock; read under RCU */
	struct fdtable fdtab;			/* the first table */

	/* line 2: written by open and close; descriptors 0 to 3 share it */
	spinlock_t file_lock ____cacheline_aligned;
	unsigned int next_fd;			/* under file_lock; where to look first */
	unsigned long close_on_exec_init[1];
	unsigned long open_fds_init[1];
	unsigned long full_fds_bits_init[1];
	struct file *fd_array[NR_OPEN_DEFAULT];
};

_Static_assert(offsetof(struct files_struct, resize_in_progress) == 4, "line 0");
_Static_assert(offsetof(struct files_struct, resize_wait) == 8, "line 0");
_Static_assert(offsetof(struct files_struct, fdt) == 32, "line 0");
_Static_assert(offsetof(struct files_struct, fdtab) == 40, "lines 0 and 1");
_Static_assert(offsetof(struct files_struct, file_lock) == 128, "line 2");
_Static_assert(offsetof(struct files_struct, next_fd) == 132, "line 2");
_Static_assert(offsetof(struct files_struct, fd_array) == 160, "line 2");
_Static_assert(sizeof(struct files_struct) == 704, "as in the kernel");

/*
 * Fill in @name if @address lies in @fdt, which is not an embedded one. Context:
 * reporting. Return: false if it does not.
 */
bool fdtable_name(const struct fdtable *fdt, const void *address, struct object_name *name);

/* Context: boot. Return: 0 or -ENOMEM. */
int files_boot(void);

/* Context: shutdown. BUG if a descriptor table is still in use. */
void files_shutdown(void);

/* An empty descriptor table with one user. Context: task. Return: NULL without memory. */
struct files_struct *files_create(void);

/*
 * A copy of @old for a new process, with a reference on every open file.
 * Slots that are only reserved are free in the copy.
 * Context: task; never sleeps. Return: NULL without memory.
 */
struct files_struct *dup_fd(struct files_struct *old);

/* Another user: a thread. Context: any. */
static __always_inline struct files_struct *
get_files_struct(struct files_struct *files)
{
	atomic_inc(&files->count);
	return files;
}

/* One user less; the last one closes everything. Context: task; sleeps. */
void put_files_struct(struct files_struct *files);

/* Table memory, of @slots slots or more; contents undefined. Context: any. */
struct fdtable *alloc_fdtable(unsigned int slots);
void free_fdtable(struct fdtable *fdt);

/*
 * Copy the bits of the first @slots slots (whole words) and clear the rest of
 * @to. Context: @from's file_lock held.
 */
void copy_fd_bitmaps(struct fdtable *to, const struct fdtable *from, unsigned int slots);

/*
 * Make room for descriptor @fd, which the table does not have.
 * Context: task, file_lock held; drops it and takes it again; sleeps.
 * Return: 0, -EMFILE or -ENOMEM; after 0 look at everything again.
 */
int expand_files(struct files_struct *files, unsigned int fd);

/*
 * Reserve the lowest free descriptor from @start on and below @end. @flags:
 * O_CLOEXEC or 0. Context: task; may sleep (growth).
 * Return: the descriptor, -EMFILE or -ENOMEM.
 */
int alloc_fd(struct files_struct *files, unsigned int start, unsigned int end, unsigned int flags);

/* Set the bits of descriptor @fd; @flags as for alloc_fd(). Context: file_lock held. */
void mark_fd_open(struct fdtable *fdt, unsigned int fd, unsigned int flags);

/* The lowest free descriptor of the calling task. Context, return: as alloc_fd(). */
int get_unused_fd_flags(unsigned int flags);

/* Give a reserved descriptor back. Context: task. */
void put_unused_fd(unsigned int fd);

/* Publish @file under reserved descriptor @fd; the slot takes the reference. Context: task. */
void fd_install(unsigned int fd, struct file *file);

/* Free descriptor @fd. Context: task. Return: its file with the slot's reference, or NULL. */
struct file *file_close_fd(unsigned int fd);

#endif
