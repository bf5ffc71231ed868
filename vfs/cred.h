/*
 * cred.h - credentials of a task
 *
 * Mirrors include/linux/cred.h. All threads of a process share one struct cred,
 * every process has its own copy; an open file keeps a reference on its
 * opener's. So opening and closing write `usage`: contended between threads,
 * private between processes.
 *
 * Differences from Linux: everybody is root, so there are no identities and
 * permission checks cost time (COST_security) but never fail.
 */
#ifndef VFS_CRED_H
#define VFS_CRED_H

#include "machine/atomic.h"

struct cred {
	atomic64_t usage; /* references: one per task and per open file */
};

/* Context: boot. Return: 0 or -ENOMEM. */
int cred_boot(void);

/* Context: shutdown. BUG if a cred is still in use. */
void cred_shutdown(void);

/* A new cred with one reference. Context: task; never sleeps. Return: NULL without memory. */
struct cred *prepare_creds(void);

/* Another reference for somebody who has one already. Context: any. */
static __always_inline struct cred *
get_cred(struct cred *cred)
{
	atomic64_inc(&cred->usage);
	return cred;
}

/* Drop a reference; the last one frees. Context: any; never sleeps. */
void put_cred(struct cred *cred);

#endif
