/*
 * access.c - what may the task that called the program do to a file?
 *
 * Mirrors do_faccessat() of fs/open.c. access(2) checks the real ids where all
 * other calls check the file system's: a program that runs as somebody else asks
 * for its caller. So path and file are checked with a copy of the credentials that
 * has the real ids in place, for the length of the call. Where they agree anyway a
 * copy would change nothing, and since 6.3 none is made (`access_cred: reuse`).
 *
 * What a copy writes that others share: cred_shared (cred.h), four lines, twice.
 *
 * Differences from Linux: no file system is mounted read-only or noexec.
 */
#include <errno.h>
#include <unistd.h>

#include "machine/cost.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/mount.h"
#include "vfs/namei.h"
#include "vfs/policy.h"
#include "vfs/syscall_define.h"

_Static_assert(R_OK == MAY_READ && W_OK == MAY_WRITE && X_OK == MAY_EXEC, "one mask for both");

static bool
needs_copy(const struct cred *cred)
{
	return policy_value[POLICY_access_cred] == access_cred_override ||
	       cred->fsuid != cred->uid || cred->fsgid != cred->gid;
}

/* With the credentials in force. */
static int
check_access(const char *name, unsigned int mask)
{
	struct path path;
	int error = user_path_at(name, LOOKUP_FOLLOW, &path);

	if (error)
		return error;
	spend(COST_security);
	error = inode_permission(d_inode(path.dentry), mask);
	path_put(&path);
	return error;
}

SYSCALL_DEFINE(int, access, (const char *path, int mode), (path, mode))
{
	struct cred *real, *old;
	int error;

	if (mode & ~(R_OK | W_OK | X_OK))
		return -EINVAL;
	if (likely(!needs_copy(current->cred)))
		return check_access(path, (unsigned int)mode);
	real = prepare_creds();
	if (!real)
		return -ENOMEM;
	real->fsuid = real->uid;
	real->fsgid = real->gid;
	old = override_creds(real);
	put_cred(real);
	error = check_access(path, (unsigned int)mode);
	revert_creds(old);
	return error;
}
