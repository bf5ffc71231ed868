/*
 * rcu.c - callbacks after a grace period
 *
 * Models the interface of kernel/rcu/tree.c; grace periods themselves belong to
 * the runtime. call_rcu() pushes onto a list that a callback task takes whole,
 * waits a grace period for, and works off in the order of queueing.
 *
 *   call_rcu()                          callback task
 *   push onto callbacks (release)       set_current_state() (full)
 *   if the list was empty:              load callbacks
 *     wake_up_process() (full)          if it is empty: schedule()
 *
 * Where each CPU has a callback task of its own, it is made by the CPU's first
 * callback: most CPUs of a large machine never queue one.
 *
 * Differences from Linux: a task runs the callbacks, never a softirq, and all of
 * a grace period where Linux stops after each ten to look for other work; no
 * segments, so a callback may wait for the rest of one grace period more.
 */
#include "machine/rcu.h"

#include <errno.h>

#include "machine/bug.h"
#include "machine/machine.h"
#include "machine/runtime.h"

struct rcu_data {
	struct rcu_head *callbacks;	/* newest first; pushed by cmpxchg, taken by xchg */
	struct task *worker;		/* NULL: another CPU's serves this one, or not made yet;
					   set once, by its CPU (release); others acquire */
	u32 queued;			/* since the list was taken; a hint: those who share it
					   (host) may miss one another's */
	bool stop;			/* end when the list is empty; set once, at shutdown */
	struct rcu_head barrier_head;	/* for rcu_barrier(); under barrier_mutex */
};

static struct rcu_state *
rcu(void)
{
	return &kernel.machine->rcu;
}

static struct rcu_data *
rcu_data_of(int cpu)
{
	return per_cpu_ptr(rcu()->data, cpu);
}

static void
queue_callback(struct rcu_data *data, struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	struct rcu_head *newest = READ_ONCE(data->callbacks);

	head->func = func;
	do {
		head->next = newest;
	} while (!try_cmpxchg_release(&data->callbacks, &newest, head));
	if (!newest)
		wake_up_process(data->worker);
}

/* More than that, and their memory counts for more than the batch's size. */
static void
count_callback(struct rcu_data *data)
{
	u32 queued = READ_ONCE(data->queued) + 1;

	WRITE_ONCE(data->queued, queued);
	if (unlikely(queued % RCU_QHIMARK == 0))
		runtime_rcu_expedite();
}

static struct rcu_head *
take_callbacks(struct rcu_data *data)
{
	WRITE_ONCE(data->queued, 0);
	return xchg(&data->callbacks, NULL);
}

static struct rcu_head *
oldest_first(struct rcu_head *head)
{
	struct rcu_head *reversed = NULL;

	while (head) {
		struct rcu_head *next = head->next;

		head->next = reversed;
		reversed = head;
		head = next;
	}
	return reversed;
}

static void
run_callbacks(struct rcu_head *head)
{
	while (head) {
		struct rcu_head *next = head->next;

		head->func(head);
		rcu_quiescent_state();
		head = next;
	}
}

/* Return: false when there is nothing more to do, ever. */
static bool
wait_for_callbacks(struct rcu_data *data)
{
	bool stop;

	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		/* Before the list: what was queued before the order to stop is seen. */
		stop = smp_load_acquire(&data->stop);
		if (READ_ONCE(data->callbacks) || stop)
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return READ_ONCE(data->callbacks);
}

/* Under the queue's lock, so that rcu_shutdown() can tell that this was the last access. */
static void
worker_ends(void)
{
	struct wait_queue_head *done = &rcu()->done;

	spin_lock(&done->lock);
	if (atomic_dec_and_test(&rcu()->workers))
		__wake_up_locked(done, 0, NULL);
	spin_unlock(&done->lock);
}

static void
callback_task(void *arg)
{
	struct rcu_data *data = arg;

	while (wait_for_callbacks(data)) {
		struct rcu_head *taken = take_callbacks(data);

		runtime_rcu_synchronize();
		run_callbacks(oldest_first(taken));
	}
	worker_ends();
}

/* Context: boot, or a task of @cpu, whose callbacks nobody else queues. Return: 0 or -ENOMEM. */
static int
start_worker(int cpu)
{
	struct rcu_data *data = rcu_data_of(cpu);
	struct task *worker;

	atomic_inc(&rcu()->workers);
	worker = kthread_run(callback_task, data, cpu, "rcu");
	if (!worker) {
		atomic_dec(&rcu()->workers);
		return -ENOMEM;
	}
	/* Pairs with the acquire in rcu_barrier() and rcu_shutdown(), on other CPUs. */
	smp_store_release(&data->worker, worker);
	return 0;
}

void
call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	int cpu = runtime_rcu_callback_cpu(smp_processor_id());
	struct rcu_data *data = rcu_data_of(cpu);

	if (!data->worker && start_worker(cpu))
		BUG("no memory for the callback task of CPU %d", cpu);
	queue_callback(data, head, func);
	count_callback(data);
}

void
synchronize_rcu(void)
{
	runtime_rcu_synchronize();
}

static void
barrier_callback(struct rcu_head *head)
{
	if (atomic_dec_and_test(&rcu()->barrier_pending))
		wake_up_all(&rcu()->done);
}

void
rcu_barrier(void)
{
	struct rcu_state *state = rcu();
	int cpu;

	mutex_lock(&state->barrier_mutex);
	atomic_set(&state->barrier_pending, 1);
	for_each_cpu (cpu) {
		struct rcu_data *data = rcu_data_of(cpu);

		if (!smp_load_acquire(&data->worker))
			continue;
		atomic_inc(&state->barrier_pending);
		queue_callback(data, &data->barrier_head, barrier_callback);
	}
	if (!atomic_dec_and_test(&state->barrier_pending))
		wait_event(&state->done, !atomic_read_acquire(&state->barrier_pending));
	mutex_unlock(&state->barrier_mutex);
}

int
rcu_boot(struct rcu_state *state)
{
	state->data = alloc_percpu("rcu_data", sizeof(struct rcu_data), CACHE_LINE);
	mutex_init(&state->barrier_mutex);
	init_waitqueue_head(&state->done);
	atomic_set(&state->workers, 0);
	/* The one task that may serve several CPUs must be there before they run. */
	return start_worker(runtime_rcu_callback_cpu(0));
}

void
rcu_shutdown(struct rcu_state *state)
{
	int cpu;

	for_each_cpu (cpu) {
		struct rcu_data *data = rcu_data_of(cpu);

		if (!smp_load_acquire(&data->worker))
			continue;
		smp_store_release(&data->stop, true);
		wake_up_process(data->worker);
	}
	wait_event(&state->done, !atomic_read_acquire(&state->workers));
	spin_lock(&state->done.lock);
	spin_unlock(&state->done.lock);
}
