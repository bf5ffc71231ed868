/*
 * syscall_define.h - how a system call is written
 *
 * As with Linux's SYSCALL_DEFINEn() the body follows the macro:
 *
 *	SYSCALL_DEFINE(loff_t, lseek, (int fd, loff_t offset, int whence), (fd, offset, whence))
 *	{
 *		...
 *		return result;
 *	}
 *
 * defines sys_lseek() of syscalls.h: its result, its name, its parameters, and these
 * as arguments. The body becomes __do_sys_lseek(), which may return from anywhere;
 * sys_lseek() is what all calls have in common around theirs:
 *
 *	spend(COST_syscall)	the way in; nothing on the host kind
 *	__do_sys_lseek()
 *	syscall_exit()		the way out: what the body put off, then others' turn
 *
 * Context of a body: as syscalls.h has it. It returns with no lock held and outside
 * rcu_read_lock(): task work sleeps, and the end of a call is a quiescent state.
 *
 * Differences from Linux: a result has the type that syscalls.h declares, and not
 * long; the way in and out, of which nothing is seen there, is the architecture's.
 */
#ifndef VFS_SYSCALL_DEFINE_H
#define VFS_SYSCALL_DEFINE_H

#include "machine/cost.h"
#include "machine/sched.h"
#include "vfs/syscalls.h"
#include "vfs/task_work.h"

/* How every system call ends. Context: as task_work_run(); quiescent state of RCU. */
static __always_inline void
syscall_exit(void)
{
	if (unlikely(READ_ONCE(current->fput_list)))
		task_work_run();
	cond_resched();
}

#define SYSCALL_DEFINE(type, name, parameters, arguments)                                          \
	static inline type __do_sys_##name parameters;                                             \
                                                                                                   \
	type sys_##name parameters                                                                 \
	{                                                                                          \
		type result;                                                                       \
                                                                                                   \
		spend(COST_syscall);                                                               \
		result = __do_sys_##name arguments;                                                \
		syscall_exit();                                                                    \
		return result;                                                                     \
	}                                                                                          \
                                                                                                   \
	static inline type __do_sys_##name parameters

#endif
