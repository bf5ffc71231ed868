/*
 * grace.c - see grace.h
 */
#include "machine/virtual/grace.h"

#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/virtual/model.h"
#include "machine/virtual/race.h"
#include "machine/virtual/scheduler.h"
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

static void
begin_to_last(u64 now)
{
	u64 length = model.spec.cost_ps[COST_grace_period];

	grace.lasted = !length || !scheduler->grace || grace.current <= grace.expedited;
	if (!grace.lasted)
		scheduler->grace(now + length, grace.current & EVENT_INDEX_MASK);
}

/* An idle CPU reads nothing, and what it runs later begins later. */
static void
grace_begin(u64 now)
{
	grace.current++;
	begin_to_last(now);
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

/* Those who came meanwhile need the next one. */
static void
grace_end(u64 now)
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
		wake_at(task, now);
	}
	if (more)
		grace_begin(now);
}

/* End the one under way if nobody is left to wait for. */
static void
grace_try_end(u64 now)
{
	while (grace.completed != grace.current && !grace.waiting && grace.lasted)
		grace_end(now);
}

void
grace_lasted(u32 period, u64 now)
{
	if ((grace.current & EVENT_INDEX_MASK) != period)
		return;
	grace.lasted = true;
	grace_try_end(now);
}

static u64
time_now(void)
{
	return running_cpu ? running_cpu->now : model.clock;
}

void
grace_report(struct cpu *cpu)
{
	pass(cpu);
	grace.waiting--;
	grace_try_end(time_now());
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

/* Who waits now waits for the one under way, or for the next. */
void
runtime_rcu_expedite(void)
{
	grace.expedited = grace.current + 1;
	grace.lasted = true;
	grace_try_end(time_now());
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
		grace_begin(time_now());
	grace_try_end(time_now());
	while (grace.completed < self->grace_until)
		runtime_block();
	if (is_judged(self))
		race_grace_end(running_cpu->id);
}
