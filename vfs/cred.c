/*
 * cred.c - see cred.h; mirrors kernel/cred.c
 *
 * Differences from Linux: the last put frees at once; nobody looks at another
 * task's credentials under RCU here.
 */
#include "vfs/cred.h"

#include <errno.h>

#include "machine/slab.h"
#include "vfs/vfs.h"

int
cred_boot(void)
{
	kernel.vfs->cred_cache = kmem_cache_create("cred", sizeof(struct cred), SLAB_ZERO, NULL);
	return kernel.vfs->cred_cache ? 0 : -ENOMEM;
}

void
cred_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->cred_cache);
}

static void
get_shared(struct cred_shared *shared)
{
	atomic_inc(&shared->group_info);
	atomic_inc(&shared->user);
	atomic_inc(&shared->user_ns);
	atomic_inc(&shared->ucounts);
}

/* None of these is ever the last: the kernel's own never goes. */
static void
put_shared(struct cred_shared *shared)
{
	atomic_dec(&shared->group_info);
	atomic_dec(&shared->user);
	atomic_dec(&shared->ucounts);
	atomic_dec(&shared->user_ns);
}

struct cred *
copy_creds(const struct cred *old)
{
	struct cred *cred = kmem_cache_alloc(kernel.vfs->cred_cache);

	if (!cred)
		return NULL;
	if (old) {
		cred->uid = old->uid;
		cred->gid = old->gid;
		cred->euid = old->euid;
		cred->egid = old->egid;
		cred->fsuid = old->fsuid;
		cred->fsgid = old->fsgid;
	}
	get_shared(&kernel.vfs->cred_shared);
	atomic_init(&cred->usage, 1);
	return cred;
}

struct cred *
prepare_creds(void)
{
	return copy_creds(current->cred);
}

void
commit_creds(struct cred *cred)
{
	struct cred *old = current->cred;

	current->cred = cred;
	put_cred(old);
}

struct cred *
override_creds(struct cred *cred)
{
	struct cred *old = current->cred;

	current->cred = get_cred(cred);
	return old;
}

void
revert_creds(struct cred *old)
{
	struct cred *cred = current->cred;

	current->cred = old;
	put_cred(cred);
}

void
__put_cred(struct cred *cred)
{
	put_shared(&kernel.vfs->cred_shared);
	kmem_cache_free(kernel.vfs->cred_cache, cred);
}
