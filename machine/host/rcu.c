/*
 * rcu.c - grace periods by liburcu's qsbr flavour
 *
 * Every task is a registered thread. It is online while it runs and offline in
 * every sleep, so a grace period waits for running tasks only, and for each of
 * them until its next system-call exit.
 *
 * ThreadSanitizer does not see into liburcu, so it is told: what came before a
 * quiescent state comes before the end of a grace period that waited for it,
 * and what came before a grace period comes before what follows a quiescent
 * state inside it.
 */
#include <urcu/urcu-qsbr.h>

/* Our own, from here on. */
#undef rcu_dereference
#undef rcu_assign_pointer

#include "machine/bug.h"
#include "machine/host/host.h"

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#else
#define __tsan_acquire(address) ((void)(address))
#define __tsan_release(address) ((void)(address))
#endif

/* Addresses for ThreadSanitizer; never accessed. */
static char quiescent_states;
static char grace_periods;

atomic_t runtime_rcu_waiting ____cacheline_aligned;

void
rcu_register(void)
{
	urcu_qsbr_register_thread();
}

void
rcu_unregister(void)
{
	__tsan_release(&quiescent_states);
	urcu_qsbr_unregister_thread();
}

bool
rcu_offline(void)
{
	bool online = urcu_qsbr_read_ongoing();

	__tsan_release(&quiescent_states);
	urcu_qsbr_thread_offline();
	return online;
}

void
rcu_online(void)
{
	urcu_qsbr_thread_online();
	__tsan_acquire(&grace_periods);
}

void
runtime_rcu_report(void)
{
	__tsan_release(&quiescent_states);
	urcu_qsbr_quiescent_state();
	__tsan_acquire(&grace_periods);
}

void
runtime_rcu_synchronize(void)
{
	BUG_ON(runtime_rcu_nesting, "synchronize_rcu() inside rcu_read_lock()");
	__tsan_release(&grace_periods);
	/* Or somebody might spin until this task, which waits for him, has left. */
	WRITE_ONCE(current->runtime->sleeps, true);
	atomic_inc(&runtime_rcu_waiting);
	urcu_qsbr_synchronize_rcu();
	atomic_dec(&runtime_rcu_waiting);
	WRITE_ONCE(current->runtime->sleeps, false);
	__tsan_acquire(&quiescent_states);
}

/* They never last longer. */
void
runtime_rcu_expedite(void)
{
}

/* One task runs all callbacks, on a slot of its own; its list is in slot 0's area. */
int
runtime_rcu_callback_cpu(int cpu)
{
	return 0;
}
