/*
 * interrupt.h - interrupts on their way to a CPU, and taking them
 *
 *	sender		send_ipi() ---- ipi ----> arrives
 *	receiver	thinks, spins		  handler, then the rest of its thinking
 *			waits for a line	  ...... the line comes ......> handler
 *
 * They are taken between two accesses, in the CPU's turn. A CPU with one on its
 * way does not get idle.
 */
#ifndef MACHINE_VIRTUAL_INTERRUPT_H
#define MACHINE_VIRTUAL_INTERRUPT_H

#include "machine/virtual/scheduler.h"

struct interrupt {
	struct interrupt *next;
	u64 time;		/* when it arrives, ps */
	void (*handler)(void *arg);
	void *arg;
};

/*
 * Event: an interrupt reaches @cpu, at @time.
 * Return: @cpu if it leaves what it was doing for it, or NULL if that has to end first.
 */
struct cpu *interrupt_arrive(struct cpu *cpu, u64 time);

/* Call the handlers of what has arrived. Context: the running CPU; interrupt_due(). */
void interrupt_take(struct cpu *cpu);

/* Forget what is still on its way. Context: the machine is shut down. */
void interrupt_shutdown(void);

static __always_inline bool
interrupt_due(const struct cpu *cpu)
{
	return cpu->interrupts && !cpu->in_interrupt && cpu->interrupts->time <= cpu->now;
}

/* Come to a point from which the running CPU may get idle: its turn, and nothing on its way. */
static __always_inline void
interrupt_settle(struct cpu *cpu)
{
	scheduler->order(cpu);
	while (unlikely(cpu->interrupts)) {
		cpu->now = max(cpu->now, cpu->interrupts->time);
		scheduler->order(cpu);
	}
}

#endif
