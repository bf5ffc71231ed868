/*
 * lines.c - the line table and the records of shared lines
 */
#include "machine/virtual/lines.h"

#include <string.h>

#include "machine/bug.h"
#include "machine/shared/arena_map.h"

/* A line is quiet when nobody has transacted on it for so many run-ahead bounds. */
#define QUIET_BOUNDS 16

/* Address space for records, as much as an event can name; backed where used. */
#define RECORD_POOL_BYTES ((u64)EVENT_INDEX_MASK << LINE_SHIFT)

struct line *lines;
u64 modelled_size;
struct record_layout record_layout;

static size_t
table_bytes(void)
{
	return (arena_range.size >> LINE_SHIFT) * sizeof(struct line);
}

void
lines_boot(void)
{
	size_t counts = (topology.sockets + topology.clusters) * sizeof(u16);
	size_t bytes;

	record_layout.words = DIV_ROUND_UP(topology.cores, 64);
	bytes = sizeof(struct shared_line) + record_layout.words * sizeof(u64) + counts;
	record_layout.units = DIV_ROUND_UP(bytes, CACHE_LINE);
	record_layout.used = record_layout.units;
	record_layout.quiet_ps = model.spec.run_ahead_ps ? model.spec.run_ahead_ps * QUIET_BOUNDS
							 : EVENT_NEVER;
	record_layout.pool = model_map(RECORD_POOL_BYTES);
	lines = model_map(table_bytes());
}

void
lines_shutdown(void)
{
	model_unmap(lines, table_bytes());
	model_unmap(record_layout.pool, RECORD_POOL_BYTES);
	lines = NULL;
	record_layout = (struct record_layout){ 0 };
}

static void
count_holder(struct shared_line *line, const struct place *place, int change)
{
	line->holders += change;
	holders_in_socket(line)[place->socket] += change;
	holders_in_cluster(line)[place->cluster] += change;
}

void
line_add_holder(struct shared_line *line, const struct place *place)
{
	if (line_held_by(line, place->core))
		return;
	line->holder_bits[place->core / 64] |= 1ull << place->core % 64;
	count_holder(line, place, 1);
}

/* Every copy is dropped. One owner is dropped by itself; many, all at once. */
static void
drop_holders(struct shared_line *line)
{
	const struct place *owner = &topology.place[line->owner];

	if (line->state >= LINE_EXCLUSIVE) {
		line->holder_bits[owner->core / 64] &= ~(1ull << owner->core % 64);
		count_holder(line, owner, -1);
		return;
	}
	memset(line->holder_bits, 0,
	       record_layout.words * sizeof(u64) +
		       (topology.sockets + topology.clusters) * sizeof(u16));
	line->holders = 0;
}

void
line_sole_holder(struct shared_line *line, const struct place *place)
{
	if (line_exclusive_to(line, place->core)) {
		line->state = LINE_MODIFIED;
		return;
	}
	drop_holders(line);
	line->owner = place->core;
	line->state = LINE_MODIFIED;
	line_add_holder(line, place);
}

static struct shared_line *
record_create(struct line *line, u64 number)
{
	struct shared_line *record;

	if ((u64)(record_layout.used + record_layout.units) << LINE_SHIFT > RECORD_POOL_BYTES)
		runtime_panic(VERDICT_FAILED, NULL, NULL, "too many lines are shared: %u records",
			      record_layout.used / record_layout.units);
	line->record = record_layout.used;
	record_layout.used += record_layout.units;
	record = line_record(line);
	record->number = number;
	record->home = arena_range.home[number >> (ARENA_PAGE_SHIFT - LINE_SHIFT)];
	return record;
}

struct shared_line *
line_share(u64 number)
{
	struct line *line = &lines[number];
	const struct place *place = &topology.place[(line->owner - 1) % topology.cores];
	struct shared_line *record = record_create(line, number);

	record->owner = place->core;
	record->state = line->dirty ? LINE_MODIFIED : LINE_EXCLUSIVE;
	record->cluster = place->cluster;
	record->last_hit = line->last;
	if (line->dirty)
		line_written(record, &cpus[line->owner - 1], line->last);
	record->quiet_at = EVENT_NEVER;
	line_add_holder(record, place);
	line->owner = OWNER_SHARED;
	return record;
}

struct shared_line *
line_first_record(void)
{
	if (record_layout.used == record_layout.units)
		return NULL;
	return record_of(record_layout.units);
}

struct shared_line *
line_next_record(struct shared_line *line)
{
	char *next = (char *)line + ((u64)record_layout.units << LINE_SHIFT);

	if (next == record_layout.pool + ((u64)record_layout.used << LINE_SHIFT))
		return NULL;
	return (struct shared_line *)next;
}
