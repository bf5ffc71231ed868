/*
 * fake_kernel.h - a kernel that does nothing, or what a test of the runner asks for
 *
 * As a virtual machine: every loop iteration of a task takes 1 us of virtual
 * time and tasks take turns, so N tasks complete N iterations per us. Seen as
 * a host: tasks are threads that run as fast as they can.
 */
#ifndef TESTS_FAKE_KERNEL_H
#define TESTS_FAKE_KERNEL_H

#include "vfs/kernel_ops.h"

enum fake_fault {
	FAKE_FAULTLESS,
	FAKE_CRASH,		/* SIGSEGV while the tasks run */
	FAKE_HANG,		/* join() never returns */
	FAKE_PANIC,		/* the kernel finds a broken invariant */
	FAKE_LEAK,		/* shutdown() finds what was not freed */
	FAKE_QUIT,		/* the process ends without a result */
	FAKE_NO_MEMORY,		/* boot() fails with -ENOMEM */
	FAKE_READ_ERROR,	/* every pread fails with -EIO */
	FAKE_WRONG_BYTE,	/* every pread brings one wrong byte at offset 5 */
};

/* What to do at a point with this many tasks; others are faultless. */
extern int fake_fault_tasks;
extern enum fake_fault fake_fault;

extern const struct kernel_ops fake_virtual;
extern const struct kernel_ops fake_host;

#endif
