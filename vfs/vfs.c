/*
 * vfs.c - the room's boot and shutdown
 */
#include "vfs/vfs.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/rcu.h"
#include "vfs/cred.h"
#include "vfs/fdtable.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"
#include "vfs/names.h"
#include "vfs/process.h"

static int
caches_boot(void)
{
	int error = cred_boot();

	if (!error)
		error = fs_boot();
	if (!error)
		error = inode_boot();
	if (!error)
		error = dcache_boot();
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
	dcache_shutdown();
	inode_shutdown();
	fs_shutdown();
	cred_shutdown();
}

/* Undo all or part of the boot. Context: as vfs_shutdown(), or nothing was ever open. */
static void
teardown(void)
{
	struct vfs *vfs = kernel.vfs;

	initial_tasks_shutdown();
	mount_shutdown();
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
	spin_lock_init(&vfs->supers_lock);
	INIT_LIST_HEAD(&vfs->supers);
	error = caches_boot();
	if (!error)
		error = initial_tasks_boot(tasks);
	if (!error)
		error = mount_boot();
	if (error) {
		teardown();
		return error;
	}
	initial_tasks_begin();
	register_vfs_names(vfs);
	return 0;
}

/* All descriptor tables are gone, so nothing is open any more. */
static void
check_files(struct vfs *vfs)
{
	s64 open = percpu_counter_sum(&vfs->nr_files);
	struct dentry *used;
	char buf[64];

	if (!open)
		return;
	used = find_used_dentry(vfs->mounts.root->mnt.mnt_root);
	BUG("%lld open files leaked, one of them of %s", (long long)open,
	    used ? dentry_path(used, buf, sizeof(buf)) : "/");
}

void
vfs_shutdown(void)
{
	initial_tasks_shutdown();
	check_files(kernel.vfs);
	rcu_barrier(); /* replaced descriptor tables */
	teardown();
}
