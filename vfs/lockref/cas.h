/*
 * lockref/cas.h - load the word, then exchange it until that works
 *
 * What Linux does since 6.2. A failed cmpxchg has brought the line and the new
 * value along, so the next attempt follows at once and mostly succeeds: the
 * line stays long enough. After so many failures (`lockref_retries`) the lock is
 * taken, which is fair.
 *
 * Ordering: gets are relaxed, puts releases (lockref.h).
 */
#ifndef VFS_LOCKREF_CAS_H
#define VFS_LOCKREF_CAS_H

#include "machine/cpu_relax.h"
#include "vfs/events.h"
#include "vfs/lockref_types.h"
#include "vfs/policy.h"

/* Attempts until the lock is taken. The contract test makes it small. */
#ifndef LOCKREF_RETRIES
#define LOCKREF_RETRIES 100
#endif

static __always_inline bool
lockref_try_exchange(struct lockref *lockref, u64 *old, u64 new, int delta)
{
	if (delta > 0)
		return try_cmpxchg_relaxed(&lockref->lock_count, old, new);
	return try_cmpxchg_release(&lockref->lock_count, old, new);
}

/* Whether failure number @failures (from 1) was the last one allowed. */
static __always_inline bool
lockref_gives_up(unsigned int failures)
{
	if (likely(failures != LOCKREF_RETRIES) ||
	    policy_value[POLICY_lockref_retries] == lockref_retries_unbounded)
		return false;
	count_event(EVENT_LOCKREF_CAP);
	return true;
}

/* Arguments and return as lockref_add(); @pause: PAUSE after each failure. */
static __always_inline enum lockref_outcome
lockref_cas_loop(struct lockref *lockref, int delta, int floor, int *count, bool pause)
{
	u64 old = READ_ONCE(lockref->lock_count);
	unsigned int failures = 0;

	while (likely(spin_value_unlocked((u32)old))) {
		u64 new = old + (u64)delta * LOCKREF_ONE;

		if (unlikely((s64)old < floor * (s64)LOCKREF_ONE)) {
			*count = (int)(old >> 32);
			return LOCKREF_REFUSED;
		}
		count_event(EVENT_LOCKREF);
		if (likely(lockref_try_exchange(lockref, &old, new, delta))) {
			*count = (int)(new >> 32);
			return LOCKREF_CHANGED;
		}
		count_event(EVENT_LOCKREF_FAILED);
		if (lockref_gives_up(++failures))
			break;
		if (pause)
			cpu_relax();
	}
	return LOCKREF_LOCKED;
}

static __always_inline enum lockref_outcome
lockref_cas_add(struct lockref *lockref, int delta, int floor, int *count)
{
	return lockref_cas_loop(lockref, delta, floor, count, false);
}

#endif
