/*
 * file_table.c - making and freeing open files
 *
 * Mirrors fs/file_table.c; see file.h for the rules.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/cost.h"
#include "machine/err.h"
#include "machine/slab.h"
#include "vfs/dcache.h"
#include "vfs/file.h"
#include "vfs/mount.h"
#include "vfs/policy.h"
#include "vfs/task_work.h"
#include "vfs/vfs.h"

static __always_inline struct cred **
file_cred(struct file *file)
{
	return file_is_6_1() ? &file->f_cred_6_1 : &file->f_cred;
}

static __always_inline void
file_set_mode(struct file *file, u32 mode)
{
	*(file_is_6_1() ? &file->f_mode_6_1 : &file->f_mode) = mode;
}

static __always_inline void
file_set_mapping(struct file *file, struct address_space *mapping)
{
	*(file_is_6_1() ? &((struct file_6_1 *)file)->f_mapping : &file->f_mapping) = mapping;
}

/* Once per memory: nobody can take a reference before there was a file. */
static void
file_ctor(void *object)
{
	struct file *file = object;

	file_ref_init_dead(file_refs(file));
	*file_cred(file) = NULL;
	file->f_inode = NULL;
	file_path(file)->dentry = NULL;
	mutex_init(&file->f_pos_lock);
}

int
file_boot(void)
{
	const char *name = file_is_6_1() ? "file_6_1" : "file";
	size_t size = file_is_6_1() ? sizeof(struct file_6_1) : sizeof(struct file);

	kernel.vfs->file_cache = kmem_cache_create(name, size, SLAB_TYPESAFE_BY_RCU, file_ctor);
	return kernel.vfs->file_cache ? 0 : -ENOMEM;
}

void
file_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->file_cache);
}

/*
 * The exact count costs a line of every CPU, so it is taken near the limit only. The
 * limit is not root's (CAP_SYS_ADMIN).
 */
static bool
too_many_files(struct vfs *vfs)
{
	return unlikely(percpu_counter_read(&vfs->nr_files) >= vfs->max_files) &&
	       current->cred->euid &&
	       percpu_counter_sum(&vfs->nr_files) >= vfs->max_files;
}

struct file *
alloc_empty_file(void)
{
	struct vfs *vfs = kernel.vfs;
	struct file *file;

	if (too_many_files(vfs))
		return ERR_PTR(-ENFILE);
	file = kmem_cache_alloc(vfs->file_cache);
	if (unlikely(!file))
		return ERR_PTR(-ENOMEM);
	BUG_ON(*file_cred(file), "file is in use, with %llu references",
	       (unsigned long long)file_count(file));
	*file_cred(file) = get_cred(current->cred);
	file_set_mode(file, 0);
	file->f_pos = 0;
	file->f_ra.prev_pos = -1;
	percpu_counter_add(&vfs->nr_files, 1);
	/* Last: from here on a stray fget() may hold the file for a moment. */
	file_ref_init(file_refs(file));
	return file;
}

/*
 * Count an open file where its mode says; there is a mode that is neither for reading
 * nor for writing. Return: 0 or -ETXTBSY. A file for writing also counts on its mount,
 * so that it cannot become read-only meanwhile.
 */
static __always_inline int
count_open(struct inode *inode, const struct path *path, unsigned int mode)
{
	int error;

	if (!(mode & FMODE_WRITE)) {
		if (likely(mode & FMODE_READ))
			atomic_inc(&inode->i_readcount);
		return 0;
	}
	error = get_write_access(inode);
	if (!error)
		mnt_get_write_access(path->mnt);
	return error;
}

static __always_inline void
uncount_open(struct inode *inode, const struct path *path, unsigned int mode)
{
	if (!(mode & FMODE_WRITE)) {
		if (likely(mode & FMODE_READ))
			atomic_dec(&inode->i_readcount);
		return;
	}
	put_write_access(inode);
	mnt_put_write_access(path->mnt);
}

/* Other lines that an open writes on some kernels; both policies are off by default. */
static void
touch_more(const struct path *path)
{
	atomic_t *label = &kernel.vfs->lsm_label;

	/* The security module is asked first, then the file system. */
	if (policy_value[POLICY_lsm_label] == lsm_label_on) {
		atomic_inc(label);
		atomic_dec(label);
	}
	if (policy_value[POLICY_open_parent_ref] == open_parent_ref_on)
		dput(dget_parent(path->dentry));
}

int
vfs_open(struct file *file, const struct path *path, int flags)
{
	struct inode *inode = d_inode(path->dentry);
	/* Access modes count from 0, and the bits are reading and writing; mode 3 is neither. */
	unsigned int mode = ((unsigned int)flags + 1) & (FMODE_READ | FMODE_WRITE);
	int error;

	if (unlikely(flags & O_PATH))
		mode = FMODE_PATH;
	else if (unlikely(flags & O_DIRECT) && !inode->i_fop->can_odirect)
		return -EINVAL;

	path_get(path);
	error = count_open(inode, path, mode);
	if (unlikely(error)) {
		path_put(path);
		return error;
	}
	spend(COST_file);
	if (unlikely(policy_value[POLICY_open_parent_ref] | policy_value[POLICY_lsm_label]))
		touch_more(path);
	if (S_ISREG(READ_ONCE(inode->i_mode)))
		mode |= FMODE_CAN_READ;
	file->f_op = inode->i_fop;
	file->f_inode = inode;
	file_set_mapping(file, inode->i_mapping);
	file->f_flags = (u32)flags & ~(u32)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
	file->f_iocb_flags = flags & O_APPEND ? IOCB_APPEND : 0;
	file_path(file)->mnt = path->mnt;
	file_path(file)->dentry = path->dentry;
	file_set_mode(file, mode | FMODE_OPENED);
	return 0;
}

/* Nobody has @file. Context: any. */
static __always_inline void
free_file(struct file *file)
{
	struct cred **cred = file_cred(file);

	BUG_ON(!*cred, "file freed twice");
	put_cred(*cred);
	*cred = NULL;
	kmem_cache_free(kernel.vfs->file_cache, file);
}

static void
free_file_rcu(struct rcu_head *rcu)
{
	free_file(container_of(rcu, struct file, f_rcu));
}

static __always_inline void
file_free(struct file *file)
{
	percpu_counter_add(&kernel.vfs->nr_files, -1);
	if (unlikely(policy_value[POLICY_file_free] == file_free_call_rcu))
		call_rcu(&file->f_rcu, free_file_rcu);
	else
		free_file(file);
}

void
__fput(struct file *file)
{
	if (file_mode(file) & FMODE_OPENED) {
		spend(COST_file);
		uncount_open(file->f_inode, file_path(file), file_mode(file));
		path_put(file_path(file));
	}
	file_free(file);
}

void
__fput_deferred(struct file *file)
{
	if (!(file_mode(file) & FMODE_OPENED))
		file_free(file);
	else if (current->files)
		task_work_add(file);
	else
		__fput(file); /* a kernel thread never goes to user mode */
}
