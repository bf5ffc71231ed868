/*
 * stat.c - what is known about a file
 *
 * Mirrors fs/stat.c. Nothing is locked: size, links and times are read as they
 * are at the moment, each by itself. What the calls write that others share:
 *
 *   stat     the dentry's lockref twice: taken at the end of the walk, dropped
 *   fstat    nothing, if the task is alone with its descriptors; a thread takes
 *            and drops a reference on the file (fdget.h)
 *   fstat    with `fstat_via: path` the dentry's lockref twice as well: the C
 *            library asks for newfstatat(fd, "", AT_EMPTY_PATH), which older kernels
 *            answer by a walk of no components that begins at the file
 *
 * Differences from Linux: user memory is filled directly, not by way of a struct
 * on the stack; blocks are those of the page cache.
 */
#include <errno.h>

#include "machine/cost.h"
#include "pagecache/uaccess.h"
#include "vfs/dcache.h"
#include "vfs/fdget.h"
#include "vfs/legitimize.h"
#include "vfs/super.h"
#include "vfs/syscall_define.h"
#include "vfs/vfs.h"

#define SECTORS_PER_PAGE 8

_Static_assert(sizeof(struct stat) == 144, "as in the kernel");

/* What the rest of a struct stat does not cover. Clearing all of it would take longer. */
static __always_inline void
clear_padding(struct stat *stat)
{
	stat->__pad0 = 0;
	for (size_t i = 0; i < ARRAY_SIZE(stat->__glibc_reserved); i++)
		stat->__glibc_reserved[i] = 0;
}

/* Set every field. */
static void
generic_fillattr(const struct inode *inode, struct stat *stat)
{
	clear_padding(stat);
	stat->st_dev = inode->i_sb->s_dev;
	stat->st_ino = inode->i_ino;
	stat->st_mode = READ_ONCE(inode->i_mode);
	stat->st_nlink = READ_ONCE(inode->i_nlink);
	stat->st_uid = inode->i_uid;
	stat->st_gid = inode->i_gid;
	stat->st_rdev = 0; /* no devices */
	stat->st_size = i_size_read(inode);
	stat->st_blksize = 4096;
	stat->st_blocks = (blkcnt_t)READ_ONCE(inode->i_data.nrpages) * SECTORS_PER_PAGE;
	stat->st_atim.tv_sec = READ_ONCE(inode->i_atime_sec);
	stat->st_atim.tv_nsec = READ_ONCE(inode->i_atime_nsec);
	stat->st_mtim.tv_sec = READ_ONCE(inode->i_mtime_sec);
	stat->st_mtim.tv_nsec = READ_ONCE(inode->i_mtime_nsec);
	stat->st_ctim.tv_sec = READ_ONCE(inode->i_ctime_sec);
	stat->st_ctim.tv_nsec = READ_ONCE(inode->i_ctime_nsec);
}

/* Context: a reference on @path, or a file that has one. */
static __always_inline void
vfs_getattr(const struct path *path, struct stat *stat)
{
	struct inode *inode = d_inode(path->dentry);

	spend(COST_security);
	spend(COST_getattr);
	generic_fillattr(inode, stat);
	if (inode->i_op->getattr)
		inode->i_op->getattr(inode, stat);
	charge_copy(sizeof(*stat));
}

/*
 * The walk of an empty path from @start, whose references its caller has: under
 * RCU to its end, like every walk. Return: references in *@path, to be dropped.
 */
static void
walk_nowhere(const struct path *start, struct path *path)
{
	struct nameidata nd;
	bool legitimate;

	spend(COST_path_name);
	nd.flags = LOOKUP_RCU | LOOKUP_EMPTY;
	nd.root_grabbed = false;
	nd.root.mnt = NULL;
	nd.nr_links = 0;
	nd.path = *start;
	rcu_read_lock();
	nd.m_seq = read_seqbegin(&kernel.vfs->mounts.lock);
	nd.seq = read_seqcount_begin(&start->dentry->d_seq);
	legitimate = !complete_walk(&nd);
	if (legitimate) {
		*path = nd.path;
		nd.path = (struct path){ NULL, NULL };
	}
	terminate_walk(&nd);
	if (!legitimate) {
		*path = *start;
		path_get(path);
	}
}

static __always_inline int
do_stat(const char *name, unsigned int flags, struct stat *stat)
{
	struct path path;
	int error = user_path_at(name, flags, &path);

	if (error)
		return error;
	vfs_getattr(&path, stat);
	path_put(&path);
	return 0;
}

SYSCALL_DEFINE(int, fstat, (int fd, struct stat *stat), (fd, stat))
{
	struct fd f = fdget_raw((unsigned int)fd);
	struct path path;

	if (!fd_file(f))
		return -EBADF;
	if (policy_value[POLICY_fstat_via] == fstat_via_path) {
		walk_nowhere(file_path(fd_file(f)), &path);
		fdput(f);
		vfs_getattr(&path, stat);
		path_put(&path);
		return 0;
	}
	vfs_getattr(file_path(fd_file(f)), stat);
	fdput(f);
	return 0;
}

SYSCALL_DEFINE(int, stat, (const char *path, struct stat *stat), (path, stat))
{
	return do_stat(path, LOOKUP_FOLLOW, stat);
}

SYSCALL_DEFINE(int, lstat, (const char *path, struct stat *stat), (path, stat))
{
	return do_stat(path, 0, stat);
}
