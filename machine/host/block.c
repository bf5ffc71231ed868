/*
 * block.c - sleeping on a futex, one per task
 *
 *   WAKEUP_NONE -> WAKEUP_AWAITED   the sleeper, about to ask the kernel
 *   any         -> WAKEUP_PENDING   the waker; a system call only if it was AWAITED
 *   PENDING     -> WAKEUP_NONE      the sleeper, on its way out
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/host/host.h"
#include "machine/rcu.h"

enum wakeup { WAKEUP_NONE, WAKEUP_AWAITED, WAKEUP_PENDING };

static void
futex(u32 *word, int operation, u32 value)
{
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

bool
block_until_woken(struct runtime_task *self)
{
	u32 seen = WAKEUP_NONE;
	bool awaits = try_cmpxchg(&self->wakeup, &seen, WAKEUP_AWAITED);

	/* A signal, or a word that has changed already, ends the call too. */
	while (awaits && smp_load_acquire(&self->wakeup) == WAKEUP_AWAITED)
		futex(&self->wakeup, FUTEX_WAIT, WAKEUP_AWAITED);
	(void)xchg(&self->wakeup, WAKEUP_NONE);
	return awaits;
}

void
wake(struct runtime_task *task)
{
	if (xchg(&task->wakeup, WAKEUP_PENDING) == WAKEUP_AWAITED)
		futex(&task->wakeup, FUTEX_WAKE, 1);
}

void
runtime_block(void)
{
	bool reader;

	BUG_ON(runtime_rcu_nesting, "task %d sleeps inside rcu_read_lock()", current->pid);
	reader = rcu_offline();
	WRITE_ONCE(current->runtime->sleeps, true);
	if (block_until_woken(current->runtime))
		count_event(EVENT_SLEEP);
	WRITE_ONCE(current->runtime->sleeps, false);
	if (reader)
		rcu_online();
}

/* Whether its thread has one is known to nobody: it does, most of the time. */
bool
runtime_on_cpu(const struct task *task)
{
	return !READ_ONCE(task->runtime->sleeps);
}

void
runtime_unblock(struct task *task)
{
	wake(task->runtime);
}
