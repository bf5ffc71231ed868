/*
 * file_table.c - making and freeing open files
 *
 * Mirrors fs/file_table.c; see file.h for the rules.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/slab.h"
#include "vfs/file.h"
#include "vfs/vfs.h"

/* Once per memory: nobody can take a reference before there was a file. */
static void
file_ctor(void *object)
{
	struct file *file = object;

	atomic_init(&file->f_ref, FILE_REF_DEAD);
	file->f_cred = NULL;
	file->f_inode = NULL;
}

int
file_boot(void)
{
	kernel.vfs->file_cache =
		kmem_cache_create("file", sizeof(struct file), SLAB_TYPESAFE_BY_RCU, file_ctor);
	return kernel.vfs->file_cache ? 0 : -ENOMEM;
}

void
file_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->file_cache);
}

/* The exact count costs a line of every CPU, so it is taken near the limit only. */
static bool
too_many_files(struct vfs *vfs)
{
	return percpu_counter_read(&vfs->nr_files) >= vfs->max_files &&
	       percpu_counter_sum(&vfs->nr_files) >= vfs->max_files;
}

int
alloc_empty_file(struct file **result)
{
	struct vfs *vfs = kernel.vfs;
	struct file *file;

	if (unlikely(too_many_files(vfs)))
		return -ENFILE;
	file = kmem_cache_alloc(vfs->file_cache);
	if (!file)
		return -ENOMEM;
	BUG_ON(file->f_cred, "file is in use, with %llu references",
	       (unsigned long long)file_ref_read(&file->f_ref));
	file->f_cred = get_cred(current->cred);
	file->f_mode = 0;
	file->f_ra.prev_pos = -1;
	percpu_counter_add(&vfs->nr_files, 1);
	/* Last: from here on a stray fget() may hold the file for a moment. */
	file_ref_init(&file->f_ref);
	*result = file;
	return 0;
}

void
file_open_inode(struct file *file, struct inode *inode, int flags)
{
	unsigned int mode = ((flags & O_ACCMODE) + 1) & (FMODE_READ | FMODE_WRITE);

	if (mode & FMODE_WRITE)
		atomic_inc(&inode->i_writecount);
	else
		atomic_inc(&inode->i_readcount);
	if (S_ISREG(inode->i_mode))
		mode |= FMODE_CAN_READ;
	file->f_inode = inode;
	file->f_mapping = inode->i_mapping;
	file->f_mode = mode | FMODE_OPENED;
}

static void
file_free(struct file *file)
{
	BUG_ON(!file->f_cred, "file freed twice");
	put_cred(file->f_cred);
	file->f_cred = NULL;
	percpu_counter_add(&kernel.vfs->nr_files, -1);
	kmem_cache_free(kernel.vfs->file_cache, file);
}

void
__fput(struct file *file)
{
	struct inode *inode = file->f_inode;

	if (file->f_mode & FMODE_OPENED) {
		if (file->f_mode & FMODE_WRITE)
			atomic_dec(&inode->i_writecount);
		else
			atomic_dec(&inode->i_readcount);
		iput(inode);
	}
	file_free(file);
}
