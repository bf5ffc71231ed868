/*
 * inode.h - a file, directory or symbolic link, whatever its name
 *
 * Mirrors struct inode of include/linux/fs.h (7.3) and fs/inode.c. What matters
 * is which fields share a cache line; the offsets are the kernel's, fields that
 * nothing here needs are left as reserved bytes:
 *
 *   line 0    mode, owner, operations       read by every walk through, open and check
 *   line 1    number, links, size, times    read by reads and stat, written by growth
 *   line 2    i_lock, i_rwsem               written by every write and change of names
 *   line 3    hash                          written when it is found by number
 *   line 5    counters, start of i_data     written by every open and close;
 *                                           i_data's tree head shares the line
 *
 * A dentry holds one reference (i_count); an open file holds the dentry. Memory
 * is freed a grace period after the last reference, so a walk under RCU may look
 * at line 0 of an inode that is going.
 *
 * Lock order: i_rwsem of directories from the root down, then of files (see
 * lock_rename()) > pagecache's (pagecache/filemap.h); i_lock is innermost.
 *
 * Differences from Linux: i_salt lies where i_acl is (qstr.h).
 */
#ifndef VFS_INODE_H
#define VFS_INODE_H

#include <errno.h>
#include <sys/stat.h>

#include "machine/hlist.h"
#include "machine/list.h"
#include "machine/rcu.h"
#include "pagecache/filemap.h"

struct dentry;
struct dir_context;
struct file;
struct file_operations;
struct inode;
struct super_block;

/*
 * What a file system does with names. @dir's inode lock is held (lookup: at least
 * shared), permissions are checked; all may sleep; -errno, nothing changed then.
 */
struct inode_operations {
	/* Find @dentry's name: d_add(@dentry, inode or NULL). Return: 0 or -errno. */
	int (*lookup)(struct inode *dir, struct dentry *dentry);
	/* Make what negative @dentry names and d_instantiate() it. @mode: with its type. */
	int (*create)(struct inode *dir, struct dentry *dentry, mode_t mode);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, mode_t mode);
	int (*symlink)(struct inode *dir, struct dentry *dentry, const char *text, size_t len);
	/* Remove the name; the caller calls d_delete(). rmdir: -ENOTEMPTY. */
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	/* Give @old's inode the name @new, replacing what is there; the caller calls d_move(). */
	int (*rename)(struct inode *old_dir, struct dentry *old, struct inode *new_dir,
		      struct dentry *new);
	/* Change the size; the inode's own lock is held. NULL: it has none to change. */
	int (*setsize)(struct inode *inode, loff_t size);
	/* More for stat than generic_fillattr() knows; NULL: nothing. Context: any. */
	void (*getattr)(struct inode *inode, struct stat *stat);
};

struct inode {
	/* line 0: constant once the inode can be found, but for what i_mode permits */
	mode_t i_mode;				/* stores: i_rwsem, of files only, marked */
	uid_t i_uid;
	gid_t i_gid;
	u32 i_salt;				/* of the hashes of names in it */
	u8 reserved_16[16];			/* i_acl, i_default_acl */
	const struct inode_operations *i_op;
	struct super_block *i_sb;
	struct address_space *i_mapping;	/* &i_data */
	u8 reserved_56[8];			/* i_security */

	/* line 1 */
	u64 i_ino;				/* constant */
	u32 i_nlink;				/* stores: inode lock of the directory, marked */
	u8 reserved_76[4];			/* i_rdev */
	loff_t i_size;				/* stores: i_rwsem, release; loads: acquire */
	s64 i_atime_sec;			/* times: marked; whoever reads or writes */
	s64 i_mtime_sec;
	s64 i_ctime_sec;
	u32 i_atime_nsec;
	u32 i_mtime_nsec;
	u32 i_ctime_nsec;
	u8 reserved_124[4];			/* i_generation */

	/* line 2 */
	spinlock_t i_lock;			/* guards i_state */
	u32 i_state;				/* I_* */
	u8 reserved_136[16];			/* i_blocks */
	struct rw_semaphore i_rwsem;		/* the inode lock: content, size, names in it */
	u8 reserved_184[8];

	/* line 3 */
	struct hlist_node i_hash;		/* with I_HASHED, by number; inode_hash.lock */
	struct dentry *i_dentry;		/* its name, NULL: none; marked; for reports */
	struct list_head i_lru;			/* with I_LRU; the LRU's lock */
	u8 reserved_232[96];			/* lines 3 to 5: lists */

	/* line 5 */
	atomic_t i_count;			/* references; the last one frees */
	u8 reserved_332[4];			/* i_dio_count */
	atomic_t i_writecount;			/* files open for writing */
	atomic_t i_readcount;			/* files open for reading only */
	const struct file_operations *i_fop;	/* constant */
	u8 reserved_352[8];			/* i_flctx */
	struct address_space i_data;		/* its pages */

	const char *i_link;			/* a symbolic link's text, or NULL; constant */
	void *i_private;			/* the file system's */
	struct rcu_head i_rcu;			/* frees it */
};

_Static_assert(offsetof(struct inode, i_uid) == 4, "line 0");
_Static_assert(offsetof(struct inode, i_op) == 32, "line 0");
_Static_assert(offsetof(struct inode, i_mapping) == 48, "line 0");
_Static_assert(offsetof(struct inode, i_ino) == 64, "line 1");
_Static_assert(offsetof(struct inode, i_nlink) == 72, "line 1");
_Static_assert(offsetof(struct inode, i_size) == 80, "line 1");
_Static_assert(offsetof(struct inode, i_lock) == 128, "line 2");
_Static_assert(offsetof(struct inode, i_rwsem) == 152, "line 2");
_Static_assert(offsetof(struct inode, i_hash) == 192, "line 3");
_Static_assert(offsetof(struct inode, i_count) == 328, "line 5");
_Static_assert(offsetof(struct inode, i_writecount) == 336, "line 5");
_Static_assert(offsetof(struct inode, i_readcount) == 340, "line 5");
_Static_assert(offsetof(struct inode, i_data) == 360, "line 5");

/* i_state; stores under i_lock, marked. */
#define I_NEW BIT(0)		/* being read in: whoever got it from iget_locked() does that */
#define I_FREEING BIT(1)	/* the last reference is gone, and nobody gets another */
#define I_HASHED BIT(2)		/* can be found by its number; also under inode_hash.lock */
#define I_LRU BIT(3)		/* i_lru is on the superblock's list */
#define I_REFERENCED BIT(4)	/* used since the shrinker last came by */

struct timestamp {
	s64 sec;
	u32 nsec;
};

/* Context: boot. Return: 0 or -ENOMEM. */
int inode_boot(void);

/* Context: shutdown. BUG if an inode is still in use. */
void inode_shutdown(void);

/*
 * A new inode of @sb with number @ino, made in @dir (NULL: a root) with @mode, one
 * reference, i_nlink 1, an owner (inode_init_owner()) and the present as its times;
 * operations are for the caller to set. Pages come from the node of whoever writes them
 * first. Context: task or boot; never sleeps. Return: NULL without memory.
 */
struct inode *new_inode(struct super_block *sb, u64 ino, const struct inode *dir, mode_t mode);

/* The salt of names in the directory with number @ino, and where its inode is hashed. */
u32 inode_salt(const struct super_block *sb, u64 ino);

/* Make new @inode a symbolic link to @text. Context: as new_inode(). Return: false: no memory. */
bool inode_set_link(struct inode *inode, const char *text, size_t len);

/* Free an inode that nobody has found. Context: as new_inode(). */
void discard_new_inode(struct inode *inode);

/* What a time field is set to now: of four milliseconds' grain, as CONFIG_HZ=250 has it. */
struct timestamp current_time(void);

/* Set all times of @inode that @times (ATTR_*) names to the present, if it differs. */
#define ATTR_ATIME 1
#define ATTR_MTIME 2
#define ATTR_CTIME 4
void inode_update_time(struct inode *inode, unsigned int times);

/* Another reference for somebody who has one. Context: any. */
static __always_inline void
ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
}

/*
 * Drop a reference. The last one frees inode and pages, unless the inode cache keeps
 * them (inode_cache.h). Context: task; may sleep.
 */
void iput(struct inode *inode);

/* Free @inode, I_FREEING and on no list any more. Context: task; may sleep. */
void evict(struct inode *inode);

/* What reports call @mapping's file: see struct address_space_operations. */
const char *inode_mapping_name(const struct address_space *mapping, char *buf, size_t size);

/* The inode lock. Context: task; may sleep. */
static __always_inline void
inode_lock(struct inode *inode)
{
	down_write(&inode->i_rwsem);
}

static __always_inline void
inode_unlock(struct inode *inode)
{
	up_write(&inode->i_rwsem);
}

static __always_inline void
inode_lock_shared(struct inode *inode)
{
	down_read(&inode->i_rwsem);
}

static __always_inline void
inode_unlock_shared(struct inode *inode)
{
	up_read(&inode->i_rwsem);
}

/*
 * A file is opened for writing; fails while somebody runs it (a negative count).
 * Context: any. Return: 0 or -ETXTBSY.
 */
static __always_inline int __must_check
get_write_access(struct inode *inode)
{
	int old = atomic_read(&inode->i_writecount);

	do {
		if (unlikely(old < 0))
			return -ETXTBSY;
	} while (unlikely(!atomic_try_cmpxchg(&inode->i_writecount, &old, old + 1)));
	return 0;
}

static __always_inline void
put_write_access(struct inode *inode)
{
	atomic_dec(&inode->i_writecount);
}

/* Return: the size; what it covers is there (pairs with the release of whoever grew it). */
static __always_inline loff_t
i_size_read(const struct inode *inode)
{
	return smp_load_acquire(&inode->i_size);
}

/*
 * Set the size to @length; what lies beyond is dropped, what is new reads as
 * zeroes. Context: inode lock held; sleeps.
 */
void inode_truncate(struct inode *inode, loff_t length);

/* Add @delta to i_nlink. Context: inode lock of the directory whose entry it is. */
static __always_inline void
inode_add_nlink(struct inode *inode, int delta)
{
	WRITE_ONCE(inode->i_nlink, inode->i_nlink + (u32)delta);
}

#endif
