/*
 * lockref.c - changing a count whose lock somebody holds; see lockref.h
 */
#include "vfs/lockref.h"

bool
lockref_add_slow(struct lockref *lockref, int delta, int floor)
{
	bool enough;

	count_event(EVENT_LOCKREF_SLOW);
	spin_lock(&lockref->lock);
	enough = lockref_read(lockref) >= floor;
	if (enough)
		lockref_add_locked(lockref, delta);
	spin_unlock(&lockref->lock);
	return enough;
}

bool
lockref_put_or_lock(struct lockref *lockref)
{
	int count;

	if (lockref_add(lockref, -1, 2, &count) == LOCKREF_CHANGED)
		return true;
	spin_lock(&lockref->lock);
	if (lockref_read(lockref) <= 1)
		return false;
	lockref_add_locked(lockref, -1);
	spin_unlock(&lockref->lock);
	return true;
}
