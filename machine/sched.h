/*
 * sched.h - sleeping and waking
 *
 * The only way to sleep, on both kinds:
 *
 *	for (;;) {
 *		set_current_state(TASK_UNINTERRUPTIBLE);
 *		if (condition)
 *			break;
 *		schedule();
 *	}
 *	__set_current_state(TASK_RUNNING);
 *
 * A wake-up between the store of the state and schedule() makes schedule()
 * return at once. schedule() may also return for no reason (a wake-up that was
 * meant for an earlier wait), so the condition is always tested again.
 */
#ifndef MACHINE_SCHED_H
#define MACHINE_SCHED_H

#include "machine/rcu.h"
#include "machine/task.h"

/*
 * Announce that the task is about to sleep. The full barrier pairs with the one
 * in wake_up_process(): either the waker sees the state, or the sleeper sees
 * the condition.
 */
static __always_inline void
set_current_state(unsigned int state)
{
	(void)xchg(&current->state, state);
}

static __always_inline void
__set_current_state(unsigned int state)
{
	WRITE_ONCE(current->state, state);
}

/*
 * Give up the CPU until somebody wakes the task, or not at all if its state is
 * TASK_RUNNING. Quiescent state of RCU.
 * Context: task, no spinlock held, outside rcu_read_lock(); sleeps.
 */
void schedule(void);

/*
 * Make @task runnable if it sleeps. Full barrier before its state is read.
 * Context: any; never sleeps; the caller keeps @task alive.
 * Return: true if this call woke it.
 */
bool wake_up_process(struct task *task);

/* Let the next task of this CPU run, if there is one; on the host kind there never is. */
#ifdef MACHINE_VIRTUAL
void runtime_yield(void);
#else
static __always_inline void
runtime_yield(void)
{
}
#endif

/*
 * Let others run on this CPU, if there are any; quiescent state of RCU. Every
 * system call ends with it: kernel threads of a busy CPU run at no other time.
 * Context: as schedule().
 */
static __always_inline void
cond_resched(void)
{
	rcu_quiescent_state();
	runtime_yield();
}

#endif
