/*
 * task.h - threads of control and the CPUs they run on
 *
 * A task is a coroutine on a modelled CPU (virtual) or a pthread that owns a
 * CPU slot of its own (host). Kernel threads are tasks too. Either way per-CPU
 * data belongs to one running task at a time, and nobody is preempted: a task
 * gives up its CPU only in schedule().
 */
#ifndef MACHINE_TASK_H
#define MACHINE_TASK_H

#include "machine/atomic.h"

struct files_struct;
struct file;
struct cred;
struct fs_struct;
struct runtime_task;

enum task_state {
	TASK_RUNNING = 0,
	TASK_UNINTERRUPTIBLE = 2,
	TASK_DEAD = 16,
};

struct task {
	/* line 0: written by the task itself, before it starts and as it exits */
	int pid;			/* 0 is the boot task */
	int cpu;			/* where it runs; a host slot; fixed for life */
	struct files_struct *files;	/* descriptors; shared by threads */
	struct cred *cred;		/* credentials; shared by threads */
	struct fs_struct *fs;		/* root, current directory and umask; shared by threads */
	struct runtime_task *runtime;	/* stack and context of this machine kind */
	const char *comm;		/* name for messages */
	struct file *fput_list;		/* whose last reference it dropped; vfs/task_work.h */

	/* line 1: written by wakers */
	unsigned int state ____cacheline_aligned; /* enum task_state; see sched.h */
};

/* The running task. Context: any task; constant for its whole life. */
#ifdef MACHINE_VIRTUAL
extern struct task *runtime_current;
#else
extern _Thread_local struct task *runtime_current;
#endif
#define current runtime_current

/* The calling task's CPU, 0 .. nr_cpu_ids - 1. */
static __always_inline int
smp_processor_id(void)
{
	return current->cpu;
}

/* Constant after boot. Host: one slot per task that may ever run. */
extern int nr_cpu_ids;
extern int nr_node_ids;
int cpu_to_node(int cpu);

/* The node of the calling task's CPU. */
#ifdef MACHINE_VIRTUAL
static __always_inline int
numa_node_id(void)
{
	return cpu_to_node(smp_processor_id());
}
#else
extern _Thread_local int runtime_this_node;

static __always_inline int
numa_node_id(void)
{
	return runtime_this_node;
}
#endif

#define for_each_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_node(node) for ((node) = 0; (node) < nr_node_ids; (node)++)

/*
 * kthread_run - start a kernel thread on @cpu (-1: the runtime chooses)
 * Host: on a slot of its own, over the core that @cpu's slot lies on.
 * @comm must outlive the task. The thread ends when @fn returns.
 * Context: any; never sleeps. Return: the task, or NULL without memory.
 */
struct task *kthread_run(void (*fn)(void *arg), void *arg, int cpu, const char *comm);

#endif
