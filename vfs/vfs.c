/*
 * vfs.c - the room's boot and shutdown
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/rcu.h"
#include "vfs/cred.h"
#include "vfs/directory.h"
#include "vfs/fdtable.h"
#include "vfs/names.h"
#include "vfs/process.h"

static int
root_boot(struct vfs *vfs)
{
	vfs->root = new_inode(S_IFDIR | 0755);
	if (!vfs->root)
		return -ENOMEM;
	vfs->root->i_data.name = "/";
	vfs->root->i_directory = directory_create();
	return vfs->root->i_directory ? 0 : -ENOMEM;
}

static void
root_shutdown(struct vfs *vfs)
{
	if (!vfs->root)
		return;
	if (vfs->root->i_directory)
		directory_destroy(vfs->root->i_directory);
	iput(vfs->root);
}

static int
caches_boot(void)
{
	int error = cred_boot();

	if (!error)
		error = inode_boot();
	if (!error)
		error = file_boot();
	if (!error)
		error = files_boot();
	return error;
}

static void
caches_shutdown(void)
{
	files_shutdown();
	file_shutdown();
	inode_shutdown();
	cred_shutdown();
}

/* Undo all or part of the boot. Context: as vfs_shutdown(), or nothing was ever open. */
static void
teardown(void)
{
	struct vfs *vfs = kernel.vfs;

	initial_tasks_shutdown();
	root_shutdown(vfs);
	caches_shutdown();
	arena_free(vfs, sizeof(*vfs));
	kernel.vfs = NULL;
}

int
vfs_boot(int tasks)
{
	struct vfs *vfs = arena_alloc(sizeof(*vfs), CACHE_LINE, 0);
	int error;

	if (!vfs)
		return -ENOMEM;
	memset(vfs, 0, sizeof(*vfs));
	kernel.vfs = vfs;
	vfs->nr_open = NR_OPEN_MAX;
	vfs->max_files = FILES_MAX;
	percpu_counter_init(&vfs->nr_files);
	error = caches_boot();
	if (!error)
		error = root_boot(vfs);
	if (!error)
		error = initial_tasks_boot(tasks);
	if (error)
		teardown();
	else
		register_vfs_names(vfs);
	return error;
}

/* All descriptor tables are gone, so nothing is open any more. */
static void
check_files(struct vfs *vfs)
{
	s64 open = percpu_counter_sum(&vfs->nr_files);
	const char *path;

	if (!open)
		return;
	path = directory_find_open(vfs->root->i_directory);
	BUG("%lld open files leaked, one of them of %s", (long long)open, path ? path : "/");
}

void
vfs_shutdown(void)
{
	initial_tasks_shutdown();
	check_files(kernel.vfs);
	rcu_barrier(); /* replaced descriptor tables */
	teardown();
}
