/*
 * namei.h - from paths to files, inodes and directory entries
 *
 * Mirrors include/linux/namei.h. What the calls above it ask for; how the walk
 * works is in nameidata.h and namei.c.
 *
 * Context of everything here: a task, no locks; sleeps.
 */
#ifndef VFS_NAMEI_H
#define VFS_NAMEI_H

#include <limits.h>

#include "vfs/path.h"
#include "vfs/qstr.h"

struct file;
struct inode;

/* A path copied from user memory: its walk may read up to seven bytes past the end. */
struct filename {
	const char *name;	/* iname, or memory of its own when long */
	size_t len;
	char iname[112];
};

#define FILENAME_PAD 8 /* one word */

/*
 * Copy @path. @flags: LOOKUP_EMPTY or 0.
 * Return: 0, -ENOENT (empty), -ENAMETOOLONG (PATH_MAX bytes with the NUL) or -ENOMEM;
 * after 0 call putname().
 */
int getname(struct filename *filename, const char *path, unsigned int flags);
void free_long_name(struct filename *filename);

static __always_inline void
putname(struct filename *filename)
{
	if (unlikely(filename->name != filename->iname))
		free_long_name(filename);
}

#define LOOKUP_FOLLOW BIT(0)	/* a symbolic link at the end is followed */
#define LOOKUP_DIRECTORY BIT(1)	/* what is found must be a directory */
#define LOOKUP_EMPTY BIT(2)	/* an empty path is the starting point */
#define LOOKUP_RCU BIT(3)	/* the walk writes nothing (inside the walk only) */

/*
 * Open what @name leads to as @file, which is empty: the last step of open(2).
 * @mode is what the caller asked for, for a new file. Return: 0 or -errno.
 */
int do_filp_open(struct file *file, const struct filename *name, int flags, mode_t mode);

/*
 * Find what @name leads to. Return: 0 with references in *@path, or -errno
 * (ENOENT for a negative dentry).
 */
int filename_lookup(const struct filename *name, unsigned int flags, struct path *path);

/* The same from a user's string: getname(), filename_lookup(), putname(). */
static __always_inline int
user_path_at(const char *path, unsigned int flags, struct path *found)
{
	struct filename name;
	int error = getname(&name, path, flags);

	if (unlikely(error))
		return error;
	error = filename_lookup(&name, flags, found);
	putname(&name);
	return error;
}

enum last_type {
	LAST_NORM,	/* a name */
	LAST_ROOT,	/* nothing: the path was "/" */
	LAST_DOT,
	LAST_DOTDOT,
};

/*
 * Find the directory that the last component of @name is in.
 * Return: 0 with references in *@parent and the component in *@last (pointing into
 * @name), or -errno. *@slash: a slash follows it.
 */
int filename_parentat(const struct filename *name, struct path *parent, struct qstr *last,
		      enum last_type *type, bool *slash);

/*
 * Prepare to make what @path, a user's string, says: find its directory, lock it, look
 * the name up. Return: the negative dentry, with references on it and in *@parent and
 * the inode lock held, for end_creating_path() to undo; or ERR_PTR: -EEXIST, -ENOENT (a
 * slash behind it, and @flags without LOOKUP_DIRECTORY), or as user_path_at().
 */
struct dentry *start_creating_path(const char *path, struct path *parent, unsigned int flags);
void end_creating_path(struct dentry *dentry, struct path *parent);

/* --- permissions (permission.c) --- */

#define MAY_EXEC 1
#define MAY_WRITE 2
#define MAY_READ 4

/*
 * May the calling task do @mask (MAY_*) to @inode? Also under RCU.
 * Return: 0 or -EACCES.
 */
int inode_permission(const struct inode *inode, unsigned int mask);

/* The same with the ids of @cred. */
struct cred;
int inode_permission_cred(const struct inode *inode, unsigned int mask, const struct cred *cred);

/* May a name be made in @dir? Return: 0, -EACCES or -ENOENT (@dir was removed). */
int may_create(struct inode *dir);

/*
 * May @victim be removed from @dir, by rmdir if @isdir?
 * Return: 0, -ENOENT, -EACCES, -EPERM (sticky), -ENOTDIR, -EISDIR or -EBUSY.
 */
struct dentry;
int may_delete(struct inode *dir, const struct dentry *victim, bool isdir);

#endif
