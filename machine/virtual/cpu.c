/*
 * cpu.c - which task a CPU runs, and giving the host's CPU from one to the next
 *
 * Switching is symmetric: whoever cannot go on asks the scheduler for the next
 * CPU and enters its task directly. Boot code is one more context, which waits
 * in cpu_run_until() while modelled CPUs run.
 */
#include "machine/virtual/cpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/bug.h"
#include "machine/event.h"
#include "machine/names.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/grace.h"
#include "machine/virtual/lines.h"
#include "machine/virtual/scheduler.h"
#include "machine/virtual/tasks.h"
#include "machine/virtual/watch.h"

struct cpu *running_cpu;
struct cpu *cpus;
u16 *core_busy;
struct waiter *waiters;
const struct scheduler *scheduler;

static struct coroutine boot_coroutine;
static struct coroutine *executing;	/* whose stack we are on */
static bool (*boot_waits_for)(void);	/* NULL: boot code runs */

/* One for the access that it waits for, and one for each entry of its store buffer. */
static size_t
waiters_per_cpu(void)
{
	return 1 + model.spec.store_buffer;
}

void
cpu_boot(void)
{
	size_t per_cpu = waiters_per_cpu();

	core_busy = model_calloc(topology.cores, sizeof(*core_busy));
	/* Mapped, so that each starts on a line: every event touches one of each. */
	cpus = model_map(topology.cpus * sizeof(*cpus));
	waiters = model_map(topology.cpus * per_cpu * sizeof(*waiters));
	for (int id = 0; id < topology.cpus; id++) {
		struct cpu *cpu = &cpus[id];
		char name[32];

		cpu->id = id;
		cpu->owner = id + 1;
		cpu->resume = id;
		cpu->place = topology.place[id % topology.cores];
		cpu->waiter = &waiters[id * per_cpu];
		snprintf(name, sizeof(name), "jitter of CPU %d", id);
		random_init(&cpu->jitter, model.random_seed, name);
		watch_cpu(cpu);
	}
	executing = &boot_coroutine;
}

void
cpu_shutdown(void)
{
	model_unmap(waiters, topology.cpus * waiters_per_cpu() * sizeof(*waiters));
	model_unmap(cpus, topology.cpus * sizeof(*cpus));
	free(core_busy);
	waiters = NULL;
	cpus = NULL;
	core_busy = NULL;
	running_cpu = NULL;
}

static void
enter(struct coroutine *to)
{
	struct coroutine *from = executing;

	if (from == to)
		return;
	executing = to;
	coroutine_switch(from, to);
}

static void
enter_boot(void)
{
	running_cpu = NULL;
	modelled_size = 0;
	runtime_current = boot_runtime_task.task;
	enter(&boot_coroutine);
}

/* Context: the CPU is idle and its queue is not empty. */
static void
take_task(struct cpu *cpu)
{
	struct runtime_task *task = cpu->queue_head;

	cpu->queue_head = task->next;
	cpu->resuming = false;
	task->next = NULL;
	task->state = RUN_CURRENT;
	cpu->current = task;
	if (cpu->last && cpu->last != task)
		count_event(EVENT_CONTEXT_SWITCH);
}

void
cpu_run(struct cpu *cpu)
{
	if (!cpu->current)
		take_task(cpu);
	running_cpu = cpu;
	runtime_current = cpu->current->task;
	enter(&cpu->current->coroutine);
}

/* Run @next. NULL: what happened last may have ended boot code's wait; else nobody can run. */
static void
run_or_boot(struct cpu *next)
{
	if (likely(next))
		cpu_run(next);
	else if (boot_waits_for())
		enter_boot();
	else
		cpu_deadlock();
}

static void
run_next(void)
{
	run_or_boot(boot_waits_for() ? NULL : scheduler->next());
}

void
cpu_wait(void)
{
	run_or_boot(scheduler->next());
}

static void
queue_task(struct cpu *cpu, struct runtime_task *task)
{
	task->state = RUN_QUEUED;
	task->next = NULL;
	if (cpu->queue_head)
		cpu->queue_tail->next = task;
	else
		cpu->queue_head = task;
	cpu->queue_tail = task;
}

void
cpu_enqueue(struct cpu *cpu, struct runtime_task *task, u64 time)
{
	queue_task(cpu, task);
	if (cpu->state != CPU_IDLE || cpu->resuming)
		return;
	cpu->resuming = true;
	scheduler->ready(cpu, max(time, cpu->idle_at));
}

void
cpu_deschedule(enum run_state state)
{
	struct cpu *cpu = running_cpu;
	struct runtime_task *task = cpu->current;

	cpu->last = task;
	cpu->current = NULL;
	task->state = state;
	if (state == RUN_QUEUED)
		queue_task(cpu, task);
	grace_quiescent(cpu);
	if (cpu->queue_head) {
		cpu->now += model.spec.cost_ps[COST_switch];
		if (!boot_waits_for()) {
			cpu_run(cpu);
			return;
		}
		cpu->resuming = true;
		scheduler->ready(cpu, cpu->now);
	}
	cpu->idle_at = cpu->now + model.spec.cost_ps[COST_idle_enter];
	cpu_set_waiting(cpu, CPU_IDLE);
	run_next();
}

void
cpu_run_until(bool (*done)(void))
{
	boot_waits_for = done;
	while (!done()) {
		struct cpu *next = scheduler->next();

		if (!next && done())
			break;
		if (!next)
			cpu_deadlock();
		modelled_size = arena_range.size;
		cpu_run(next);
	}
	boot_waits_for = NULL;
	for (int id = 0; id < topology.cpus; id++)
		model.clock = max(model.clock, cpus[id].now);
}

/* --- nobody can run ----------------------------------------------------- */

static void
describe_line(char *text, size_t size, const char *doing, u64 number)
{
	const char *address = arena_range.base + (number << LINE_SHIFT);
	struct object_name object;

	if (name_of(address, &object) && object.start)
		snprintf(text, size, "%s %s +%td", doing, object.name,
			 address - (const char *)object.start);
	else
		snprintf(text, size, "%s arena +%#llx", doing,
			 (unsigned long long)(number << LINE_SHIFT));
}

static void
describe_wait(const struct runtime_task *task, char *text, size_t size)
{
	const struct cpu *cpu = cpu_of(task);

	if (task->state != RUN_CURRENT)
		snprintf(text, size, "%s", task->state == RUN_BLOCKED ? "sleeps" : "is queued");
	else if (cpu->state == CPU_PARKED)
		describe_line(text, size, "spins on", cpu->parked_line);
	else
		snprintf(text, size, "waits for a line");
}

/* Context: nothing is ready. Kernel threads may sleep for ever; they are not listed. */
void
cpu_deadlock(void)
{
	char list[1024] = "";
	size_t used = 0;
	int more = 0;

	for (struct runtime_task *task = tasks_first(); task; task = task->all_next) {
		char wait[192];

		if (task->kernel_thread || task->state == RUN_DEAD || task->state == RUN_NEW)
			continue;
		describe_wait(task, wait, sizeof(wait));
		if (used + sizeof(wait) + 64 > sizeof(list)) {
			more++;
			continue;
		}
		used += snprintf(list + used, sizeof(list) - used, "; %s (pid %d, CPU %d) %s",
				 task->task->comm, task->task->pid, task->task->cpu, wait);
	}
	if (more)
		snprintf(list + used, sizeof(list) - used, "; and %d more", more);
	runtime_panic(VERDICT_DEADLOCK, NULL, NULL, "deadlock: nobody can run%s", list);
}
