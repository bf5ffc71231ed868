/*
 * runtime.h - what a machine kind provides
 *
 * Implemented once in host/ and once in virtual/; used by machine/ and by the
 * boot code of vfs/. Never instrumented: what happens in here is charged by
 * cost, not by line. Further entry points stand in the header of their subject
 * (task.h, cpu_relax.h, cost.h, event.h, arena.h, percpu.h, rcu.h).
 */
#ifndef MACHINE_RUNTIME_H
#define MACHINE_RUNTIME_H

#include "machine/bug.h"
#include "machine/spec.h"
#include "machine/task.h"

struct runtime_config {
	const struct machine_spec *spec;	/* virtual only */
	u64 seed;
	int stream;
	int tasks;			/* initial tasks, at most */
	size_t object_bytes;		/* address space for objects, per node */
	bool races;			/* virtual only */
};

/* Return: 0 or -errno. Context: once per process, before anything else. */
int runtime_boot(const struct runtime_config *config);

/* Context: no task runs; every kernel thread was told to end and is past its last sleep. */
void runtime_shutdown(void);

/* Where BUG and friends end; set before boot so that boot can fail loudly too. */
void runtime_set_panic(void (*panic)(void *context, enum verdict verdict, const char *message,
				     const void *pc1, const void *pc2),
		       void *context);

/* The CPU of the @index-th initial task, or -1 if the machine has no such CPU. */
int runtime_place(int index);

/*
 * Make a task that will run @fn(@arg) on @cpu once started. Its stack lies in
 * the arena, on the CPU's node. Context: boot code or a task.
 * Return: NULL without memory or slots.
 */
struct task *runtime_task_create(void (*fn)(void *arg), void *arg, int cpu, const char *comm);
void runtime_task_start(struct task *task);

/*
 * Run until every started task that is not a kernel thread has returned; their
 * struct task stays valid until runtime_task_destroy(). Context: boot code.
 * Virtual: runs them, here. Host: waits for them.
 */
void runtime_join(void);
void runtime_task_destroy(struct task *task);

/* Put the calling task to sleep until runtime_unblock(); an earlier unblock is not lost. */
void runtime_block(void);
void runtime_unblock(struct task *task);

/* Whether @task has a CPU: it neither sleeps nor waits for its turn. A hint. */
bool runtime_on_cpu(const struct task *task);

/* Time. Reading it on the virtual kind orders the CPU among all others. */
u64 runtime_clock_ps(void);
void runtime_work_ns(u64 ns);

/* RCU's machine-specific half; see rcu.h for the contracts, and for what is inline. */
void runtime_rcu_synchronize(void);

/* Whoever waits for a grace period should not wait longer than its readers make it. */
void runtime_rcu_expedite(void);

/*
 * The CPU whose callback task serves call_rcu() on @cpu: the same one (virtual),
 * or one for all (host). Constant after boot.
 */
int runtime_rcu_callback_cpu(int cpu);

/* Sum over all CPUs since boot of every event; see event.h. Context: any. */
void runtime_event_totals(u64 *totals);

#endif
