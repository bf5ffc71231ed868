/*
 * transaction.c - serving a line's waiters one after the other; see transaction.h
 *
 * Two events per transaction at most: the data's arrival, which also picks the
 * next waiter, and for copies of a line that is shared already, which leave one
 * another behind, the moment when the next can leave.
 */
#include "machine/virtual/transaction.h"

#include "machine/random.h"
#include "machine/virtual/arbitration.h"
#include "machine/virtual/cost_of_transfer.h"
#include "machine/virtual/counting.h"
#include "machine/virtual/park.h"
#include "machine/virtual/prefetch.h"
#include "machine/virtual/store_buffer.h"

static struct random_stream hold_stream;

void
transaction_boot(u64 seed)
{
	random_init(&hold_stream, seed, "hold");
}

/* Uniform around the mean, but never less than one atomic. */
static u64
hold_time(void)
{
	u64 mean = model.spec.hold_ps;
	u64 spread = mean * model.spec.hold_spread_percent / 100;
	u64 hold = spread ? mean - spread + random_below(&hold_stream, 2 * spread + 1) : mean;

	return max(hold, model.spec.atomic_ps);
}

static void
set_cluster(struct shared_line *line, int cluster)
{
	if (line->cluster == cluster)
		return;
	queue_line_leaves(line);
	line->cluster = cluster;
}

/* The line has copies and gets one more: the data's way does not keep the next one waiting. */
static void
grant_copy(struct shared_line *line, struct waiter *waiter)
{
	line_add_holder(line, &waiter->cpu->place);
	set_cluster(line, waiter->cpu->place.cluster);
	waiter->copied = true;
	line->free_at = line->leaves_at + model.spec.copy_occupancy_ps;
	if (line->queue) {
		heap_push(&model.events, heap_event(&model.events, line->free_at, EVENT_READY,
						    lines[line->number].record));
		return;
	}
	line->busy = false;
	line->quiet_at = line->free_at + record_layout.quiet_ps;
}

static void
grant(struct shared_line *line, u64 now)
{
	struct waiter *waiter = queue_take(line);
	struct transfer transfer = transfer_of(line, waiter);
	u64 request = transfer.ps * model.spec.request_share_percent / 100;
	u64 free_at = max(now, line->free_at);
	u64 leaves = max(free_at, waiter->arrive + request);
	u64 arrives = leaves + transfer.ps - request;

	line->busy = true;
	line->flight = waiter->request;
	line->leaves_at = leaves;
	line->quiet_at = EVENT_NEVER;
	if (model.measuring)
		count_transaction(line, waiter, transfer.distance, arrives);
	if (waiter->request == REQUEST_OWN)
		parked_wake(line, leaves);
	else if (line->state < LINE_EXCLUSIVE)
		grant_copy(line, waiter);
	heap_push(&model.events,
		  heap_event(&model.events, arrives, EVENT_ARRIVE, waiter->index));
}

void
transaction_ready(struct shared_line *line, u64 now)
{
	if (line->queue) {
		grant(line, now);
		return;
	}
	line->busy = false;
	line->quiet_at = now + record_layout.quiet_ps;
}

void
transaction_request(struct cpu *cpu, int slot, struct shared_line *line,
		    const struct access *access)
{
	struct waiter *waiter = &cpu->waiter[slot];

	*waiter = (struct waiter){
		.cpu = cpu,
		.line = line,
		.pc = access->pc,
		.since = cpu->now,
		.arrive = max(cpu->now, line->last_hit),
		.index = waiter - waiters,
		.offset = access->offset % CACHE_LINE,
		.request = access->kind == ACCESS_LOAD ? REQUEST_SHARED : REQUEST_OWN,
		.store = slot > 0,
	};
	queue_add(line, waiter);
	if (!line->busy)
		grant(line, cpu->now);
}

/* A load took the line from its only holder, who keeps a copy. */
static void
demote(struct shared_line *line, const struct place *place)
{
	bool stays_dirty = line->state == LINE_MODIFIED && model.spec.protocol == PROTOCOL_MOESI;

	/* It came to a sibling thread first. */
	if (line_held_by(line, place->core))
		return;
	line->state = stays_dirty ? LINE_OWNED : LINE_SHARED;
	line_add_holder(line, place);
}

struct cpu *
transaction_arrive(struct waiter *waiter, u64 now)
{
	struct shared_line *line = waiter->line;
	struct cpu *cpu = waiter->cpu;

	waiter->line = NULL;
	if (waiter->copied)
		return cpu;
	if (waiter->request == REQUEST_OWN) {
		line_sole_holder(line, &cpu->place);
		line_written(line, cpu, now);
		line->free_at = now + hold_time();
	} else {
		demote(line, &cpu->place);
		line->free_at = now;
	}
	set_cluster(line, cpu->place.cluster);
	if (model.spec.adjacent_line_prefetch)
		prefetch_pair(line->number, waiter, now);
	if (waiter->store)
		cpu = store_buffer_done(cpu, line, waiter);
	transaction_ready(line, now);
	return cpu;
}
