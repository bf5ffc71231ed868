/*
 * grace.c - see grace.h
 */
#include "machine/virtual/grace.h"

#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/virtual/model.h"
#include "machine/virtual/race.h"
#include "machine/virtual/sleep.h"

struct grace grace;
static struct runtime_task *grace_waiters;

void
grace_boot(void)
{
	grace = (struct grace){ 0 };
	grace_waiters = NULL;
}

static void
pass(struct cpu *cpu)
{
	cpu->grace_period = grace.current;
	if (model.races)
		race_grace_quiescent(cpu->id);
}

/* Whether @task's knowledge matters: what boot code does is ordered with everything. */
static bool
is_judged(const struct runtime_task *task)
{
	return model.races && task != &boot_runtime_task;
}

static void
judge_begin(void)
{
	race_grace_begin();
	for (struct runtime_task *task = grace_waiters; task; task = task->grace_next)
		if (is_judged(task) && task->grace_until == grace.current)
			race_grace_wait(task->task->cpu);
}

/* An idle CPU reads nothing, and what it runs later begins later. */
static void
grace_begin(void)
{
	grace.current++;
	if (model.races)
		judge_begin();
	grace.waiting = 0;
	for (int id = 0; id < topology.cpus; id++) {
		if (cpus[id].current)
			grace.waiting++;
		else
			pass(&cpus[id]);
	}
}

/* Nobody is left to wait for. Those who came meanwhile need the next one. */
static void
grace_end(void)
{
	struct runtime_task **link = &grace_waiters;
	bool more = false;

	grace.completed = grace.current;
	while (*link) {
		struct runtime_task *task = *link;

		if (task->grace_until > grace.completed) {
			more = true;
			link = &task->grace_next;
			continue;
		}
		*link = task->grace_next;
		if (is_judged(task))
			race_grace_over(task->task->cpu);
		wake_at(task, running_cpu ? running_cpu->now : model.clock);
	}
	if (more)
		grace_begin();
}

void
grace_report(struct cpu *cpu)
{
	pass(cpu);
	grace.waiting--;
	while (!grace.waiting && grace.completed != grace.current)
		grace_end();
}

void
runtime_rcu_read_lock(void)
{
	runtime_current->runtime->rcu_nesting++;
}

void
runtime_rcu_read_unlock(void)
{
	runtime_current->runtime->rcu_nesting--;
}

int
runtime_rcu_callback_cpu(int cpu)
{
	return cpu;
}

void
runtime_rcu_quiescent_state(void)
{
	if (!running_cpu)
		return;
	BUG_ON(runtime_current->runtime->rcu_nesting, "a quiescent state inside rcu_read_lock");
	grace_quiescent(running_cpu);
}

/* Context: boot code too, where no CPU is inside a reader. */
void
runtime_rcu_synchronize(void)
{
	struct runtime_task *self = runtime_current->runtime;

	BUG_ON(self->rcu_nesting, "synchronize_rcu inside rcu_read_lock");
	self->grace_until = grace.current + 1;
	self->grace_next = grace_waiters;
	grace_waiters = self;
	if (grace.completed == grace.current)
		grace_begin();
	while (grace.completed != grace.current && !grace.waiting)
		grace_end();
	while (grace.completed < self->grace_until)
		runtime_block();
	if (is_judged(self))
		race_grace_end(running_cpu->id);
}
