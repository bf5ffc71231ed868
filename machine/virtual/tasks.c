/*
 * tasks.c - making, starting, ending and waiting for tasks
 */
#include "machine/virtual/tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/arena.h"
#include "machine/runtime.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/interrupt.h"
#include "machine/virtual/race.h"

/* The model runs on the task's stack too, and formats messages there. */
#define STACK_BYTES (64 << 10)

struct task *runtime_current;
struct runtime_task boot_runtime_task;

static struct task boot_task;
static struct runtime_task *all_first;
static struct runtime_task **all_end;
static int next_pid;
static int unfinished;		/* started, not kernel threads, not returned */

void
tasks_boot(void)
{
	boot_task = (struct task){ .comm = "boot", .runtime = &boot_runtime_task };
	boot_runtime_task = (struct runtime_task){ .task = &boot_task, .state = RUN_CURRENT };
	runtime_current = &boot_task;
	all_first = NULL;
	all_end = &all_first;
	next_pid = 1;
	unfinished = 0;
}

struct runtime_task *
tasks_first(void)
{
	return all_first;
}

static bool
name_task(const struct runtime_task *runtime, const char *address, struct object_name *name)
{
	const char *start = (const char *)runtime->task;

	if ((size_t)(address - start) < sizeof(*runtime->task)) {
		snprintf(name->name, sizeof(name->name), "task %d", runtime->task->pid);
		name->type = "task";
	} else if ((size_t)(address - (const char *)runtime->stack) < STACK_BYTES) {
		start = runtime->stack;
		snprintf(name->name, sizeof(name->name), "stack of task %d", runtime->task->pid);
		name->type = NULL;
	} else {
		return false;
	}
	name->start = start;
	return true;
}

bool
tasks_name(const void *address, struct object_name *name)
{
	for (struct runtime_task *task = all_first; task; task = task->all_next)
		if (name_task(task, address, name))
			return true;
	return false;
}

static void
forget(struct runtime_task *runtime)
{
	struct runtime_task **link = &all_first;

	while (*link != runtime)
		link = &(*link)->all_next;
	*link = runtime->all_next;
	if (all_end == &runtime->all_next)
		all_end = link;
}

void
runtime_task_destroy(struct task *task)
{
	struct runtime_task *runtime = task->runtime;

	forget(runtime);
	for (int cpu = 0; cpu < topology.cpus; cpu++)
		if (cpus[cpu].last == runtime)
			cpus[cpu].last = NULL;
	arena_stack_free(runtime->stack, STACK_BYTES, cpu_to_node(task->cpu));
	arena_free(task, sizeof(*task));
	free(runtime);
}

/* A kernel thread cannot free the stack it ends on. */
static void
reap_kernel_threads(void)
{
	struct runtime_task *task = all_first;

	while (task) {
		struct runtime_task *next = task->all_next;

		if (task->kernel_thread && task->state == RUN_DEAD)
			runtime_task_destroy(task->task);
		task = next;
	}
}

void
tasks_shutdown(void)
{
	while (all_first)
		runtime_task_destroy(all_first->task);
	runtime_current = NULL;
}

static noinline void
task_end(struct runtime_task *runtime)
{
	BUG_ON(runtime->rcu_nesting, "%s ends inside rcu_read_lock", runtime->task->comm);
	interrupt_settle(running_cpu);
	runtime->task->state = TASK_DEAD;
	if (!runtime->kernel_thread)
		unfinished--;
	cpu_deschedule(RUN_DEAD);
}

/* Nothing else in here: on which lines a task's variables lie depends on the size of this frame. */
static void
task_main(void *arg)
{
	struct runtime_task *runtime = arg;

	runtime->fn(runtime->arg);
	task_end(runtime);
}

/*
 * Where in its first page a stack begins. Stacks lie whole pages apart, and if all
 * began at the same place, tasks would push each other out of the host's cache.
 * Even, so that a pair of lines stays one.
 */
static size_t
stack_colour(int pid)
{
	return pid % 16 * 4 * CACHE_LINE;
}

struct task *
runtime_task_create(void (*fn)(void *arg), void *arg, int cpu, const char *comm)
{
	struct runtime_task *runtime;
	struct task *task;
	void *stack;

	if (cpu < 0 || cpu >= topology.cpus)
		return NULL;
	task = __arena_alloc(sizeof(*task), CACHE_LINE, cpu_to_node(cpu));
	stack = arena_stack_alloc(STACK_BYTES, cpu_to_node(cpu));
	if (!task || !stack) {
		if (task)
			arena_free(task, sizeof(*task));
		return NULL;
	}
	if (model.races)
		race_forget(arena_offset(stack), STACK_BYTES);
	runtime = model_calloc(1, sizeof(*runtime));
	runtime->task = task;
	runtime->fn = fn;
	runtime->arg = arg;
	runtime->stack = stack;
	*task = (struct task){ .pid = next_pid++, .cpu = cpu, .runtime = runtime, .comm = comm };
	coroutine_init(&runtime->coroutine, stack, STACK_BYTES - stack_colour(task->pid),
		       task_main, runtime);
	*all_end = runtime;
	all_end = &runtime->all_next;
	return task;
}

void
runtime_task_start(struct task *task)
{
	struct runtime_task *runtime = task->runtime;
	u64 now = model.clock;

	if (running_cpu) {
		scheduler->order(running_cpu);
		running_cpu->now += model.spec.cost_ps[COST_wake];
		now = running_cpu->now + model.spec.cost_ps[COST_wake_latency];
		if (model.races)
			race_edge(running_cpu->id, task->cpu);
	} else if (model.races) {
		/* Boot code comes after everything that it has waited for in runtime_join(). */
		for (int cpu = 0; cpu < topology.cpus; cpu++)
			race_edge(cpu, task->cpu);
	}
	if (!runtime->kernel_thread)
		unfinished++;
	cpu_enqueue(cpu_of(runtime), runtime, now);
}

/* The CPU with the fewest tasks; the last of equals, where initial tasks come last. */
static int
emptiest_cpu(void)
{
	u32 *load = model_calloc(topology.cpus, sizeof(*load));
	int best = 0;

	for (struct runtime_task *task = all_first; task; task = task->all_next)
		load[task->task->cpu] += task->state != RUN_DEAD;
	for (int cpu = 0; cpu < topology.cpus; cpu++)
		if (load[cpu] <= load[best])
			best = cpu;
	free(load);
	return best;
}

struct task *
kthread_run(void (*fn)(void *arg), void *arg, int cpu, const char *comm)
{
	struct task *task = runtime_task_create(fn, arg, cpu < 0 ? emptiest_cpu() : cpu, comm);

	if (!task)
		return NULL;
	task->runtime->kernel_thread = true;
	runtime_task_start(task);
	return task;
}

static bool
all_finished(void)
{
	return !unfinished;
}

void
runtime_join(void)
{
	cpu_run_until(all_finished);
	reap_kernel_threads();
}
