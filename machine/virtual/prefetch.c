/*
 * prefetch.c - see prefetch.h
 *
 * What makes false sharing reach across 128 bytes: a miss on one line of a pair
 * takes the other one out of its owner's hands.
 */
#include "machine/virtual/prefetch.h"

void
prefetch_pair(u64 number, const struct waiter *waiter, u64 now)
{
	const struct place *place = &waiter->cpu->place;
	struct line *pair = &lines[number ^ 1];
	struct shared_line *line;

	if (pair->owner == OWNER_NONE) {
		pair->owner = waiter->cpu->owner;
		return;
	}
	if (pair->owner != OWNER_SHARED) {
		bool mine = topology.place[(pair->owner - 1) % topology.cores].core == place->core;

		/* Not from somebody whose use of it lies in the future. */
		if (mine || pair->last > now)
			return;
		line_share(number ^ 1);
	}
	line = line_record(pair);
	if (line->busy || line->queue || line_held_by(line, place->core) || line->last_hit > now ||
	    line->free_at > now)
		return;
	if (line->state == LINE_MODIFIED && model.spec.protocol == PROTOCOL_MOESI)
		line->state = LINE_OWNED;
	else if (line->state >= LINE_EXCLUSIVE)
		line->state = LINE_SHARED;
	line_add_holder(line, place);
	line->quiet_at = now + record_layout.quiet_ps;
}
