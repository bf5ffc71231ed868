/*
 * inode.h - a file or directory, whatever its name
 *
 * Mirrors struct inode of include/linux/fs.h (7.3) and fs/inode.c. What matters
 * is which fields share a cache line; the offsets are the kernel's, fields that
 * nothing here needs are left as reserved bytes:
 *
 *   line 0    mode, mapping                 read-mostly: every open and check
 *   line 1    nlink, size                   read by every read, written by growth
 *   line 2    i_rwsem                       written by every write
 *   line 5    counters, start of i_data     written by every open and close;
 *                                           i_data's tree head shares the line
 *
 * Lock order: root's i_rwsem > file's i_rwsem > pagecache's (pagecache/filemap.h).
 *
 * Differences from Linux: no superblock and no inode numbers; tmpfs only. The
 * directory entry and every open file hold i_count (in Linux the dentry does).
 * No times are kept.
 */
#ifndef VFS_INODE_H
#define VFS_INODE_H

#include <sys/stat.h>

#include "pagecache/filemap.h"

struct directory;

struct inode {
	/* line 0: constant once the inode can be found */
	mode_t i_mode;
	u8 reserved_0[44];			/* owner, flags, i_op, i_sb */
	struct address_space *i_mapping;	/* &i_data */
	u8 reserved_56[8];

	/* line 1 */
	u8 reserved_64[8];			/* i_ino */
	u32 i_nlink;				/* names; under the directory's i_rwsem */
	u8 reserved_76[4];
	loff_t i_size;				/* stores: i_rwsem, release; loads: acquire */
	u8 reserved_88[40];			/* i_size's times */

	/* line 2 */
	u8 reserved_128[24];			/* i_lock, i_blocks, i_state */
	struct rw_semaphore i_rwsem;		/* the inode lock: content, size, entries */
	u8 reserved_184[8];

	/* line 3: constant */
	struct directory *i_directory;		/* what it holds; NULL for a file */
	u8 reserved_200[128];			/* lines 3 and 4: hash and lists */

	/* line 5 */
	atomic_t i_count;			/* references; the last one frees */
	u8 reserved_332[4];			/* i_dio_count */
	atomic_t i_writecount;			/* files open for writing */
	atomic_t i_readcount;			/* files open for reading only */
	u8 reserved_344[16];
	struct address_space i_data;		/* its pages; its name is the path */
};

_Static_assert(offsetof(struct inode, i_mapping) == 48, "line 0");
_Static_assert(offsetof(struct inode, i_nlink) == 72, "line 1");
_Static_assert(offsetof(struct inode, i_size) == 80, "line 1");
_Static_assert(offsetof(struct inode, i_rwsem) == 152, "line 2");
_Static_assert(offsetof(struct inode, i_directory) == 192, "line 3");
_Static_assert(offsetof(struct inode, i_count) == 328, "line 5");
_Static_assert(offsetof(struct inode, i_writecount) == 336, "line 5");
_Static_assert(offsetof(struct inode, i_readcount) == 340, "line 5");
_Static_assert(offsetof(struct inode, i_data) == 360, "line 5");

/* Context: boot. Return: 0 or -ENOMEM. */
int inode_boot(void);

/* Context: shutdown. BUG if an inode is still in use. */
void inode_shutdown(void);

/*
 * A new inode without a name, with one reference. Pages of a file come from the
 * node of whoever writes them first.
 * Context: task; never sleeps. Return: NULL without memory.
 */
struct inode *new_inode(mode_t mode);

/* Another reference for somebody who is sure that there is one. Context: any. */
static __always_inline void
ihold(struct inode *inode)
{
	atomic_inc(&inode->i_count);
}

/* Drop a reference; the last one frees inode and pages. Context: task; may sleep. */
void iput(struct inode *inode);

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

/*
 * Set the size to @length; what lies beyond is dropped, what is new reads as
 * zeroes. Context: inode lock held; sleeps.
 */
void inode_truncate(struct inode *inode, loff_t length);

#endif
