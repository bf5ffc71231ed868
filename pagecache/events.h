/*
 * events.h - what pagecache/ counts
 */
#ifndef PAGECACHE_EVENTS_H
#define PAGECACHE_EVENTS_H

#include "machine/event.h"

enum pagecache_event {
	EVENT_FOLIO_LOCK = EVENT_BASE_PAGECACHE, /* folio_lock() calls */
	EVENT_FOLIO_LOCK_FOUND_LOCKED,	/* of these: the first trylock failed */
	EVENT_FOLIO_LOCK_SLEPT,		/* of these: called schedule() at least once */
	EVENT_FOLIO_LOCK_HANDED_OVER,	/* of these: the unlocker took the lock for us */
	EVENT_FOLIO_LOCK_THRASHING,	/* of these: on a page read back after its eviction */
	EVENT_PAGE_ALLOC,		/* blocks handed out, of any order */
	EVENT_ZONE_LOCK,		/* zone locks taken by allocation and free */
};

#endif
