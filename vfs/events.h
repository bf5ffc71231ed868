/*
 * events.h - what vfs/ counts
 */
#ifndef VFS_EVENTS_H
#define VFS_EVENTS_H

#include "machine/event.h"

enum vfs_event {
	EVENT_LOCKREF = EVENT_BASE_VFS, /* attempts to change a lockref by cmpxchg */
	EVENT_LOCKREF_FAILED,	/* of these: the word had changed meanwhile */
	EVENT_LOCKREF_SLOW,	/* a reference that took the lock to be counted */
	EVENT_LOCKREF_CAP,	/* a change that failed as often as `lockref_retries` allows */
	EVENT_WALK_RESTART,	/* a path walk under RCU that had to start again with references */
	EVENT_LOOKUP_SLOW,	/* a component that the file system had to be asked for */
};

#endif
