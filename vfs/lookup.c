/*
 * lookup.c - from a path to a place, or to the directory it would be made in
 *
 * Mirrors filename_lookup(), filename_parentat() and start_creating_path() of
 * fs/namei.c. A walk is tried under RCU first and starts again with references if that
 * cannot be.
 */
#include <errno.h>

#include "machine/err.h"
#include "vfs/dcache.h"
#include "vfs/events.h"
#include "vfs/inode.h"
#include "vfs/legitimize.h"
#include "vfs/mount.h"

/* Hand the walk's place over to the caller. Context: ref mode. */
static void
take_path(struct nameidata *nd, struct path *path)
{
	*path = nd->path;
	nd->path = (struct path){ NULL, NULL };
}

static __always_inline int
path_lookupat(struct nameidata *nd, const struct filename *name, unsigned int flags,
	      struct path *path)
{
	int result = walk_path(nd, name->name, flags);

	if (likely(!result))
		result = complete_walk(nd);
	if (!result && (nd->flags & LOOKUP_DIRECTORY) && !d_is_dir(nd->path.dentry))
		result = -ENOTDIR;
	if (likely(!result) && holds_path_only(nd)) {
		*path = nd->path;
		return 0;
	}
	if (!result)
		take_path(nd, path);
	terminate_walk(nd);
	return result;
}

static noinline int
lookup_again(struct nameidata *nd, const struct filename *name, unsigned int flags,
	     struct path *path)
{
	count_event(EVENT_WALK_RESTART);
	return path_lookupat(nd, name, flags, path);
}

int
filename_lookup(const struct filename *name, unsigned int flags, struct path *path)
{
	struct nameidata nd;
	int error = path_lookupat(&nd, name, flags | LOOKUP_RCU, path);

	if (unlikely(error == -ECHILD))
		return lookup_again(&nd, name, flags, path);
	return error;
}

static int
path_parentat(struct nameidata *nd, const struct filename *name, unsigned int flags,
	      struct path *parent)
{
	int result;

	path_init(nd, name->name, flags);
	result = walk_to_parent(nd);
	if (!result)
		result = complete_walk(nd);
	if (!result)
		take_path(nd, parent);
	terminate_walk(nd);
	return result;
}

int
filename_parentat(const struct filename *name, struct path *parent, struct qstr *last,
		  enum last_type *type, bool *slash)
{
	struct nameidata nd;
	int error = path_parentat(&nd, name, LOOKUP_RCU, parent);

	if (unlikely(error == -ECHILD)) {
		count_event(EVENT_WALK_RESTART);
		error = path_parentat(&nd, name, 0, parent);
	}
	*last = nd.last;
	*type = nd.last_type;
	*slash = nd.slash;
	return error;
}

static struct dentry *
filename_create(const struct filename *name, struct path *parent, unsigned int flags)
{
	enum last_type type;
	struct dentry *dentry;
	struct qstr last;
	bool slash;
	int error = filename_parentat(name, parent, &last, &type, &slash);

	if (error)
		return ERR_PTR(error);
	if (type != LAST_NORM) {
		path_put(parent);
		return ERR_PTR(-EEXIST);
	}
	inode_lock(d_inode(parent->dentry));
	dentry = lookup_locked(&last, parent->dentry);
	error = IS_ERR(dentry) ? PTR_ERR(dentry) : 0;
	if (!error && !d_is_negative(dentry))
		error = -EEXIST;
	else if (!error && slash && !(flags & LOOKUP_DIRECTORY))
		error = -ENOENT;
	if (!error)
		return dentry;
	inode_unlock(d_inode(parent->dentry));
	if (!IS_ERR(dentry))
		dput(dentry);
	path_put(parent);
	return ERR_PTR(error);
}

struct dentry *
start_creating_path(const char *path, struct path *parent, unsigned int flags)
{
	struct filename name;
	struct dentry *dentry;
	int error = getname(&name, path, 0);

	if (error)
		return ERR_PTR(error);
	dentry = filename_create(&name, parent, flags);
	putname(&name);
	return dentry;
}

void
end_creating_path(struct dentry *dentry, struct path *parent)
{
	inode_unlock(d_inode(parent->dentry));
	dput(dentry);
	path_put(parent);
}
