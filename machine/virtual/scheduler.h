/*
 * scheduler.h - which CPU runs next
 *
 * Everything else (tasks, sleeping, RCU, hooks) knows CPUs and their clocks and
 * asks here for the order. `timed` is the coherence model: the CPU whose next
 * interaction is earliest goes on. `scripted` follows a script and gives every
 * access the same cost.
 */
#ifndef MACHINE_VIRTUAL_SCHEDULER_H
#define MACHINE_VIRTUAL_SCHEDULER_H

#include "machine/virtual/access.h"
#include "machine/virtual/cpu.h"
#include "machine/virtual/model.h"

struct scheduler {
	const char *name;

	/*
	 * The running CPU is about to make @access: charge it, and let others go
	 * first where that is their right. It is performed when this returns.
	 */
	void (*access)(struct cpu *cpu, const struct access *access);

	/* Bring the running CPU into its place among all others, before it deals with one. */
	void (*order)(struct cpu *cpu);

	/* A full fence of the running CPU. */
	void (*fence)(struct cpu *cpu);

	/* Wait until another CPU writes to the line at @offset. May return early. */
	void (*wait_line)(struct cpu *cpu, u64 offset);

	/* One PAUSE. */
	void (*relax)(struct cpu *cpu);

	/* @cpu, which does not run, can go on from @time on. */
	void (*ready)(struct cpu *cpu, u64 time);

	/* @cpu, which runs a task but not now, has an interrupt that arrives at @time. */
	void (*interrupt)(struct cpu *cpu, u64 time);

	/*
	 * Call grace_lasted(@period) at @time. NULL: without costs there is no length
	 * that a grace period could have.
	 */
	void (*grace)(u64 time, u32 period);

	/* Take the next CPU off those that are ready. Return: NULL if there is none. */
	struct cpu *(*next)(void);
};

extern const struct scheduler timed_scheduler;
extern const struct scheduler scripted_scheduler;

/* Set by boot, or by script_start() before any task runs. */
extern const struct scheduler *scheduler;

#endif
