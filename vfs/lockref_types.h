/*
 * lockref_types.h - the word of lockref.h, and what changing it can come to
 */
#ifndef VFS_LOCKREF_TYPES_H
#define VFS_LOCKREF_TYPES_H

#include <limits.h>

#include "machine/spinlock.h"

struct lockref {
	union {
		u64 lock_count;		/* anybody, by cmpxchg, while the lock is free */
		struct {
			spinlock_t lock;
			int count;	/* the lock's holder */
		};
	};
};

_Static_assert(sizeof(struct lockref) == 8, "one word");
_Static_assert(offsetof(struct lockref, count) == 4, "the count is the upper half");

#define LOCKREF_ONE (1ull << 32) /* one reference, in the word */

enum lockref_outcome {
	LOCKREF_CHANGED,	/* done */
	LOCKREF_REFUSED,	/* the count is below what the change asks for */
	LOCKREF_LOCKED,		/* somebody holds or waits for the lock, or tried too often */
};

#endif
