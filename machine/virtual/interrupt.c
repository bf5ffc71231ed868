/*
 * interrupt.c - see interrupt.h
 *
 * A CPU that thinks has moved its clock to the end of its thinking already and
 * queued itself there. If an interrupt arrives before that, its clock goes back,
 * and the event that would resume it is void; see cpu_void_resume().
 */
#include "machine/virtual/interrupt.h"

#include <stdlib.h>

#include "machine/bug.h"
#include "machine/ipi.h"
#include "machine/virtual/park.h"
#include "machine/virtual/race.h"
#include "machine/virtual/store_buffer.h"
#include "machine/virtual/watch.h"

bool
send_ipi(int id, void (*handler)(void *arg), void *arg)
{
	struct cpu *sender = running_cpu;
	struct cpu *cpu = &cpus[id];
	struct interrupt *interrupt;

	BUG_ON(!sender || sender == cpu, "an IPI to CPU %d from %s", id,
	       sender ? "itself" : "boot code");
	scheduler->order(sender);
	if (!cpu->current)
		return false;
	interrupt = model_calloc(1, sizeof(*interrupt));
	interrupt->time = sender->now + model.spec.cost_ps[COST_ipi];
	interrupt->handler = handler;
	interrupt->arg = arg;
	if (cpu->interrupts)
		cpu->last_interrupt->next = interrupt;
	else
		cpu->interrupts = interrupt;
	cpu->last_interrupt = interrupt;
	watch_cpu(cpu);
	if (model.races)
		race_edge(sender->id, id);
	scheduler->interrupt(cpu, interrupt->time);
	return true;
}

/* Whether @cpu is in the middle of thinking at @time: nothing was accessed since it began. */
static bool
thinks_at(const struct cpu *cpu, u64 time)
{
	return cpu->state == CPU_RUNNING && cpu->now == cpu->think_end && time < cpu->now;
}

struct cpu *
interrupt_arrive(struct cpu *cpu, u64 time)
{
	if (!cpu->interrupts || cpu->in_interrupt)
		return NULL;
	if (cpu->state == CPU_PARKED) {
		parked_remove(cpu);
	} else if (thinks_at(cpu, time)) {
		u64 from = max(time, cpu->think_from);

		cpu->think_left = cpu->now - from;
		cpu->now = from;
	} else {
		return NULL;
	}
	cpu_void_resume(cpu);
	return cpu;
}

void
interrupt_take(struct cpu *cpu)
{
	u64 left = cpu->think_left;

	cpu->think_left = 0;
	cpu->in_interrupt = true;
	while (cpu->interrupts && cpu->interrupts->time <= cpu->now) {
		struct interrupt *interrupt = cpu->interrupts;

		cpu->interrupts = interrupt->next;
		interrupt->handler(interrupt->arg);
		free(interrupt);
		/* Returning from an interrupt drains the store buffer, as an atomic does. */
		store_buffer_drain(cpu);
	}
	cpu->in_interrupt = false;
	cpu->think_from = cpu->now;
	cpu->now += left;
	cpu->think_end = cpu->now;
	watch_cpu(cpu);
}

void
interrupt_shutdown(void)
{
	for (int id = 0; id < topology.cpus; id++) {
		while (cpus[id].interrupts) {
			struct interrupt *interrupt = cpus[id].interrupts;

			cpus[id].interrupts = interrupt->next;
			free(interrupt);
		}
	}
}
