/*
 * cpu.h - modelled CPUs and the tasks on them
 *
 * A CPU has a clock of its own, which only runs ahead of the machine's as far
 * as nobody can tell. It runs one task until that task blocks, yields or ends;
 * while it waits for a line its task stays current.
 */
#ifndef MACHINE_VIRTUAL_CPU_H
#define MACHINE_VIRTUAL_CPU_H

#include "machine/random.h"
#include "machine/task.h"
#include "machine/virtual/coroutine.h"
#include "machine/virtual/heap.h"
#include "machine/virtual/topology.h"
#include "machine/virtual/waiter.h"

enum cpu_state {
	CPU_IDLE,		/* no task; its queue is empty, or it is about to look */
	CPU_RUNNING,		/* executes, or will at its turn */
	CPU_WAITS_LINE,		/* for data */
	CPU_WAITS_STORES,	/* for room in, or the end of, its store buffer */
	CPU_PARKED,		/* spins: until another CPU writes a line */
};

enum run_state {
	RUN_NEW,
	RUN_QUEUED,	/* on its CPU's queue */
	RUN_CURRENT,
	RUN_BLOCKED,
	RUN_DEAD,
};

struct runtime_task {
	struct task *task;		/* in the arena; NULL never */
	struct coroutine coroutine;
	struct runtime_task *next;	/* on the CPU's queue, or on the list of the dead */
	struct runtime_task *all_next;	/* list of all tasks */
	void (*fn)(void *arg);
	void *arg;
	void *stack;
	enum run_state state;
	int rcu_nesting;
	struct runtime_task *grace_next;	/* list of those who wait for a grace period */
	u64 grace_until;		/* which must be completed */
	bool woken;			/* an unblock came before the block */
	bool kernel_thread;
};

struct interrupt;

struct cpu {
	/* the first line: what an access touches */
	u64 now ____cacheline_aligned;	/* ps */
	u16 fast_owner;			/* `owner`, or a value that matches no line while watched */
	u16 owner;			/* id + 1; see struct line */
	u16 id;
	u16 stores;			/* in the store buffer */
	enum cpu_state state;
	struct place place;
	u32 resume;			/* index of the RESUME events that count; see below */
	struct interrupt *interrupts;	/* on their way to it, in order of sending; interrupt.c */

	struct waiter *waiter;		/* [0]: the access it waits for, then one per store */
	u64 store_mask;			/* entries of the store buffer in use */
	struct runtime_task *current;	/* NULL: idle */

	struct runtime_task *queue_head;
	struct runtime_task *queue_tail;
	struct runtime_task *last;	/* ran here last; compared only */
	u64 idle_at;			/* when the sleeper it ran last is really gone */
	bool resuming;			/* idle, and told to go on */

	u16 stores_wanted;		/* WAITS_STORES: until at most so many are left */
	u64 parked_line;		/* PARKED: number of the line */
	struct cpu *parked_next;
	u64 grace_period;		/* the last one it was quiescent in; grace.c */
	struct random_stream jitter;
	u64 think_from;			/* its latest thinking; ps */
	u64 think_end;
	u64 think_left;			/* to be done after an interrupt, ps */
	struct interrupt *last_interrupt;	/* if there is one */
	bool in_interrupt;
};

/* The CPU that executes now; NULL in boot code. */
extern struct cpu *running_cpu;
extern struct cpu *cpus;
extern struct runtime_task boot_runtime_task;

/*
 * A queued RESUME event is not taken back but made void: it counts only if it has
 * the index that its CPU has now.
 *
 *	23 ......... 10  9 ..... 0
 *	times voided     CPU
 */
#define RESUME_VOIDED (1u << 10)

_Static_assert(MACHINE_MAX_CPUS <= RESUME_VOIDED, "a CPU's number fits");

static __always_inline struct cpu *
cpu_of_resume(u32 index)
{
	return &cpus[index % RESUME_VOIDED];
}

static __always_inline void
cpu_void_resume(struct cpu *cpu)
{
	cpu->resume = (cpu->resume + RESUME_VOIDED) & EVENT_INDEX_MASK;
}

/* CPUs of each core that execute now: think time is slower beside another one. */
extern u16 *core_busy;

void cpu_boot(void);
void cpu_shutdown(void);

/* Leave or enter the set of CPUs that execute; see smt in think.c. */
static __always_inline void
cpu_set_waiting(struct cpu *cpu, enum cpu_state state)
{
	cpu->state = state;
	core_busy[cpu->place.core]--;
}

static __always_inline void
cpu_set_running(struct cpu *cpu)
{
	cpu->state = CPU_RUNNING;
	core_busy[cpu->place.core]++;
}

/*
 * The running CPU cannot go on: let the scheduler choose. Returns when somebody
 * made it ready and its turn has come.
 */
void cpu_wait(void);

/* Go on with @cpu's task (its next one if it is idle); the caller's context waits. */
void cpu_run(struct cpu *cpu);

/* Put @task on @cpu's queue; an idle CPU goes on at @time. Context: not queued, not running. */
void cpu_enqueue(struct cpu *cpu, struct runtime_task *task, u64 time);

/* The running task gives up its CPU for good or until it is queued again. */
void cpu_deschedule(enum run_state state);

/* Let modelled CPUs run until @done(). Context: boot code. */
void cpu_run_until(bool (*done)(void));

/* Nothing can run: say who waits for what. Does not return. */
__attribute__((noreturn, cold)) void cpu_deadlock(void);

static __always_inline struct cpu *
cpu_of(const struct runtime_task *task)
{
	return &cpus[task->task->cpu];
}

#endif
