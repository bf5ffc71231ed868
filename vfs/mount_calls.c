/*
 * mount_calls.c - mount, umount and chdir
 *
 * Mirrors the system calls of fs/namespace.c and fs/open.c, for C test bodies.
 */
#include <errno.h>

#include "machine/cost.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/namei.h"
#include "vfs/syscalls.h"
#include "vfs/task_work.h"

static int
do_sys_mount(const char *path, const char *type_name, const void *data)
{
	const struct file_system_type *type = get_fs_type(type_name);
	struct path mountpoint;
	int error;

	if (!cred_is_root(current->cred))
		return -EPERM;
	error = user_path_at(path, LOOKUP_FOLLOW, &mountpoint);
	if (error)
		return error;
	error = type ? path_mount(type, &mountpoint, data) : -ENODEV;
	path_put(&mountpoint);
	return error;
}

static int
do_sys_umount(const char *path)
{
	struct path root;
	int error = user_path_at(path, LOOKUP_FOLLOW, &root);

	if (error)
		return error;
	if (cred_is_root(current->cred))
		return path_umount(&root);
	path_put(&root);
	return -EPERM;
}

static int
do_chdir(const char *path)
{
	struct path pwd;
	int error = user_path_at(path, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &pwd);

	if (error)
		return error;
	error = inode_permission(d_inode(pwd.dentry), MAY_EXEC);
	if (!error)
		set_fs_pwd(current->fs, &pwd);
	path_put(&pwd);
	return error;
}

int
sys_mount(const char *source, const char *path, const char *type, unsigned long flags,
	  const void *data)
{
	int result;

	spend(COST_syscall);
	result = do_sys_mount(path, type, data);
	syscall_exit();
	return result;
}

int
sys_umount(const char *path)
{
	int result;

	spend(COST_syscall);
	result = do_sys_umount(path);
	syscall_exit();
	return result;
}

int
sys_chdir(const char *path)
{
	int result;

	spend(COST_syscall);
	result = do_chdir(path);
	syscall_exit();
	return result;
}
