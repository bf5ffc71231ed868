/*
 * vfs.h - the room's state and its two ends
 *
 * Everything of vfs/ that outlives a system call hangs off struct vfs.
 */
#ifndef VFS_VFS_H
#define VFS_VFS_H

#include "machine/kernel.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/inode_cache.h"
#include "vfs/mount.h"
#include "vfs/percpu_counter.h"

/* Limits at boot; tests make them small. */
#define NR_OPEN_MAX 1048576	/* descriptors per table; the kernel's nr_open */
#define FILES_MAX 4194304	/* open files in all; the kernel's file-max grows with memory */

struct vfs {
	/* Constant after vfs_boot(). */
	struct kmem_cache *cred_cache;
	struct kmem_cache *file_cache;
	struct kmem_cache *files_cache;
	struct kmem_cache *inode_cache;
	struct kmem_cache *fs_cache;
	unsigned int nr_open;		/* EMFILE from this descriptor on; RLIMIT_NOFILE, too */
	s64 max_files;			/* ENFILE from that many on */

	struct dcache dcache;		/* dcache.h */
	struct percpu_counter nr_files;	/* open files */
	struct inode_hash inode_hash;	/* inode_cache.h */

	/* Writers are rare; readers look at the count. */
	seqlock_t rename_lock ____cacheline_aligned; /* dcache.h */
	struct mounts mounts;		/* mount.h */

	spinlock_t supers_lock ____cacheline_aligned; /* guards the list and s_list */
	struct list_head supers;
	u32 next_dev;			/* under supers_lock */

	struct cred_shared cred_shared;	/* cred.h; a line for each count */
	atomic_t lsm_label ____cacheline_aligned; /* one for all tasks; `lsm_label: on` */

	struct initial_tasks *initial;	/* who runs; see process.h */
	void *panic_target;		/* for kernel_ops.c */
};

/*
 * Mount an empty tmpfs as the root, and make room for @tasks initial tasks.
 * Context: boot, after pagecache_boot(). Return: 0, or -ENOMEM with nothing left behind.
 */
int vfs_boot(int tasks);

/*
 * Forget every file. BUG if a descriptor table, file, dentry, inode or mount is
 * still in use.
 * Context: a task, the last one; sleeps.
 */
void vfs_shutdown(void);

#endif
