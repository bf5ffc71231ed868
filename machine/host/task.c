/*
 * task.c - tasks as pthreads, each on a CPU slot of its own
 *
 * Slots: 0 .. tasks - 1 are the places of the initial tasks, the next
 * HOST_KTHREADS are for kernel threads, and the last one is the boot task's.
 * A slot belongs to one task from its making until it returns, so per-CPU data
 * has one user at a time although cores may have several.
 *
 * A thread is made together with its task and waits to be started. The boot
 * thread is an RCU reader while it boots or shuts down, and none while it may
 * be idle: from the first start until runtime_join() returns.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/host/host.h"
#include "machine/percpu.h"
#include "machine/shared/arena_map.h"

_Thread_local struct task *runtime_current;
_Thread_local char *runtime_this_cpu_base;
_Thread_local int runtime_this_node;
_Thread_local unsigned int runtime_rcu_nesting;
_Thread_local u64 runtime_events[EVENT_MAX];

static struct task boot_task;
static struct runtime_task boot_runtime_task;

static bool boot_rests;	/* the boot thread is no reader at present; boot thread only */

/* The calling thread is @task from now on. */
static void
become(struct task *task)
{
	runtime_current = task;
	runtime_this_cpu_base = runtime_percpu_base[task->cpu];
	runtime_this_node = cpu_to_node(task->cpu);
}

/* Context: any; does nothing on another thread. */
static void
boot_thread_rests(bool rests)
{
	if (current != &boot_task || boot_rests == rests)
		return;
	boot_rests = rests;
	if (rests)
		rcu_offline();
	else
		rcu_online();
}

int
cpu_to_node(int cpu)
{
	return host.slot_node[cpu];
}

int
runtime_place(int index)
{
	return index >= 0 && index < host.tasks ? index : -1;
}

/* Context: host.lock held. Return: the slot, or -1 if there is none. */
static int
take_slot_locked(int wanted, bool kernel_thread)
{
	int first = kernel_thread ? host.tasks : wanted;
	int last = kernel_thread ? host.tasks + HOST_KTHREADS - 1 : wanted;

	for (int slot = first; slot <= last; slot++) {
		if (host.slot_taken[slot])
			continue;
		host.slot_taken[slot] = true;
		return slot;
	}
	return -1;
}

static void
give_slot(int slot)
{
	pthread_mutex_lock(&host.lock);
	host.slot_taken[slot] = false;
	pthread_mutex_unlock(&host.lock);
}

/* The thread's counters can be read by others from now on, or no longer. */
static void
show_events(struct runtime_task *self, bool show)
{
	pthread_mutex_lock(&host.lock);
	self->events = show ? runtime_events : NULL;
	for (int i = 0; i < EVENT_MAX && !show; i++)
		host.events[i] += runtime_events[i];
	pthread_mutex_unlock(&host.lock);
}

/* The task has returned: its slot is free, and join may go on. */
static void
task_ends(struct runtime_task *self)
{
	WRITE_ONCE(self->task->state, TASK_DEAD);
	show_events(self, false);
	pthread_mutex_lock(&host.lock);
	host.slot_taken[self->task->cpu] = false;
	if (!self->kernel_thread && !--host.live_tasks)
		pthread_cond_signal(&host.idle);
	pthread_mutex_unlock(&host.lock);
}

static void *
thread_main(void *arg)
{
	struct runtime_task *self = arg;

	become(self->task);
	block_until_woken(self);
	if (!self->started)
		return NULL;
	show_events(self, true);
	rcu_register();
	self->fn(self->arg);
	BUG_ON(runtime_rcu_nesting, "task %d ends inside rcu_read_lock()", self->task->pid);
	rcu_unregister();
	task_ends(self);
	return NULL;
}

/* Make the thread, pinned to the core under @core_slot. Return: false without resources. */
static bool
make_thread(struct runtime_task *self, int core_slot)
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, self->stack, HOST_STACK_BYTES);
	topology_pin(&attributes, core_slot);
	error = pthread_create(&self->thread, &attributes, thread_main, self);
	pthread_attr_destroy(&attributes);
	return !error;
}

static void
free_task(struct runtime_task *self)
{
	if (self->stack)
		arena_stack_free(self->stack, HOST_STACK_BYTES, cpu_to_node(self->task->cpu));
	if (self->task)
		arena_free(self->task, sizeof(*self->task));
	free(self);
}

/* Return: a task on @slot without a thread, or NULL without memory. */
static struct runtime_task *
make_task(void (*fn)(void *arg), void *arg, int slot, const char *comm)
{
	struct runtime_task *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->fn = fn;
	self->arg = arg;
	self->task = arena_alloc(sizeof(*self->task), CACHE_LINE, cpu_to_node(slot));
	if (self->task) {
		memset(self->task, 0, sizeof(*self->task));
		self->task->cpu = slot;
		self->task->runtime = self;
		self->task->comm = comm;
		self->stack = arena_stack_alloc(HOST_STACK_BYTES, cpu_to_node(slot));
	}
	if (self->stack)
		return self;
	free_task(self);
	return NULL;
}

static struct task *
create(void (*fn)(void *arg), void *arg, int cpu, const char *comm, bool kernel_thread)
{
	struct runtime_task *self;
	int slot;

	pthread_mutex_lock(&host.lock);
	slot = take_slot_locked(cpu, kernel_thread);
	pthread_mutex_unlock(&host.lock);
	if (slot < 0)
		return NULL;
	self = make_task(fn, arg, slot, comm);
	if (!self || !make_thread(self, cpu < 0 ? slot : cpu)) {
		if (self)
			free_task(self);
		give_slot(slot);
		return NULL;
	}
	self->kernel_thread = kernel_thread;
	pthread_mutex_lock(&host.lock);
	self->task->pid = host.next_pid++;
	list_add_tail(&self->entry, &host.all_tasks);
	pthread_mutex_unlock(&host.lock);
	return self->task;
}

struct task *
runtime_task_create(void (*fn)(void *arg), void *arg, int cpu, const char *comm)
{
	if (cpu < 0 || cpu >= nr_cpu_ids)
		return NULL;
	return create(fn, arg, cpu, comm, false);
}

void
runtime_task_start(struct task *task)
{
	struct runtime_task *self = task->runtime;

	if (!self->kernel_thread) {
		pthread_mutex_lock(&host.lock);
		host.live_tasks++;
		pthread_mutex_unlock(&host.lock);
		boot_thread_rests(true);
	}
	self->started = true;
	wake(self);
}

struct task *
kthread_run(void (*fn)(void *arg), void *arg, int cpu, const char *comm)
{
	struct task *task = create(fn, arg, cpu, comm, true);

	if (task)
		runtime_task_start(task);
	return task;
}

static void
join_thread(struct runtime_task *self)
{
	if (!self->joined)
		pthread_join(self->thread, NULL);
	self->joined = true;
}

void
runtime_join(void)
{
	struct runtime_task *self;

	pthread_mutex_lock(&host.lock);
	while (host.live_tasks)
		pthread_cond_wait(&host.idle, &host.lock);
	pthread_mutex_unlock(&host.lock);
	list_for_each_entry (self, &host.all_tasks, entry)
		if (self->started && !self->kernel_thread)
			join_thread(self);
	boot_thread_rests(false);
}

void
runtime_task_destroy(struct task *task)
{
	struct runtime_task *self = task->runtime;

	if (!self->started) {
		wake(self);
		give_slot(task->cpu);
	}
	join_thread(self);
	pthread_mutex_lock(&host.lock);
	list_del(&self->entry);
	pthread_mutex_unlock(&host.lock);
	free_task(self);
}

void
tasks_boot(void)
{
	host.live_tasks = 0;
	host.next_pid = 1;
	memset(host.events, 0, sizeof(host.events));
	memset(runtime_events, 0, sizeof(runtime_events));
	INIT_LIST_HEAD(&host.all_tasks);
	boot_task = (struct task){
		.cpu = nr_cpu_ids - 1,
		.runtime = &boot_runtime_task,
		.comm = "boot",
	};
	boot_runtime_task = (struct runtime_task){ .task = &boot_task };
	become(&boot_task);
	boot_rests = true;
	rcu_register();
	rcu_offline();
	boot_thread_rests(false);
}

void
tasks_shutdown(void)
{
	struct runtime_task *self;
	struct runtime_task *next;

	boot_thread_rests(true);
	list_for_each_entry_safe (self, next, &host.all_tasks, entry) {
		BUG_ON(!self->kernel_thread, "task %d '%s' was not destroyed", self->task->pid,
		       self->task->comm);
		runtime_task_destroy(self->task);
	}
	rcu_online();
	rcu_unregister();
	runtime_current = NULL;
	runtime_this_cpu_base = NULL;
}
