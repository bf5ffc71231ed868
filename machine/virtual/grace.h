/*
 * grace.h - RCU's grace periods, by bookkeeping
 *
 * A grace period ends once every CPU has left a system call, slept or idled
 * since it began. Nothing of it is charged or modelled.
 */
#ifndef MACHINE_VIRTUAL_GRACE_H
#define MACHINE_VIRTUAL_GRACE_H

#include "machine/virtual/cpu.h"

extern struct grace {
	u64 current;	/* number of the one under way, or of the last one */
	u64 completed;
	int waiting;	/* CPUs that have not been quiescent in it */
} grace;

void grace_boot(void);
void grace_report(struct cpu *cpu);

/* @cpu is outside any reader now. */
static __always_inline void
grace_quiescent(struct cpu *cpu)
{
	if (unlikely(cpu->grace_period != grace.current))
		grace_report(cpu);
}

#endif
