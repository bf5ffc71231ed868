/*
 * spinlock.c - waiting for a spinlock
 *
 * The queued lock's word as (tail, pending, locked), with one waiter more from
 * line to line:
 *
 *   0,0,0  free
 *   0,0,1  held
 *   0,1,1  one waiter, spinning on the word
 *   n,1,1  a second one, at the head of the queue, spinning on the word as well
 *   n,*,*  more, each spinning on its own node until it is the head
 *
 * Differences from Linux: one queue node per CPU and not four, because nothing
 * interrupts a waiting task here.
 */
#include "machine/spinlock.h"

#include "machine/cpu_relax.h"
#include "machine/event.h"
#include "machine/machine.h"

#define LOCKED_MASK 0x000000ffu
#define LOCKED_PENDING_MASK 0x0000ffffu
#define TAIL_SHIFT 16

/* How many values of the word to wait for a pending waiter to become the holder. */
#define PENDING_LOOPS 512

static struct queue_node *
queue_node_of(int cpu)
{
	const struct percpu nodes = { .offset = QUEUE_NODE_OFFSET };

	return per_cpu_ptr(nodes, cpu);
}

/* The holder is on its way out and its successor on its way in: that is short. */
static u32
wait_for_handover(spinlock_t *lock)
{
	int loops = PENDING_LOOPS;

	return smp_cond_load_relaxed(&lock->word, VAL != QUEUED_PENDING || !loops--);
}

/* Return: true if the caller came first and now holds the lock. */
static bool
lock_as_pending(spinlock_t *lock)
{
	u32 old = __atomic_fetch_or(&lock->word, QUEUED_PENDING, __ATOMIC_ACQUIRE);

	if (unlikely(old & ~LOCKED_MASK)) {
		if (!(old & QUEUED_PENDING))
			WRITE_ONCE(lock->pending, 0);
		return false;
	}
	if (old & LOCKED_MASK)
		smp_cond_load_acquire(&lock->locked, !VAL);
	/* Nobody else writes these 16 bits: the pending waiter is the next holder. */
	WRITE_ONCE(lock->locked_pending, QUEUED_LOCKED);
	return true;
}

/* Wait at the head of the queue; take the lock. Return: true if the queue is empty then. */
static bool
lock_as_head(spinlock_t *lock, u16 tail)
{
	/* Acquire: pairs with the unlock of the holder before. */
	u32 seen = smp_cond_load_acquire(&lock->word, !(VAL & LOCKED_PENDING_MASK));

	if (seen >> TAIL_SHIFT == tail &&
	    try_cmpxchg_relaxed(&lock->word, &seen, QUEUED_LOCKED))
		return true;
	/* More in the queue, or about to be: only the tail may change under us. */
	WRITE_ONCE(lock->locked, 1);
	return false;
}

/*
 * T1 unlocks with a queue:        T2, behind T1:
 *   lock_as_head() fails             xchg tail: T1 is before me
 *   wait for node->next              T1's node->next = my node
 *   next->locked = 1 (release)       wait for my node->locked (acquire)
 */
static void
lock_in_queue(spinlock_t *lock)
{
	int cpu = smp_processor_id();
	struct queue_node *node = queue_node_of(cpu);
	struct queue_node *next;
	u16 tail = cpu + 1;
	u16 before;

	WRITE_ONCE(node->next, NULL);
	WRITE_ONCE(node->locked, 0);
	/* Full barrier: whoever finds this node through the tail finds it as set above. */
	before = xchg(&lock->tail, tail);
	if (before) {
		WRITE_ONCE(queue_node_of(before - 1)->next, node);
		smp_cond_load_acquire(&node->locked, VAL);
	}
	if (lock_as_head(lock, tail))
		return;
	next = smp_cond_load_relaxed(&node->next, VAL);
	smp_store_release(&next->locked, 1);
}

void
queued_spin_lock_slow(spinlock_t *lock, u32 seen)
{
	count_event(EVENT_SPIN_CONTENDED);
	if (seen == QUEUED_PENDING)
		seen = wait_for_handover(lock);
	if (!(seen & ~LOCKED_MASK) && lock_as_pending(lock))
		return;
	lock_in_queue(lock);
}

void
ticket_spin_lock_slow(spinlock_t *lock, u16 ticket)
{
	count_event(EVENT_SPIN_CONTENDED);
	smp_cond_load_acquire(&lock->owner, VAL == ticket);
}

void
test_and_set_spin_lock_slow(spinlock_t *lock)
{
	count_event(EVENT_SPIN_CONTENDED);
	do {
		smp_cond_load_relaxed(&lock->locked, !VAL);
	} while (!test_and_set_spin_trylock(lock));
}
