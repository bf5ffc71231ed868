/*
 * fs_struct.c - see fs_struct.h
 */
#include "vfs/fs_struct.h"

#include <errno.h>

#include "machine/slab.h"
#include "vfs/vfs.h"

struct fs_struct *
fs_alloc(void)
{
	struct fs_struct *fs = kmem_cache_alloc(kernel.vfs->fs_cache);

	if (!fs)
		return NULL;
	atomic_init(&fs->users, 1);
	seqlock_init(&fs->seq);
	fs->umask = 022;
	return fs;
}

void
fs_begin(struct fs_struct *fs, const struct path *root)
{
	path_get(root);
	path_get(root);
	fs->root = *root;
	fs->pwd = *root;
}

struct fs_struct *
copy_fs_struct(struct fs_struct *old)
{
	struct fs_struct *fs = fs_alloc();

	if (!fs)
		return NULL;
	read_seqlock_excl(&old->seq);
	fs->umask = READ_ONCE(old->umask);
	fs->root = old->root;
	fs->pwd = old->pwd;
	path_get(&fs->root);
	path_get(&fs->pwd);
	read_sequnlock_excl(&old->seq);
	return fs;
}

void
put_fs_struct(struct fs_struct *fs)
{
	if (!atomic_dec_and_test(&fs->users))
		return;
	if (fs->root.mnt) {
		path_put(&fs->root);
		path_put(&fs->pwd);
	}
	kmem_cache_free(kernel.vfs->fs_cache, fs);
}

int
fs_boot(void)
{
	kernel.vfs->fs_cache =
		kmem_cache_create("fs_struct", sizeof(struct fs_struct), SLAB_ZERO, NULL);
	return kernel.vfs->fs_cache ? 0 : -ENOMEM;
}

void
fs_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->fs_cache);
}

void
set_fs_pwd(struct fs_struct *fs, const struct path *path)
{
	struct path old;

	path_get(path);
	write_seqlock(&fs->seq);
	old = fs->pwd;
	WRITE_ONCE(fs->pwd.mnt, path->mnt);
	WRITE_ONCE(fs->pwd.dentry, path->dentry);
	write_sequnlock(&fs->seq);
	path_put(&old);
}

void
get_fs_pwd(struct fs_struct *fs, struct path *pwd)
{
	read_seqlock_excl(&fs->seq);
	*pwd = fs->pwd;
	path_get(pwd);
	read_sequnlock_excl(&fs->seq);
}
