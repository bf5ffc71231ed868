/*
 * lockref/spinlock.h - the lock, always
 *
 * What dentries had before 3.12, and what an architecture without a cmpxchg of
 * eight bytes has: every reference is a lock and an unlock.
 */
#ifndef VFS_LOCKREF_SPINLOCK_H
#define VFS_LOCKREF_SPINLOCK_H

#include "vfs/lockref_types.h"

static __always_inline enum lockref_outcome
lockref_spinlock_add(struct lockref *lockref, int delta, int floor, int *count)
{
	return LOCKREF_LOCKED;
}

#endif
