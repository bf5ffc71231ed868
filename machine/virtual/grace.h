/*
 * grace.h - RCU's grace periods, by bookkeeping
 *
 * A grace period ends once every CPU has left a system call, slept or idled
 * since it began, and no sooner than `costs.grace_period` after that: a kernel
 * looks for quiescent states once in some ticks, and so the callbacks of one
 * CPU come in batches. No CPU is charged for a grace period; it only lasts.
 */
#ifndef MACHINE_VIRTUAL_GRACE_H
#define MACHINE_VIRTUAL_GRACE_H

#include "machine/virtual/cpu.h"

extern struct grace {
	u64 current;	/* number of the one under way, or of the last one */
	u64 completed;
	u64 expedited;	/* none up to this one lasts longer than its readers */
	int waiting;	/* CPUs that have not been quiescent in it */
	bool lasted;	/* as long as it must */
} grace;

void grace_boot(void);
void grace_report(struct cpu *cpu);

/* Grace period @period, modulo EVENT_INDEX_MASK + 1, has lasted as long as it must at @now. */
void grace_lasted(u32 period, u64 now);

/* @cpu is outside any reader now. */
static __always_inline void
grace_quiescent(struct cpu *cpu)
{
	if (unlikely(cpu->grace_period != grace.current))
		grace_report(cpu);
}

#endif
