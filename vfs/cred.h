/*
 * cred.h - credentials of a task
 *
 * Mirrors include/linux/cred.h. All threads of a process share one struct cred,
 * every process has its own copy; an open file keeps a reference on its
 * opener's. So opening and closing write `usage`: contended between threads,
 * private between processes. The ids that permission checks read share its line.
 *
 * A cred never changes once a task has it: prepare_creds(), change, commit_creds().
 *
 * To copy a cred is to take a reference on everything that it points to: groups,
 * user, user namespace and the user's limits. All processes of one user share
 * those, so a system call that works with a copy (access.c) writes four lines
 * twice that every other task writes, too, processes or not.
 *
 * Differences from Linux: the one capability is to be user 0; no supplementary
 * groups, no keyrings; all tasks belong to one user and one namespace, whatever
 * their ids.
 */
#ifndef VFS_CRED_H
#define VFS_CRED_H

#include "machine/atomic.h"

struct cred {
	atomic64_t usage;	/* references: one per task and per open file */
	/* constant once a task has it */
	uid_t uid;		/* real */
	gid_t gid;
	uid_t euid;		/* effective */
	gid_t egid;
	uid_t fsuid;		/* what files are checked against */
	gid_t fsgid;
};

/* References of all creds on what they share; struct vfs has the one there is. */
struct cred_shared {
	atomic_t group_info ____cacheline_aligned;
	atomic_t user ____cacheline_aligned;
	atomic_t user_ns ____cacheline_aligned;
	atomic_t ucounts ____cacheline_aligned;
};

/* Context: boot. Return: 0 or -ENOMEM. */
int cred_boot(void);

/* Context: shutdown. BUG if a cred is still in use. */
void cred_shutdown(void);

/*
 * A copy of @old, root's if NULL, with one reference.
 * Context: any; never sleeps. Return: NULL without memory.
 */
struct cred *copy_creds(const struct cred *old);

/* A copy of the calling task's. Context, return: as copy_creds(). */
struct cred *prepare_creds(void);

/* Make @cred the calling task's; takes over its reference and drops the old one's. */
void commit_creds(struct cred *cred);

/*
 * Check with @cred from now on; takes a reference of its own. Context: task.
 * Return: what was in force, for revert_creds() in the same system call.
 */
struct cred *override_creds(struct cred *cred);
void revert_creds(struct cred *old);

/* Another reference for somebody who has one already. Context: any. */
static __always_inline struct cred *
get_cred(struct cred *cred)
{
	atomic64_inc(&cred->usage);
	return cred;
}

/* Nobody has @cred any more. */
void __put_cred(struct cred *cred);

/* Drop a reference; the last one frees. Context: any; never sleeps. */
static __always_inline void
put_cred(struct cred *cred)
{
	if (unlikely(atomic64_dec_and_test(&cred->usage)))
		__put_cred(cred);
}

/* May @cred do what only root may (CAP_DAC_OVERRIDE, CAP_FOWNER and the like)? */
static __always_inline bool
cred_is_root(const struct cred *cred)
{
	return cred->fsuid == 0;
}

#endif
