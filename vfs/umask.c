/*
 * umask.c - which permissions new files do not get; mirrors umask(2) of kernel/sys.c
 *
 * Threads share the mask (fs_struct).
 */
#include "machine/cost.h"
#include "vfs/fs_struct.h"
#include "vfs/syscalls.h"
#include "vfs/task_work.h"

mode_t
sys_umask(mode_t mask)
{
	mode_t old;

	spend(COST_syscall);
	old = xchg(&current->fs->umask, mask & 0777);
	syscall_exit();
	return old;
}
