/*
 * umask.c - which permissions new files do not get; mirrors umask(2) of kernel/sys.c
 *
 * Threads share the mask (fs_struct).
 */
#include "vfs/fs_struct.h"
#include "vfs/syscall_define.h"

SYSCALL_DEFINE(mode_t, umask, (mode_t mask), (mask))
{
	return xchg(&current->fs->umask, mask & 0777);
}
