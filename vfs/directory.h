/*
 * directory.h - names of one flat directory
 *
 * A hash table from name to inode. Looking up writes nothing (RCU); adding is
 * done under the directory's inode lock. Names stay until shutdown.
 *
 * This is the seam for the dentry cache: directory entries become dentries,
 * directory_lookup() becomes the look-up of one component.
 */
#ifndef VFS_DIRECTORY_H
#define VFS_DIRECTORY_H

#include "vfs/inode.h"

/* A name that is not NUL-terminated (struct qstr). */
struct qstr {
	const char *name;
	u32 len;
	u32 hash;
};

struct directory_entry {
	struct directory_entry *next;	/* of the chain; constant */
	struct inode *inode;		/* a reference; constant */
	u32 hash;
	u32 len;			/* of the name */
	char path[];			/* a slash, the name, a NUL */
};

#define DIRECTORY_CHAINS 256

struct directory {
	/* Added to under the directory's inode lock, read under RCU. */
	struct directory_entry *chains[DIRECTORY_CHAINS];
};

/* Context: boot. Return: an empty directory, or NULL without memory. */
struct directory *directory_create(void);

/* Return: the path of a file that is open, or NULL. Context: no other user. */
const char *directory_find_open(const struct directory *directory);

/*
 * Drop every name and its inode. Context: task, no other user; sleeps. BUG if
 * somebody has a reference on one of the inodes.
 */
void directory_destroy(struct directory *directory);

/* The name in the first @len bytes of @name. */
struct qstr name_hash(const char *name, size_t len);

/*
 * Find @name in @dir. Context: task. Return: the inode with a reference taken,
 * or NULL.
 */
struct inode *directory_lookup(struct inode *dir, const struct qstr *name);

/*
 * Give @inode the name @name in @dir; the entry takes a reference of its own.
 * Context: inode lock of @dir held, @name not in it. Return: 0 or -ENOMEM.
 */
int directory_add(struct inode *dir, const struct qstr *name, struct inode *inode);

#endif
