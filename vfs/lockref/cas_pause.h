/*
 * lockref/cas_pause.h - the same loop with a PAUSE after each failure
 *
 * What Linux did until 6.2. The pause looks polite and is not: the line, which
 * the failed cmpxchg has just fetched, is gone again when it ends, so that the
 * next attempt fetches it once more and often fails once more.
 */
#ifndef VFS_LOCKREF_CAS_PAUSE_H
#define VFS_LOCKREF_CAS_PAUSE_H

#include "vfs/lockref/cas.h"

static __always_inline enum lockref_outcome
lockref_cas_pause_add(struct lockref *lockref, int delta, int floor, int *count)
{
	return lockref_cas_loop(lockref, delta, floor, count, true);
}

#endif
