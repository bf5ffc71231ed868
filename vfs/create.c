/*
 * create.c - creat, mkdir and symlink: names made
 *
 * Mirrors do_mkdirat() and do_symlinkat() of fs/namei.c.
 */
#include <errno.h>
#include <fcntl.h>

#include "machine/cost.h"
#include "machine/err.h"
#include "vfs/attr.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

static int
vfs_mkdir(struct inode *dir, struct dentry *dentry, mode_t mode)
{
	int error = may_create(dir);

	spend(COST_security);
	if (error)
		return error;
	if (!dir->i_op->mkdir)
		return -EPERM;
	mode = vfs_prepare_mode(dir, mode) & 01777;
	return dir->i_op->mkdir(dir, dentry, S_IFDIR | mode);
}

SYSCALL_DEFINE(int, mkdir, (const char *path, mode_t mode), (path, mode))
{
	struct path parent;
	struct dentry *dentry = start_creating_path(path, &parent, LOOKUP_DIRECTORY);
	int error;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	error = vfs_mkdir(d_inode(parent.dentry), dentry, mode);
	end_creating_path(dentry, &parent);
	return error;
}

static int
vfs_symlink(struct inode *dir, struct dentry *dentry, const struct filename *target)
{
	int error = may_create(dir);

	spend(COST_security);
	if (error)
		return error;
	if (!dir->i_op->symlink)
		return -EPERM;
	return dir->i_op->symlink(dir, dentry, target->name, target->len);
}

static int
symlink_to(const struct filename *target, const char *path)
{
	struct path parent;
	struct dentry *dentry = start_creating_path(path, &parent, 0);
	int error;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	error = vfs_symlink(d_inode(parent.dentry), dentry, target);
	end_creating_path(dentry, &parent);
	return error;
}

SYSCALL_DEFINE(int, symlink, (const char *target, const char *path), (target, path))
{
	struct filename text;
	int error = getname(&text, target, 0);

	if (error)
		return error;
	error = symlink_to(&text, path);
	putname(&text);
	return error;
}

int
sys_creat(const char *path, mode_t mode)
{
	return sys_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
