/*
 * namei.c - path walk and the last step of open
 *
 * Mirrors link_path_walk(), open_last_lookups() and may_open() of fs/namei.c;
 * the errors and their precedence are theirs. With one flat directory the walk
 * has nothing to walk: every component but the last must name a directory, and
 * the root is the only one. The dentry cache and the walk under RCU take the
 * place of walk() and directory_lookup().
 *
 * Lock order: the root's inode lock before anything else; it covers the second
 * look and the insertion of a creating open.
 *
 * Differences from Linux: paths are relative to the root whether they start with
 * a slash or not; no symbolic links, no mounts; nobody is denied.
 */
#include "vfs/namei.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "machine/cost.h"
#include "vfs/directory.h"
#include "vfs/vfs.h"

/* Where a walk stopped: at the last component, or at a directory without one. */
struct nameidata {
	struct inode *dir;	/* looked up in; no reference: the root stays */
	struct qstr last;	/* len 0: the path names @dir itself */
	bool slash;		/* the path ends in a slash: a directory is meant */
};

static bool
is_dot(const char *name, size_t len)
{
	return (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');
}

/* Look up one component. Return: 0 with a reference in *@found, or -errno. */
static int
lookup_one(struct inode *dir, const struct qstr *name, struct inode **found)
{
	if (name->len > NAME_MAX)
		return -ENAMETOOLONG;
	*found = directory_lookup(dir, name);
	return *found ? 0 : -ENOENT;
}

/* Step into the directory that @name is. Return: never 0, for the root has no subdirectory. */
static int
walk_into(struct inode *dir, const struct qstr *name)
{
	struct inode *inode;
	int error = lookup_one(dir, name, &inode);

	if (error)
		return error;
	iput(inode);
	return -ENOTDIR;
}

/* Walk all components of @path but the last. Return: 0 or -errno. */
static int
walk(const char *path, struct nameidata *nd)
{
	nd->dir = kernel.vfs->root;
	nd->last.len = 0;
	nd->slash = false;
	for (path += strspn(path, "/"); *path;) {
		size_t len = strcspn(path, "/");
		const char *next = path + len + strspn(path + len, "/");

		if (!is_dot(path, len)) {
			nd->last = name_hash(path, len);
			nd->slash = path[len] == '/';
			if (!*next)
				return 0;
			return walk_into(nd->dir, &nd->last);
		}
		path = next; /* "." and ".." of the root are the root */
	}
	return 0;
}

/* Make @name in @nd->dir, unless somebody was faster. Return: as path_openat(). */
static int
create(struct nameidata *nd, mode_t mode, struct inode **found)
{
	int result;

	inode_lock(nd->dir);
	result = lookup_one(nd->dir, &nd->last, found);
	if (result == -ENOENT) {
		*found = new_inode(S_IFREG | (mode & 07777));
		if (!*found)
			result = -ENOMEM;
		else if ((result = directory_add(nd->dir, &nd->last, *found)))
			iput(*found);
		else
			result = 1;
	}
	inode_unlock(nd->dir);
	return result;
}

/* Find or make the last component. Return: as path_openat(). */
static int
open_last(struct nameidata *nd, int flags, mode_t mode, struct inode **found)
{
	int result;

	if (!nd->last.len) {
		*found = nd->dir;
		ihold(*found);
		return 0;
	}
	if ((flags & O_CREAT) && nd->slash)
		return -EISDIR;
	result = lookup_one(nd->dir, &nd->last, found);
	if (result == -ENOENT && (flags & O_CREAT))
		result = create(nd, mode, found);
	return result;
}

/* May an inode that was there before be opened like this? Return: 0 or -errno. */
static int
may_open(const struct nameidata *nd, const struct inode *inode, int flags)
{
	spend(COST_security);
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	if (S_ISDIR(inode->i_mode))
		return (flags & (O_CREAT | O_TRUNC | O_ACCMODE)) ? -EISDIR : 0;
	return nd->slash ? -ENOTDIR : 0;
}

int
path_openat(const char *path, int flags, mode_t mode, struct inode **found)
{
	struct nameidata nd;
	int result;
	int error;

	spend(COST_path_name);
	error = walk(path, &nd);
	if (error)
		return error;
	result = open_last(&nd, flags, mode, found);
	if (result)
		return result;
	error = may_open(&nd, *found, flags);
	if (error)
		iput(*found);
	return error;
}
