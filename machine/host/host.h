/*
 * host.h - what the files of the host kind share
 */
#ifndef MACHINE_HOST_HOST_H
#define MACHINE_HOST_HOST_H

#include <pthread.h>

#include "machine/event.h"
#include "machine/list.h"
#include "machine/runtime.h"

#define HOST_KTHREADS 16	/* slots for kernel threads */

/* Stack of each task. Sanitizers' frames are several times larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HOST_STACK_BYTES (1ul << 20)
#else
#define HOST_STACK_BYTES (256ul << 10)
#endif

/* A pthread behind a task. Owner: who writes it after the thread has started. */
struct runtime_task {
	struct task *task;		/* in the arena */
	pthread_t thread;
	u32 wakeup;			/* enum wakeup; futex word; see block.c */
	bool sleeps;			/* or waits for a grace period; the thread itself */
	void (*fn)(void *arg);
	void *arg;
	void *stack;			/* NULL: the boot task */
	bool kernel_thread;
	bool started;			/* its creator */
	bool joined;			/* the thread is gone; boot code */
	u64 *events;			/* its runtime_events while it lives; under host.lock */
	struct list_head entry;		/* in host.all_tasks; under host.lock */
};

struct host {
	/* constant after boot */
	u64 seed;			/* this and the next: for messages */
	int stream;
	int tasks;			/* slots 0 .. tasks - 1 are the initial tasks' places */
	u64 boot_ns;			/* runtime_clock_ps() counts from here */
	int *slot_node;			/* by slot */

	pthread_mutex_t lock;
	pthread_cond_t idle;		/* live_tasks fell to 0 */
	int live_tasks;			/* started and not returned, kernel threads apart */
	int next_pid;
	bool *slot_taken;		/* by slot */
	struct list_head all_tasks;	/* struct runtime_task, but for the boot task */
	u64 events[EVENT_MAX];		/* of tasks that have ended */
};

extern struct host host;

/* topology.c: cores and nodes of this computer. Return: 0 or -errno. */
int topology_boot(void);
void topology_shutdown(void);
int topology_nodes(void);

/* Let a thread with @attributes run on @slot's core only. */
void topology_pin(pthread_attr_t *attributes, int slot);
int topology_node(int slot);
void topology_bind(void *start, size_t size, int node);

/* task.c */
void tasks_boot(void);

/* Wait for the kernel threads, which have been told to end, and free what is left. */
void tasks_shutdown(void);

/* clock.c */
void clock_boot(void);

/*
 * block.c: sleep and wake-up of one thread. Return of the first: false if the
 * wake-up had come before.
 */
bool block_until_woken(struct runtime_task *self);
void wake(struct runtime_task *task);

/* rcu.c: the calling thread becomes a reader, or stops being one. */
void rcu_register(void);
void rcu_unregister(void);
void rcu_online(void);

/* Return: false if the thread was offline already. */
bool rcu_offline(void);

/* As in machine/rcu.h, which cannot stand beside liburcu's headers. */
extern _Thread_local unsigned int runtime_rcu_nesting;
extern atomic_t runtime_rcu_waiting;
void runtime_rcu_report(void);

#endif
