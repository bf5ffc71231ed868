/*
 * think.c - time that passes without touching a shared line
 *
 * Jitter is on think time only: on what a task does outside the kernel, and on
 * the system call's entry and exit. A step inside a call takes its time, as it
 * is the same code each time; jitter there would put two accesses that are far
 * apart next to each other. Each CPU draws from a stream of its own, so that
 * the order in which CPUs execute shifts nothing. Hardware threads of a
 * core slow each other while both execute; one that waits for a line, spins
 * parked or idles slows nobody.
 */
#include "machine/cost.h"
#include "machine/cpu_relax.h"
#include "machine/runtime.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/scheduler.h"

static u64
with_jitter(struct cpu *cpu, u64 ps)
{
	if (model.spec.jitter == JITTER_NONE || !ps)
		return ps;
	return random_exponential(&cpu->jitter, ps);
}

static void
execute(struct cpu *cpu, u64 ps)
{
	if (core_busy[cpu->place.core] > 1)
		ps = ps * model.spec.smt_slowdown_percent / 100;
	if (cpu->now != cpu->think_end)
		cpu->think_from = cpu->now;
	cpu->now += ps;
	cpu->think_end = cpu->now;
}

void
spend(enum cost cost)
{
	u64 ps = model.spec.cost_ps[cost];

	if (!running_cpu)
		return;
	if (cost == COST_syscall)
		ps = with_jitter(running_cpu, ps);
	execute(running_cpu, ps);
}

void
runtime_work_ns(u64 ns)
{
	if (running_cpu)
		execute(running_cpu, with_jitter(running_cpu, ns * 1000));
}

u64
runtime_clock_ps(void)
{
	if (!running_cpu)
		return model.clock;
	scheduler->order(running_cpu);
	return running_cpu->now;
}

void
runtime_cpu_relax(void)
{
	if (running_cpu)
		scheduler->relax(running_cpu);
}

void
runtime_wait_line(const void *address)
{
	if (running_cpu && arena_contains(address))
		scheduler->wait_line(running_cpu, arena_offset(address));
}
