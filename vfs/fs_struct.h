/*
 * fs_struct.h - where a process's paths begin
 *
 * Mirrors include/linux/fs_struct.h. Threads share one, a process has a copy.
 * Walks sample root or cwd under the count of `seq` and write nothing.
 */
#ifndef VFS_FS_STRUCT_H
#define VFS_FS_STRUCT_H

#include "machine/seqlock.h"
#include "vfs/path.h"

struct fs_struct {
	atomic_t users;		/* tasks that share this; anybody */
	seqlock_t seq;		/* writers change root and pwd under it */
	mode_t umask;		/* marked: read and set by umask(2) */
	struct path root;	/* a reference */
	struct path pwd;	/* a reference */
} ____cacheline_aligned;

/* Context: boot. Return: 0 or -ENOMEM. */
int fs_boot(void);

/* Context: shutdown. BUG if one is still in use. */
void fs_shutdown(void);

/*
 * Without root and cwd, which fs_begin() sets to @root, with references of its own.
 * Umask 022. Context: task or boot. Return: NULL without memory.
 */
struct fs_struct *fs_alloc(void);
void fs_begin(struct fs_struct *fs, const struct path *root);

/* A copy for a new process. Context, return: as fs_alloc(). */
struct fs_struct *copy_fs_struct(struct fs_struct *old);

/* Another user: a thread. */
static __always_inline struct fs_struct *
get_fs_struct(struct fs_struct *fs)
{
	atomic_inc(&fs->users);
	return fs;
}

/* One user less. Context: task; may sleep. */
void put_fs_struct(struct fs_struct *fs);

/* Change the current directory to @path; takes references of its own. Context: task. */
void set_fs_pwd(struct fs_struct *fs, const struct path *path);

/* The calling task's cwd with a reference. Context: task. */
void get_fs_pwd(struct fs_struct *fs, struct path *pwd);

#endif
