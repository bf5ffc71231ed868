/*
 * legitimize.c - the end of a walk, as far as it is not in legitimize.h
 */
#include "vfs/legitimize.h"

/* On failure the links behind the one that failed are forgotten. */
bool
legitimize_links(struct nameidata *nd)
{
	for (unsigned int i = 0; i < nd->nr_links; i++) {
		if (likely(legitimize_path(nd, &nd->links[i].path, nd->links[i].seq)))
			continue;
		nd->nr_links = i + 1;
		return false;
	}
	return true;
}

bool
legitimize_root(struct nameidata *nd)
{
	nd->root_grabbed = true;
	return legitimize_path(nd, &nd->root, nd->root_seq);
}

bool
try_to_unlazy(struct nameidata *nd)
{
	return unlazy(nd, true);
}

static __always_inline void
drop_path(const struct path *path)
{
	dput(path->dentry);
	if (path->mnt)
		mntput(path->mnt);
}

static noinline void
drop_links_and_root(const struct nameidata *nd)
{
	for (unsigned int i = 0; i < nd->nr_links; i++)
		drop_path(&nd->links[i].path);
	if (nd->root_grabbed)
		drop_path(&nd->root);
}

void
terminate_walk(const struct nameidata *nd)
{
	if (nd->flags & LOOKUP_RCU) {
		rcu_read_unlock();
		return;
	}
	drop_path(&nd->path);
	if (!holds_path_only(nd))
		drop_links_and_root(nd);
}
