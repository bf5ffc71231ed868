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
	kernel.vfs->cred_cache = kmem_cache_create("cred", sizeof(struct cred), 0, NULL);
	return kernel.vfs->cred_cache ? 0 : -ENOMEM;
}

void
cred_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->cred_cache);
}

struct cred *
prepare_creds(void)
{
	struct cred *cred = kmem_cache_alloc(kernel.vfs->cred_cache);

	if (cred)
		atomic_init(&cred->usage, 1);
	return cred;
}

void
put_cred(struct cred *cred)
{
	if (atomic64_dec_and_test(&cred->usage))
		kmem_cache_free(kernel.vfs->cred_cache, cred);
}
