/*
 * lockref.h - a spinlock and a reference count in one word
 *
 * Mirrors include/linux/lockref.h and lib/lockref.c. The count may be changed
 * by one cmpxchg of the whole word while nobody holds the lock or waits for it,
 * and by the lock's holder at any time. So an object whose references come and
 * go all the time can still have all of them excluded for a moment.
 *
 *    63 ............ 32 | 31 ........... 0
 *    count (signed)     | spinlock (machine/spinlock_types.h)
 *
 * The price: as soon as anybody holds or waits for the lock, everybody who
 * comes takes the lock as well, and the word's throughput falls to that of
 * handing a spinlock over until nobody waits any more.
 *
 * A dead lockref has the count LOCKREF_DEAD. Gets that could meet one are
 * lockref_get_not_dead(); a dead one never comes back.
 *
 * The choices of the `lockref` family are a file each in lockref/: one verb that
 * tries to change the count without the lock.
 *
 * Context: any; never sleeps; the lock is a spinlock.
 *
 * Differences from Linux: puts are releases where Linux's are relaxed, so that
 * what a holder did comes before what the last one does to the object. On x86
 * they are the same instruction.
 */
#ifndef VFS_LOCKREF_H
#define VFS_LOCKREF_H

#include "machine/bug.h"
#include "vfs/lockref/cas.h"
#include "vfs/lockref/cas_pause.h"
#include "vfs/lockref/spinlock.h"
#include "vfs/policy.h"

#define LOCKREF_DEAD (-128)

/* Change the count by @delta under the lock, if it is @floor or more; returns it. */
bool lockref_add_slow(struct lockref *lockref, int delta, int floor);

/* One reference, the caller's, or none. Context: nobody else knows @lockref. */
static __always_inline void
lockref_init(struct lockref *lockref, int count)
{
	spin_lock_init(&lockref->lock);
	lockref->count = count;
}

/*
 * Try to add @delta to a count of at least @floor without the lock. *@count
 * becomes the new count (changed) or the one in the way (refused).
 */
static __always_inline enum lockref_outcome
lockref_add(struct lockref *lockref, int delta, int floor, int *count)
{
	switch (policy_choice(lockref)) {
	case lockref_cas:
		return lockref_cas_add(lockref, delta, floor, count);
	case lockref_cas_pause:
		return lockref_cas_pause_add(lockref, delta, floor, count);
	case lockref_spinlock:
	default:
		return lockref_spinlock_add(lockref, delta, floor, count);
	}
}

/* Return: references at this moment; negative for a dead one. No ordering. */
static __always_inline int
lockref_read(const struct lockref *lockref)
{
	return READ_ONCE(lockref->count);
}

/* Another reference for a caller that has one, or that holds what keeps it alive. Relaxed. */
static __always_inline void
lockref_get(struct lockref *lockref)
{
	int count;

	if (unlikely(lockref_add(lockref, 1, INT_MIN, &count) != LOCKREF_CHANGED))
		lockref_add_slow(lockref, 1, INT_MIN);
}

/* A reference unless there is none. Relaxed. Return: true with it taken. */
static __always_inline bool __must_check
lockref_get_not_zero(struct lockref *lockref)
{
	int count;
	enum lockref_outcome outcome = lockref_add(lockref, 1, 1, &count);

	if (unlikely(outcome == LOCKREF_LOCKED))
		return lockref_add_slow(lockref, 1, 1);
	return outcome == LOCKREF_CHANGED;
}

/* A reference unless the object is dead; one with a count of 0 is not. Relaxed. */
static __always_inline bool __must_check
lockref_get_not_dead(struct lockref *lockref)
{
	int count;
	enum lockref_outcome outcome = lockref_add(lockref, 1, 0, &count);

	if (unlikely(outcome == LOCKREF_LOCKED))
		return lockref_add_slow(lockref, 1, 0);
	return outcome == LOCKREF_CHANGED;
}

/*
 * Drop a reference without the lock. Release.
 * Return: what is left, or -1 if the lock is in the way: nothing has changed then.
 */
static __always_inline int __must_check
lockref_put_return(struct lockref *lockref)
{
	int count = -1;

	return likely(lockref_add(lockref, -1, 1, &count) == LOCKREF_CHANGED) ? count : -1;
}

/*
 * Drop a reference unless it is the last one. Release.
 * Return: true if it was dropped; false: it was not, and the caller holds the lock.
 */
bool __must_check lockref_put_or_lock(struct lockref *lockref);

/* Let no reference be taken any more. Context: the lock held; nobody has one. */
static __always_inline void
lockref_mark_dead(struct lockref *lockref)
{
	BUG_ON(lockref_read(lockref) > 0, "dead with %d references", lockref_read(lockref));
	WRITE_ONCE(lockref->count, LOCKREF_DEAD);
}

/* Change the count as the lock's holder: others only read it meanwhile. */
static __always_inline void
lockref_add_locked(struct lockref *lockref, int delta)
{
	WRITE_ONCE(lockref->count, READ_ONCE(lockref->count) + delta);
}

#endif
