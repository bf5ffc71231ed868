/*
 * timed.c - the scheduler that follows the coherence model
 *
 * Accesses that can interact happen in the order of (time, sequence): a CPU
 * that is ahead of the earliest event queues itself and switches. Accesses that
 * cannot - to a line that one CPU alone has touched, or to a good copy of one
 * on which nobody has transacted for long - only move the CPU's clock, as far
 * as `run_ahead_ps` past the earliest event. Whoever touches such a line later
 * is served no earlier than its last use.
 */
#include "machine/virtual/scheduler.h"

#include "machine/shared/arena_map.h"
#include "machine/virtual/cost_of_transfer.h"
#include "machine/virtual/grace.h"
#include "machine/virtual/interrupt.h"
#include "machine/virtual/lines.h"
#include "machine/virtual/park.h"
#include "machine/virtual/store_buffer.h"
#include "machine/virtual/transaction.h"

/* Let what @event says happen. Return: the CPU that goes on with it, or NULL. */
static __always_inline struct cpu *
happen(struct event event)
{
	struct cpu *cpu;

	model.clock = event.time;
	switch (event_kind(event)) {
	case EVENT_ARRIVE:
		cpu = transaction_arrive(&waiters[event_index(event)], event.time);
		break;
	case EVENT_READY:
		transaction_ready(record_of(event_index(event)), event.time);
		return NULL;
	case EVENT_INTERRUPT:
		cpu = interrupt_arrive(&cpus[event_index(event)], event.time);
		break;
	case EVENT_GRACE:
		grace_lasted(event_index(event), event.time);
		return NULL;
	case EVENT_RESUME:
	default:
		cpu = cpu_of_resume(event_index(event));
		if (unlikely(cpu->resume != event_index(event)))
			return NULL;
		break;
	}
	if (!cpu)
		return NULL;
	cpu->now = max(cpu->now, event.time);
	if (cpu->state != CPU_RUNNING)
		cpu_set_running(cpu);
	return cpu;
}

static struct cpu *
timed_next(void)
{
	struct cpu *cpu = NULL;

	while (!cpu && model.events.count)
		cpu = happen(heap_pop(&model.events));
	return cpu;
}

static void
timed_ready(struct cpu *cpu, u64 time)
{
	heap_push(&model.events, heap_event(&model.events, time, EVENT_RESUME, cpu->resume));
}

static void
timed_interrupt(struct cpu *cpu, u64 time)
{
	heap_push(&model.events, heap_event(&model.events, time, EVENT_INTERRUPT, cpu->id));
}

static void
timed_grace(u64 time, u32 period)
{
	heap_push(&model.events, heap_event(&model.events, time, EVENT_GRACE, period));
}

static void
take_turn(struct cpu *cpu)
{
	struct event self = heap_event(&model.events, cpu->now, EVENT_RESUME, cpu->resume);
	struct cpu *next = happen(heap_push_pop(&model.events, self));

	while (!next)
		next = happen(heap_pop(&model.events));
	if (next != cpu)
		cpu_run(next);
}

static __always_inline bool
in_turn(const struct cpu *cpu)
{
	return cpu->now < heap_next_time(&model.events);
}

static __always_inline bool
may_run_ahead(const struct cpu *cpu)
{
	return cpu->now < heap_next_time(&model.events) + model.spec.run_ahead_ps;
}

static void
timed_order(struct cpu *cpu)
{
	for (;;) {
		if (!in_turn(cpu))
			take_turn(cpu);
		if (likely(!interrupt_due(cpu)))
			return;
		interrupt_take(cpu);
	}
}

static __always_inline u64
hit_ps(enum access_kind kind)
{
	return kind == ACCESS_RMW ? model.spec.atomic_ps : model.spec.hit_ps;
}

static void
first_touch(struct cpu *cpu, u64 number, enum access_kind kind)
{
	struct line *line = &lines[number];
	int home = arena_range.home[number >> (ARENA_PAGE_SHIFT - LINE_SHIFT)];

	/* A store does not wait for memory. */
	if (kind != ACCESS_STORE)
		cpu->now += memory_ps(home, cpu->place.socket);
	cpu->now += hit_ps(kind);
	line->owner = cpu->owner;
	line->dirty = kind != ACCESS_LOAD;
	line->last = cpu->now;
}

static void
private_hit(struct cpu *cpu, struct line *line, enum access_kind kind)
{
	cpu->now += hit_ps(kind);
	line->owner = cpu->owner;
	line->last = cpu->now;
	if (kind != ACCESS_LOAD)
		line->dirty = true;
}

/* When @cpu can use its core's copy: the threads of a core take turns on what one writes. */
static __always_inline u64
hit_time(const struct cpu *cpu, const struct shared_line *line, enum access_kind kind)
{
	if (!line_with_sibling(line, cpu, kind))
		return cpu->now;
	return max(cpu->now, line->written_at) + model.spec.transfer_ps[DISTANCE_SMT];
}

static void
take_from_sibling(struct cpu *cpu, struct shared_line *line, enum access_kind kind)
{
	cpu->now = hit_time(cpu, line, kind);
	line->writer = OWNER_SHARED;
	line->quiet_at = max(line->quiet_at, cpu->now + record_layout.quiet_ps);
}

static void
shared_hit(struct cpu *cpu, struct shared_line *line, enum access_kind kind)
{
	if (line_with_sibling(line, cpu, kind))
		take_from_sibling(cpu, line, kind);
	/* A sibling may have read ahead. */
	if (kind != ACCESS_LOAD)
		cpu->now = max(cpu->now, line->last_hit);
	cpu->now += hit_ps(kind);
	if (kind == ACCESS_LOAD)
		return;
	if (line->state == LINE_EXCLUSIVE)
		line->state = LINE_MODIFIED;
	line_written(line, cpu, cpu->now);
	/* A spinner on a sibling thread sees the write without losing its copy. */
	parked_wake(line, cpu->now);
}

static bool
quiet_hit(struct cpu *cpu, struct shared_line *line, enum access_kind kind)
{
	if (cpu->now < line->quiet_at || line_with_sibling(line, cpu, kind) ||
	    !line_hits(line, cpu->place.core, kind, cpu->now))
		return false;
	shared_hit(cpu, line, kind);
	line->last_hit = max(line->last_hit, cpu->now);
	return true;
}

static void
wait_for_line(struct cpu *cpu, struct shared_line *line, const struct access *access)
{
	cpu_set_waiting(cpu, CPU_WAITS_LINE);
	transaction_request(cpu, 0, line, access);
	cpu_wait();
	cpu->now += hit_ps(access->kind);
}

/* Context: the CPU's turn. Return: false if time has passed and it has to look again. */
static bool
shared_access(struct cpu *cpu, struct shared_line *line, const struct access *access)
{
	bool own_store = line->stores && store_buffer_has(cpu, line);

	if (own_store && access->kind != ACCESS_RMW) {
		cpu->now += hit_ps(access->kind);
		return true;
	}
	if (line->stores == own_store &&
	    line_hits(line, cpu->place.core, access->kind, hit_time(cpu, line, access->kind))) {
		shared_hit(cpu, line, access->kind);
		return true;
	}
	if (access->kind != ACCESS_STORE || !model.spec.store_buffer) {
		wait_for_line(cpu, line, access);
		return true;
	}
	if (cpu->stores == model.spec.store_buffer) {
		store_buffer_wait(cpu, cpu->stores - 1);
		return false;
	}
	store_buffer_add(cpu, line, access);
	cpu->now += hit_ps(access->kind);
	return true;
}

/*
 * Accesses that no other CPU can tell the time of: to a line that nobody else
 * has touched, or a hit on a quiet one. Return: false if this is not one.
 */
static bool
access_alone(struct cpu *cpu, u64 number, enum access_kind kind)
{
	struct line *line = &lines[number];

	if (line->record)
		return quiet_hit(cpu, line_record(line), kind);
	if (line->owner == OWNER_NONE)
		first_touch(cpu, number, kind);
	else if (line->owner == cpu->owner)
		private_hit(cpu, line, kind);
	else
		return false;
	return true;
}

/* Context: the CPU's turn. Return: false if time has passed and it has to look again. */
static bool
access_in_turn(struct cpu *cpu, u64 number, const struct access *access)
{
	struct line *line = &lines[number];

	if (line->record)
		return shared_access(cpu, line_record(line), access);
	if (access_alone(cpu, number, access->kind))
		return true;
	return shared_access(cpu, line_share(number), access);
}

static void
access_line(struct cpu *cpu, u64 number, const struct access *access)
{
	if (access->kind == ACCESS_RMW)
		store_buffer_drain(cpu);
	if (!in_turn(cpu) && may_run_ahead(cpu) && !cpu->interrupts &&
	    access_alone(cpu, number, access->kind))
		return;
	do
		timed_order(cpu);
	while (!access_in_turn(cpu, number, access));
}

/* A plain access may span lines: it is charged for each of them, in turn. */
static noinline void
access_lines(struct cpu *cpu, const struct access *access, u64 first, u64 last)
{
	struct access part = *access;

	for (u64 number = first; number <= last; number++) {
		access_line(cpu, number, &part);
		part.offset = (number + 1) << LINE_SHIFT;
	}
}

static void
timed_access(struct cpu *cpu, const struct access *access)
{
	u64 first = access->offset >> LINE_SHIFT;
	u64 last = (access->offset + access->size - 1) >> LINE_SHIFT;

	if (likely(first == last))
		access_line(cpu, first, access);
	else
		access_lines(cpu, access, first, last);
}

static void
timed_fence(struct cpu *cpu)
{
	store_buffer_drain(cpu);
	cpu->now += model.spec.fence_ps;
}

static void
timed_wait_line(struct cpu *cpu, u64 offset)
{
	park(cpu, offset >> LINE_SHIFT);
}

static void
timed_relax(struct cpu *cpu)
{
	cpu->now += model.spec.pause_ps;
}

const struct scheduler timed_scheduler = {
	.name = "timed",
	.access = timed_access,
	.order = timed_order,
	.fence = timed_fence,
	.wait_line = timed_wait_line,
	.relax = timed_relax,
	.ready = timed_ready,
	.interrupt = timed_interrupt,
	.grace = timed_grace,
	.next = timed_next,
};
