/*
 * file.h - an open file
 *
 * Mirrors struct file of include/linux/fs.h (7.3) and fs/file_table.c: three
 * lines, with the reference count as far as possible from what every system
 * call reads. Offsets are the kernel's; fields that nothing here needs are left
 * as reserved bytes.
 *
 *   line 0    mode, mapping, inode, cred    read-mostly: all that pread reads
 *   line 1    path, position                not used by pread
 *   line 2    readahead state, f_ref        written by gets and puts
 *
 * It was not always so (`file_layout`). What matters is what shares a line with the
 * count; the fields that lie in another line in some release are behind functions:
 *
 *                    7.3       6.12      6.1
 *   references       line 2    line 0    line 0
 *   f_path           line 1    line 1    line 0
 *   f_mode           line 0    line 0    line 1
 *   f_cred           line 0    line 0    line 2
 *   f_mapping        line 0    line 0    line 3
 *
 * struct file is SLAB_TYPESAFE_BY_RCU: an RCU reader that found a pointer to one
 * may take a reference at any time, but the memory may be another file by then.
 * file_ref.h and fget() say how that is made safe. Before 6.7 each file waited for a
 * grace period instead (`file_free`).
 *
 * A file holds its path: a reference on the dentry, which holds the inode, and one
 * on the mount.
 *
 * Whoever drops the last reference need not be able to sleep: the file is undone at
 * the end of the system call (task_work.h); close() does not wait for that.
 *
 * Differences from Linux: f_pos_lock is larger and f_pos behind it.
 */
#ifndef VFS_FILE_H
#define VFS_FILE_H

#include "machine/mutex.h"
#include "machine/rcu.h"
#include "vfs/cred.h"
#include "vfs/file_ref.h"
#include "vfs/inode.h"
#include "vfs/path.h"

#define FMODE_READ BIT(0)	/* opened for reading */
#define FMODE_WRITE BIT(1)	/* opened for writing */
#define FMODE_PATH BIT(14)	/* O_PATH: says where something is, and no more */
#define FMODE_CAN_READ BIT(17)	/* has content to read: not a directory */
#define FMODE_OPENED BIT(19)	/* holds its path: __fput() has something to undo */

#define IOCB_APPEND BIT(4)	/* writes go to the end: O_APPEND */

/* What is done with an open file. Context: task, a reference on the file; may sleep. */
struct file_operations {
	/* Read at @pos, whatever f_pos. Return: bytes or -errno. */
	ssize_t (*read)(struct file *file, void *buf, size_t count, loff_t pos);
	/*
	 * Write at @pos, wherever O_APPEND says; modes and times are seen to.
	 * Context: inode lock held. Return: bytes or -errno.
	 */
	ssize_t (*write)(struct file *file, const void *buf, size_t count, loff_t pos);
	/*
	 * The first byte from @offset on that is data (@whence SEEK_DATA) or in a hole
	 * (SEEK_HOLE; the end of the file counts as one). Return: its offset, or -ENXIO:
	 * there is none, or @offset is not in the file. NULL: -EINVAL.
	 */
	loff_t (*seek_hole_data)(struct file *file, loff_t offset, int whence);
	/*
	 * Directory entries from context->pos on, until context->actor() has had enough.
	 * Context: inode lock held shared, f_pos_lock held. NULL: -ENOTDIR.
	 */
	int (*iterate_shared)(struct file *file, struct dir_context *context);
	bool can_odirect;	/* takes O_DIRECT */
};

/* What iterate_shared() fills. */
struct dir_context {
	/* Return: false: no room for this one, stop; it was not taken. */
	bool (*actor)(struct dir_context *context, const char *name, u32 len, u64 ino,
		      unsigned int type);
	loff_t pos;		/* the file system's; where to go on */
};

struct file {
	/* line 0: constant while the file is open */
	u8 reserved_0[4];			/* f_lock */
	u32 f_mode;				/* FMODE_*; file_mode() */
	const struct file_operations *f_op;	/* the inode's */
	union {
		struct {
			struct address_space *f_mapping;	/* f_inode's; file_mapping() */
			u8 reserved_24[8];			/* private_data */
		};
		struct path f_path_6_1;
	};
	struct inode *f_inode;			/* f_path's, held by its dentry */
	u32 f_flags;				/* O_*, as opened */
	u32 f_iocb_flags;			/* IOCB_APPEND or 0 */
	struct cred *f_cred;			/* the opener's, a reference; NULL when free */
	file_ref_t f_count;			/* before 7.3; file_refs() */

	/* line 1 */
	union {
		struct path f_path;		/* references, once FMODE_OPENED; file_path() */
		struct {
			u8 reserved_64[4];
			u32 f_mode_6_1;
		};
	};
	struct mutex f_pos_lock;		/* guards f_pos when others have the file */
	loff_t f_pos;

	/* line 2 */
	union {
		u8 reserved_128[8];		/* f_ep */
		struct cred *f_cred_6_1;
	};
	union {
		struct file_ra_state f_ra;	/* written by readers of this file */
		struct file *f_next_work;	/* unreferenced: in a task's fput_list */
		struct rcu_head f_rcu;		/* undone: frees it, with `file_free: call-rcu` */
		u8 reserved_136[32];
	};
	file_ref_t f_ref;			/* see file_ref.h; file_refs() */
} ____cacheline_aligned;

/* With the layout of 6.1, a file is one line longer. */
struct file_6_1 {
	struct file file;
	u8 reserved_192[24];			/* f_security, private_data, f_ep */
	struct address_space *f_mapping;
};

_Static_assert(offsetof(struct file, f_mode) == 4, "line 0");
_Static_assert(offsetof(struct file, f_op) == 8, "line 0");
_Static_assert(offsetof(struct file, f_mapping) == 16, "line 0");
_Static_assert(offsetof(struct file, f_inode) == 32, "line 0");
_Static_assert(offsetof(struct file, f_cred) == 48, "line 0");
_Static_assert(offsetof(struct file, f_path_6_1) == 16, "line 0");
_Static_assert(offsetof(struct file, f_count) == 56, "line 0");
_Static_assert(offsetof(struct file, f_path) == 64, "line 1");
_Static_assert(offsetof(struct file, f_mode_6_1) == 68, "line 1");
_Static_assert(offsetof(struct file, f_pos) == 120, "line 1");
_Static_assert(offsetof(struct file, f_ra) == 136, "line 2");
_Static_assert(offsetof(struct file, f_ref) == 168, "line 2");
_Static_assert(sizeof(struct file) == 192, "three lines");
_Static_assert(offsetof(struct file_6_1, f_mapping) == 216, "line 3");

static __always_inline bool
file_is_6_1(void)
{
	return unlikely(policy_value[POLICY_file_layout] == file_layout_spread);
}

static __always_inline file_ref_t *
file_refs(struct file *file)
{
	if (likely(policy_value[POLICY_file_layout] == file_layout_own_line))
		return &file->f_ref;
	return &file->f_count;
}

/* Return: references at this moment; see file_ref_read(). */
static __always_inline u64
file_count(struct file *file)
{
	return file_ref_read(file_refs(file));
}

/* FMODE_*; constant once the file is open. */
static __always_inline u32
file_mode(const struct file *file)
{
	return file_is_6_1() ? file->f_mode_6_1 : file->f_mode;
}

/* Where it was opened; constant, and referenced, once the file is open. */
static __always_inline struct path *
file_path(struct file *file)
{
	return file_is_6_1() ? &file->f_path_6_1 : &file->f_path;
}

/* Its inode's pages; constant once the file is open. */
static __always_inline struct address_space *
file_mapping(const struct file *file)
{
	return file_is_6_1() ? ((const struct file_6_1 *)file)->f_mapping : file->f_mapping;
}

/* Context: boot. Return: 0 or -ENOMEM. */
int file_boot(void);

/* Context: shutdown. BUG if a file is still in use. */
void file_shutdown(void);

/*
 * A file with one reference that is not open yet.
 * Context: task; never sleeps. Return: it, ERR_PTR(-ENFILE) or ERR_PTR(-ENOMEM).
 */
struct file *alloc_empty_file(void);

/*
 * Open @file (from alloc_empty_file()) on positive @path, on which it takes
 * references of its own. Context: task; may sleep. Return: 0, -ETXTBSY or -EINVAL
 * (O_DIRECT, and the file system cannot).
 */
int vfs_open(struct file *file, const struct path *path, int flags);

/* Another reference for somebody who has one already. Context: any. */
static __always_inline struct file *
get_file(struct file *file)
{
	file_ref_inc(file_refs(file));
	return file;
}

/* Undo the open and free; for whoever dropped the last reference. Context: task; sleeps. */
void __fput(struct file *file);

/* The same as the system call ends; at once if there is nothing to undo. Context: any. */
void __fput_deferred(struct file *file);

/* Drop a reference. Context: any but interrupts; never sleeps in a task with descriptors. */
static __always_inline void
fput(struct file *file)
{
	if (unlikely(file_ref_put(file_refs(file))))
		__fput_deferred(file);
}

/* The same for somebody who usually drops the last one. */
static __always_inline void
fput_deferred(struct file *file)
{
	if (likely(file_ref_put_close(file_refs(file))))
		__fput_deferred(file);
}

/* The same for close(): at once, or as `close_fput` has it. Context: task, no locks; sleeps. */
static __always_inline void
fput_close(struct file *file)
{
	if (unlikely(!file_ref_put_close(file_refs(file))))
		return;
	if (unlikely(policy_value[POLICY_close_fput] == close_fput_deferred))
		__fput_deferred(file);
	else
		__fput(file);
}

#endif
