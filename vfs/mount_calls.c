/*
 * mount_calls.c - mount, umount and chdir
 *
 * Mirrors the system calls of fs/namespace.c and fs/open.c, for C test bodies.
 */
#include <errno.h>

#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"
#include "vfs/mount.h"
#include "vfs/namei.h"
#include "vfs/syscall_define.h"

SYSCALL_DEFINE(int, mount,
	       (const char *source, const char *path, const char *type, unsigned long flags,
		const void *data),
	       (source, path, type, flags, data))
{
	const struct file_system_type *fs_type = get_fs_type(type);
	struct path mountpoint;
	int error;

	if (!cred_is_root(current->cred))
		return -EPERM;
	error = user_path_at(path, LOOKUP_FOLLOW, &mountpoint);
	if (error)
		return error;
	error = fs_type ? path_mount(fs_type, &mountpoint, data) : -ENODEV;
	path_put(&mountpoint);
	return error;
}

SYSCALL_DEFINE(int, umount, (const char *path), (path))
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

SYSCALL_DEFINE(int, chdir, (const char *path), (path))
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
