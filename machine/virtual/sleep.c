/*
 * sleep.c - blocking, waking and yielding
 *
 * Costs, all from the machine file:
 *
 *	sleeper		decides ---- idle_enter ----> CPU idle
 *	waker				pays wake
 *	woken				max(wake paid, CPU idle) + wake_latency ----> runs
 *
 * A CPU that has another task to run pays one `switch` and never gets idle.
 */
#include "machine/virtual/sleep.h"

#include "machine/event.h"
#include "machine/runtime.h"
#include "machine/sched.h"
#include "machine/virtual/grace.h"
#include "machine/virtual/interrupt.h"
#include "machine/virtual/race.h"

static bool
boot_is_woken(void)
{
	return boot_runtime_task.woken;
}

void
runtime_block(void)
{
	struct runtime_task *task = runtime_current->runtime;

	if (!running_cpu) {
		cpu_run_until(boot_is_woken);
		task->woken = false;
		return;
	}
	BUG_ON(task->rcu_nesting, "%s sleeps inside rcu_read_lock", runtime_current->comm);
	BUG_ON(running_cpu->in_interrupt, "%s sleeps in an interrupt", runtime_current->comm);
	interrupt_settle(running_cpu);
	if (task->woken) {
		task->woken = false;
		return;
	}
	count_event(EVENT_SLEEP);
	cpu_deschedule(RUN_BLOCKED);
}

void
wake_at(struct runtime_task *task, u64 time)
{
	struct cpu *cpu = cpu_of(task);

	if (task->state != RUN_BLOCKED) {
		task->woken = true;
		return;
	}
	cpu_enqueue(cpu, task, max(time, cpu->idle_at) + model.spec.cost_ps[COST_wake_latency]);
}

void
runtime_unblock(struct task *task)
{
	struct runtime_task *runtime = task->runtime;
	struct cpu *waker = running_cpu;

	if (waker)
		scheduler->order(waker);
	if (waker && runtime->state == RUN_BLOCKED) {
		waker->now += model.spec.cost_ps[COST_wake];
		if (model.races)
			race_edge(waker->id, task->cpu);
	}
	wake_at(runtime, waker ? waker->now : model.clock);
}

bool
runtime_on_cpu(const struct task *task)
{
	return task->runtime->state == RUN_CURRENT;
}

void
runtime_yield(void)
{
	if (!running_cpu)
		return;
	BUG_ON(runtime_current->runtime->rcu_nesting, "%s yields inside rcu_read_lock",
	       runtime_current->comm);
	BUG_ON(running_cpu->in_interrupt, "%s yields in an interrupt", runtime_current->comm);
	if (!running_cpu->queue_head) {
		grace_quiescent(running_cpu);
		return;
	}
	interrupt_settle(running_cpu);
	cpu_deschedule(RUN_QUEUED);
}
