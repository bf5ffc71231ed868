/*
 * folio_wait.h - the folio lock, and sleeping until a folio's state changes
 *
 * Models: folio_lock() and friends of include/linux/pagemap.h and mm/filemap.c.
 * Taking a free lock is one RMW on the folio's line, and so is dropping it: an
 * xor clears PG_locked and shows PG_waiters in the byte's sign. Whoever finds
 * the lock taken sleeps in one of 256 hashed wait queues; see folio_wait.c.
 *
 * Context: task; folio_lock() sleeps; the owner may sleep; only it unlocks.
 * Lock order: folio lock > bucket's spinlock.
 */
#ifndef PAGECACHE_FOLIO_WAIT_H
#define PAGECACHE_FOLIO_WAIT_H

#include "machine/wait.h"
#include "pagecache/events.h"
#include "pagecache/folio.h"

#define FOLIO_WAIT_TABLE_BITS 8
#define FOLIO_WAIT_TABLE_SIZE (1u << FOLIO_WAIT_TABLE_BITS)

/* Steals that a waiter tolerates before it asks for the lock to be handed over. */
#define PAGE_LOCK_UNFAIRNESS 5

/* Waiters for all folios with one hash; alone on its line. */
struct folio_wait_bucket {
	struct wait_queue_head queue;
} ____cacheline_aligned;

/* Context: boot. */
void folio_wait_table_init(struct folio_wait_bucket *table);

/* Slow halves of folio_lock() and folio_unlock(); @bit has been cleared. Contexts: theirs. */
void __folio_lock(struct folio *folio);
void folio_wake_bit(struct folio *folio, unsigned int bit);

/* Sleep until PG_@bit is clear at some moment. Context: task, reference held; sleeps. */
void folio_wait_bit(struct folio *folio, unsigned int bit);

/*
 * Return: true if the caller owns @folio's lock now. Acquire; pairs with folio_unlock().
 * No likely() here: with it gcc 12 makes a cmpxchg loop of what is one instruction.
 */
static __always_inline bool __must_check
folio_trylock(struct folio *folio)
{
	return !test_and_set_bit_lock(PG_locked, &folio->flags);
}

/* Context: task, reference held; sleeps. */
static __always_inline void
folio_lock(struct folio *folio)
{
	count_event(EVENT_FOLIO_LOCK);
	if (unlikely(!folio_trylock(folio)))
		__folio_lock(folio);
}

/* Release; pairs with folio_trylock(). Context: the owner; reference held. */
static __always_inline void
folio_unlock(struct folio *folio)
{
	VM_BUG_ON(!folio_test_locked(folio), "unlock of an unlocked folio, index %lu",
		  folio->index);
	if (unlikely(xor_unlock_is_negative_byte(BIT(PG_locked), &folio->flags)))
		folio_wake_bit(folio, PG_locked);
}

/*
 * End a read into @folio: publish the contents if @success, and unlock, in one
 * RMW. The release pairs with folio_test_uptodate() and folio_trylock().
 * Context: folio locked and not uptodate; any task.
 */
static __always_inline void
folio_end_read(struct folio *folio, bool success)
{
	u8 mask = BIT(PG_locked) | (success ? BIT(PG_uptodate) : 0);

	VM_BUG_ON(!folio_test_locked(folio), "read into an unlocked folio ends, index %lu",
		  folio->index);
	VM_BUG_ON(folio_test_uptodate(folio), "read into an uptodate folio ends, index %lu",
		  folio->index);
	if (unlikely(xor_unlock_is_negative_byte(mask, &folio->flags)))
		folio_wake_bit(folio, PG_locked);
}

/* Sleep until @folio is unlocked at some moment. Context: task, reference held; sleeps. */
static __always_inline void
folio_wait_locked(struct folio *folio)
{
	if (folio_test_locked(folio))
		folio_wait_bit(folio, PG_locked);
}

#endif
