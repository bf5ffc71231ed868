/*
 * super.h - one mounted file system, whatever the places it is mounted at
 *
 * Mirrors struct super_block of include/linux/fs.h and fs/super.c, as far as
 * names and inodes go: the root dentry, the list of dentries nobody uses, and
 * what kind of file system it is.
 */
#ifndef VFS_SUPER_H
#define VFS_SUPER_H

#include "machine/atomic.h"
#include "machine/list.h"
#include "machine/mutex.h"
#include "machine/spinlock.h"

struct dentry;
struct dentry_operations;
struct inode;
struct object_name;
struct super_block;

/* What can be mounted. All constant. */
struct file_system_type {
	const char *name;	/* as mount(2) takes it */
	bool litter;		/* its names exist as dentries only: each positive one is pinned */
	/*
	 * Make root inode and root dentry of @sb, whose other fields are set; @data is
	 * the mount call's. Context: task or boot. Return: 0 or -errno, with s_root NULL.
	 */
	int (*fill_super)(struct super_block *sb, const char *data);
	/* Free s_fs_info; dentries and inodes are gone already; may be NULL. */
	void (*kill_sb)(struct super_block *sb);
	/*
	 * What of the file system's own lies at @address. Context: reporting. Return: false
	 * if nothing does; may be NULL.
	 */
	bool (*name_object)(const struct super_block *sb, const void *address,
			    struct object_name *name);
};

struct super_operations {
	/*
	 * @inode, which has a name, leaves memory: store what changed, pages and all.
	 * Context: as evict_inode(). NULL: nothing to store it in.
	 */
	void (*write_inode)(struct inode *inode);
	/*
	 * The last reference on @inode goes, its pages are gone: free what i_private
	 * leads to. Context: task; may sleep. NULL: nothing.
	 */
	void (*evict_inode)(struct inode *inode);
	/* Should @inode, unreferenced, stay in the inode cache? Context: any. NULL: no. */
	bool (*keep_inode)(const struct inode *inode);
};

/* Unused dentries of one node, oldest first; list_lru of the kernel. */
struct dentry_lru {
	spinlock_t lock;	/* guards the list and the number; inside d_lock */
	struct list_head list;
	s64 nr;			/* stores: lock; loads marked */
} ____cacheline_aligned;

/* Inodes that nobody uses, oldest first. */
struct inode_lru {
	spinlock_t lock;	/* guards the list and the number; inside i_lock */
	struct list_head list;
	s64 nr;			/* stores: lock; loads marked */
} ____cacheline_aligned;

struct super_block {
	/* read-mostly; constant but for s_root, which is once NULL */
	const struct file_system_type *s_type;
	const struct super_operations *s_op;	/* may be NULL */
	const struct dentry_operations *s_d_op;	/* of every dentry made; may be NULL */
	struct dentry *s_root;			/* a reference */
	void *s_fs_info;			/* the file system's */
	u32 s_dev;				/* st_dev */
	struct list_head s_list;		/* in vfs.supers; vfs.supers_lock */

	struct mutex s_vfs_rename_mutex;	/* one rename between directories at a time */

	atomic_t s_active;			/* mounts, and mount calls in flight */

	struct inode_lru s_inode_lru;
	struct dentry_lru s_dentry_lru[];	/* by node */
};

/* tmpfs: tmpfs.c; image: imagefs.c. */
extern const struct file_system_type tmpfs_type;
extern const struct file_system_type image_type;

/* Return: the type called @name, or NULL. */
const struct file_system_type *get_fs_type(const char *name);

/*
 * A new instance of @type with one active reference.
 * Context: task or boot; sleeps. Return: it, or ERR_PTR(-ENOMEM or fill_super's error).
 */
struct super_block *sget(const struct file_system_type *type, const char *data);

/*
 * Drop an active reference; the last one takes the file system down: every
 * dentry and inode, BUG if one is still referenced. Context: task; sleeps.
 */
void deactivate_super(struct super_block *sb);

#endif
