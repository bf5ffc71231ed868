/*
 * rcu.h - read-copy update
 *
 * Readers write nothing. A grace period ends once every CPU has left a system
 * call, slept or idled since it began and, on the virtual kind, no sooner than
 * the machine file's `grace_period`.
 *
 * Context: rcu_read_lock() any, nests; the reader must not sleep (a BUG).
 */
#ifndef MACHINE_RCU_H
#define MACHINE_RCU_H

#include "machine/atomic.h"
#include "machine/bug.h"

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

/* The machine kind counts nesting, to notice a reader that sleeps. */
#ifdef MACHINE_VIRTUAL
void runtime_rcu_read_lock(void);
void runtime_rcu_read_unlock(void);
void runtime_rcu_quiescent_state(void);
#else
extern _Thread_local unsigned int runtime_rcu_nesting;
extern atomic_t runtime_rcu_waiting;	/* who waits for a grace period; hardly ever written */
void runtime_rcu_report(void);

static __always_inline void
runtime_rcu_read_lock(void)
{
	runtime_rcu_nesting++;
	barrier();
}

static __always_inline void
runtime_rcu_read_unlock(void)
{
	barrier();
	runtime_rcu_nesting--;
}

/*
 * Every system call ends here. While nobody waits, nothing need be said: whoever
 * begins to wait later waits for this thread's next time.
 */
static __always_inline void
runtime_rcu_quiescent_state(void)
{
	BUG_ON(runtime_rcu_nesting, "a quiescent state inside rcu_read_lock()");
	if (unlikely(atomic_read(&runtime_rcu_waiting)))
		runtime_rcu_report();
}
#endif

static __always_inline void
rcu_read_lock(void)
{
	runtime_rcu_read_lock();
}

static __always_inline void
rcu_read_unlock(void)
{
	runtime_rcu_read_unlock();
}

/* The task is outside any reader now. cond_resched() says so too. */
static __always_inline void
rcu_quiescent_state(void)
{
	runtime_rcu_quiescent_state();
}

/*
 * So many callbacks of one CPU do not wait for a grace period's usual length.
 * Source: rcutree.qhimark in Linux's Documentation/admin-guide/kernel-parameters.txt.
 */
#define RCU_QHIMARK 10000

/*
 * Run @func(@head) after a grace period, as a kernel task on the CPU that
 * queued it (host: in one task for all). Callbacks of one CPU run in order,
 * those of one grace period in one go.
 * Context: any; never sleeps.
 */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

/* Wait for a grace period. Context: task; sleeps; not inside a reader. */
void synchronize_rcu(void);

/* Wait until all callbacks queued so far have run. Context: as synchronize_rcu(). */
void rcu_barrier(void);

#endif
