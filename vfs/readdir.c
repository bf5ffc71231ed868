/*
 * readdir.c - getdents64: reading directories
 *
 * Mirrors fs/readdir.c. One call holds the directory's inode lock shared, so names
 * do not change under it; and the file's position lock, always: the position is
 * also the state of whoever reads with the same open file.
 *
 * Differences from Linux: reading sets no access time.
 */
#include "vfs/readdir.h"

#include <dirent.h>
#include <errno.h>

#include "machine/cost.h"
#include "pagecache/uaccess.h"
#include "vfs/dcache.h"
#include "vfs/fdget.h"
#include "vfs/syscall_define.h"

/* As getdents64(2) has it, in user memory. */
struct linux_dirent64 {
	u64 d_ino;
	s64 d_off;		/* where the next one is */
	u16 d_reclen;		/* a multiple of 8 */
	u8 d_type;
	char d_name[];		/* with a NUL */
};

struct getdents {
	struct dir_context context;
	char *at;		/* where the next entry goes */
	size_t left;		/* bytes from there on */
	struct linux_dirent64 *last;	/* the one before, or NULL */
	int error;		/* why there was no room */
};

static bool
fill_dirent(struct dir_context *context, const char *name, u32 len, u64 ino, unsigned int type)
{
	struct getdents *getdents = container_of(context, struct getdents, context);
	struct linux_dirent64 *entry = (struct linux_dirent64 *)getdents->at;
	size_t size = ALIGN(offsetof(struct linux_dirent64, d_name) + len + 1, sizeof(u64));

	getdents->error = -EINVAL;
	if (size > getdents->left)
		return false;
	if (getdents->last)
		getdents->last->d_off = context->pos;
	entry->d_ino = ino;
	entry->d_reclen = (u16)size;
	entry->d_type = (u8)type;
	copy_to_user(entry->d_name, name, len);
	entry->d_name[len] = '\0';
	getdents->last = entry;
	getdents->at += size;
	getdents->left -= size;
	return true;
}

static ino_t
parent_ino(struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	ino_t ino;

	d_lock(dentry);
	ino = d_inode(dentry->d_parent)->i_ino;
	d_unlock(dentry);
	return ino;
}

bool
dir_emit_dots(struct file *file, struct dir_context *context)
{
	if (context->pos == 0) {
		if (!context->actor(context, ".", 1, file->f_inode->i_ino, DT_DIR))
			return false;
		context->pos = 1;
	}
	if (context->pos == 1) {
		if (!context->actor(context, "..", 2, parent_ino(file), DT_DIR))
			return false;
		context->pos = 2;
	}
	return true;
}

/* Context: f_pos_lock held. Return: 0 or -errno. */
static int
iterate_dir(struct file *file, struct dir_context *context)
{
	struct inode *inode = file->f_inode;
	int error = -ENOENT;

	if (!file->f_op->iterate_shared)
		return -ENOTDIR;
	spend(COST_security);
	inode_lock_shared(inode);
	if (READ_ONCE(inode->i_nlink)) {
		context->pos = file->f_pos;
		error = file->f_op->iterate_shared(file, context);
		file->f_pos = context->pos;
	}
	inode_unlock_shared(inode);
	return error;
}

static ssize_t
read_entries(struct file *file, void *buf, size_t size)
{
	struct getdents getdents = {
		.context.actor = fill_dirent,
		.at = buf,
		.left = size,
	};
	int error;

	mutex_lock(&file->f_pos_lock);
	error = iterate_dir(file, &getdents.context);
	mutex_unlock(&file->f_pos_lock);
	if (!getdents.last)
		return error ? error : getdents.error;
	getdents.last->d_off = getdents.context.pos;
	return getdents.at - (char *)buf;
}

SYSCALL_DEFINE(ssize_t, getdents64, (int fd, void *buf, size_t size), (fd, buf, size))
{
	struct fd f = fdget((unsigned int)fd);
	ssize_t result = -EBADF;

	if (fd_file(f))
		result = read_entries(fd_file(f), buf, size);
	fdput(f);
	return result;
}
