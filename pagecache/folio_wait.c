/*
 * folio_wait.c - see folio_wait.h
 *
 * Models folio_wait_bit_common() and folio_wake_bit() of mm/filemap.c.
 *
 * PG_waiters keeps an unlocker that nobody waits for away from the bucket. It
 * is set and cleared under the bucket's lock only, and a waiter tries the bit
 * again after setting it:
 *
 *   T1 unlocks                     T2 locks, bucket's lock held
 *   xor: PG_locked = 0,            set PG_waiters
 *        PG_waiters seen?          test_and_set PG_locked: got it, or sleep
 *
 * Both touch one word, so either T1's xor comes later and sees the waiter, or
 * T2's second try comes later and succeeds.
 *
 * A woken waiter does not own the lock; it competes with newcomers, who win
 * mostly because they are awake. After PAGE_LOCK_UNFAIRNESS lost tries it asks
 * for a hand-over: the unlocker then sets PG_locked on its behalf.
 *
 * Who writes a waiter's flags: the waiter until it is queued, then the waker,
 * under the bucket's lock. The waiter's stack lives until it has seen
 * FLAG_OFF_QUEUE, the waker's very last store, or has taken that lock since.
 */
#include "pagecache/folio_wait.h"

/* The waker touches the entry no more. */
#define FLAG_OFF_QUEUE 0x100u

struct folio_waiter {
	struct wait_queue_entry wait;
	struct folio *folio;
	unsigned int bit;
};

/* What folio_wake_bit() looks for. */
struct wake_key {
	struct folio *folio;
	unsigned int bit;
	bool folio_match;	/* out: somebody waits for some bit of the folio */
};

void
folio_wait_table_init(struct folio_wait_bucket *table)
{
	for (unsigned int i = 0; i < FOLIO_WAIT_TABLE_SIZE; i++)
		init_waitqueue_head(&table[i].queue);
}

/* Fibonacci hashing of the page's number: addresses would differ from run to run. */
static struct wait_queue_head *
folio_waitqueue(const struct folio *folio)
{
	u64 hash = page_to_pfn(&folio->page) * 0x9e3779b97f4a7c15ull;

	return &kernel.pagecache->folio_wait_table[hash >> (64 - FOLIO_WAIT_TABLE_BITS)].queue;
}

/*
 * Wake one waiter that waits for what happened. Context: bucket's lock held.
 * Return: as wait_queue_func; -1 if the lock was taken again already.
 */
static int
wake_folio_function(struct wait_queue_entry *entry, void *arg)
{
	struct folio_waiter *waiter = container_of(entry, struct folio_waiter, wait);
	unsigned int flags = READ_ONCE(entry->flags);
	struct wake_key *key = arg;

	if (waiter->folio != key->folio)
		return 0;
	key->folio_match = true;
	if (waiter->bit != key->bit)
		return 0;
	if (flags & WQ_FLAG_EXCLUSIVE) {
		if (test_bit(key->bit, &key->folio->flags))
			return -1;
		if (flags & WQ_FLAG_CUSTOM) {
			if (test_and_set_bit(key->bit, &key->folio->flags))
				return -1;
			flags |= WQ_FLAG_DONE;
		}
	}
	/* Release: pairs with the acquire in wait_until_woken(). */
	flags |= WQ_FLAG_WOKEN;
	smp_store_release(&entry->flags, flags);
	wake_up_process(entry->task);
	list_del(&entry->entry);
	/* Release: pairs with the acquire in leave_queue(). */
	smp_store_release(&entry->flags, flags | FLAG_OFF_QUEUE);
	return 1;
}

/*
 * Wake whom the change of PG_@bit concerns: all who only watch, and the first
 * who wants to own it. PG_waiters goes with the last waiter of the folio; when
 * another folio's waiters share the bucket it may stay until the next unlock,
 * which then finds nobody.
 */
__attribute__((cold)) void
folio_wake_bit(struct folio *folio, unsigned int bit)
{
	struct wait_queue_head *queue = folio_waitqueue(folio);
	struct wake_key key = { .folio = folio, .bit = bit };

	spin_lock(&queue->lock);
	__wake_up_locked(queue, 1, &key);
	if (list_empty(&queue->head) || !key.folio_match)
		folio_clear_waiters(folio);
	spin_unlock(&queue->lock);
}

/* Context: bucket's lock held. Return: true if there is nothing to wait for any more. */
static bool
try_or_enqueue(struct wait_queue_head *queue, struct folio_waiter *waiter)
{
	struct folio *folio = waiter->folio;
	bool exclusive = waiter->wait.flags & WQ_FLAG_EXCLUSIVE;

	folio_set_waiters(folio);
	if (exclusive ? !test_and_set_bit(waiter->bit, &folio->flags) :
			!test_bit_acquire(waiter->bit, &folio->flags))
		return true;
	list_add_tail(&waiter->wait.entry, &queue->head);
	return false;
}

/* Return: true if the task called schedule(). */
static bool
wait_until_woken(struct folio_waiter *waiter)
{
	bool slept = false;

	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (smp_load_acquire(&waiter->wait.flags) & WQ_FLAG_WOKEN)
			break;
		slept = true;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return slept;
}

/* Make sure that the waker is done with the entry, which is about to vanish. */
static void
leave_queue(struct wait_queue_head *queue, struct folio_waiter *waiter)
{
	if (smp_load_acquire(&waiter->wait.flags) & FLAG_OFF_QUEUE)
		return;
	spin_lock(&queue->lock);
	spin_unlock(&queue->lock);
}

/* Queue once and sleep. @flags: how to wait. Return: true if the bit is ours (or clear). */
static bool
wait_once(struct folio *folio, unsigned int bit, unsigned int flags, bool *slept)
{
	struct wait_queue_head *queue = folio_waitqueue(folio);
	struct folio_waiter waiter = {
		.wait = { .flags = flags, .task = current, .func = wake_folio_function },
		.folio = folio,
		.bit = bit,
	};
	bool done;

	spin_lock(&queue->lock);
	done = try_or_enqueue(queue, &waiter);
	spin_unlock(&queue->lock);
	if (done)
		return true;
	*slept |= wait_until_woken(&waiter);
	leave_queue(queue, &waiter);
	if (!(flags & WQ_FLAG_EXCLUSIVE))
		return true;
	if (waiter.wait.flags & WQ_FLAG_DONE) {
		count_event(EVENT_FOLIO_LOCK_HANDED_OVER);
		return true;
	}
	return !test_and_set_bit_lock(bit, &folio->flags);
}

/* The lock was taken. Sleep until it is ours. */
__attribute__((cold)) void
__folio_lock(struct folio *folio)
{
	int unfair = PAGE_LOCK_UNFAIRNESS;
	bool slept = false;
	unsigned int flags;

	count_event(EVENT_FOLIO_LOCK_FOUND_LOCKED);
	if (!folio_test_uptodate(folio) && folio_test_workingset(folio))
		count_event(EVENT_FOLIO_LOCK_THRASHING);
	do {
		flags = WQ_FLAG_EXCLUSIVE | (--unfair < 0 ? WQ_FLAG_CUSTOM : 0);
	} while (!wait_once(folio, PG_locked, flags, &slept));
	if (slept)
		count_event(EVENT_FOLIO_LOCK_SLEPT);
}

void
folio_wait_bit(struct folio *folio, unsigned int bit)
{
	bool slept = false;

	wait_once(folio, bit, 0, &slept);
}
