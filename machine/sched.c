/*
 * sched.c - sleeping and waking, over the runtime's block and unblock
 *
 * Models the part of kernel/sched/core.c that decides whether a task sleeps;
 * run queues belong to the runtime.
 *
 *   T1 sleeps                       T2 wakes
 *   state = UNINTERRUPTIBLE (full)  condition = true
 *   load condition                  old = xchg(state, RUNNING) (full)
 *   schedule():                     if old was not RUNNING: unblock T1
 *     while state is not RUNNING
 *       block
 *
 * If T1 missed the condition, its exchange came before T2's, so T2 sees it and
 * unblocks T1. An unblock whose T1 never blocked stays pending in the runtime
 * and ends some later block early; the loop in schedule() swallows it.
 */
#include "machine/sched.h"

#include "machine/runtime.h"

void
schedule(void)
{
	/* Acquire: pairs with the exchange in wake_up_process(). */
	if (smp_load_acquire(&current->state) == TASK_RUNNING) {
		rcu_quiescent_state();
		return;
	}
	do
		runtime_block();
	while (smp_load_acquire(&current->state) != TASK_RUNNING);
}

bool
wake_up_process(struct task *task)
{
	if (xchg(&task->state, TASK_RUNNING) == TASK_RUNNING)
		return false;
	runtime_unblock(task);
	return true;
}
