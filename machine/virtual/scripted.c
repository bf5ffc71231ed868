/*
 * scripted.c - the scheduler that follows a script; see script.h
 *
 * For a handful of CPUs: it looks at all of them where `timed` must not.
 */
#include <stdlib.h>

#include "machine/shared/arena_map.h"
#include "machine/virtual/interrupt.h"
#include "machine/virtual/lines.h"
#include "machine/virtual/scheduler.h"
#include "machine/virtual/script.h"
#include "machine/virtual/watch.h"

/* A spin loop without an end, as far as a script is concerned. */
#define RELAX_LIMIT 10000

static struct {
	const struct script_stop *stops;
	int count;
	int turn;		/* the stop under way; == count: the script is over */
	int seen;		/* matching accesses since the CPU's last stop */
	int relaxed;		/* PAUSEs since then */
	int missed;
	bool *ready;		/* per CPU: can go on */
} script;

static bool
script_over(void)
{
	return script.turn == script.count;
}

static void
next_turn(void)
{
	script.turn++;
	script.seen = 0;
	script.relaxed = 0;
}

static void
scripted_ready(struct cpu *cpu, u64 time)
{
	cpu->now = max(cpu->now, time);
	script.ready[cpu->id] = true;
}

static struct cpu *
take_ready(int id)
{
	struct cpu *cpu = &cpus[id];

	script.ready[id] = false;
	if (cpu->state != CPU_RUNNING)
		cpu_set_running(cpu);
	return cpu;
}

static struct cpu *
scripted_next(void)
{
	for (; !script_over(); next_turn()) {
		const struct script_stop *stop = &script.stops[script.turn];

		if (script.ready[stop->cpu])
			return take_ready(stop->cpu);
		script.missed += stop->kind != SCRIPT_UNTIL_WAIT;
	}
	for (int id = 0; id < topology.cpus; id++)
		if (script.ready[id])
			return take_ready(id);
	return NULL;
}

/* The running CPU makes room for the next one, but can go on itself. */
static void
halt(struct cpu *cpu)
{
	struct cpu *next;

	script.ready[cpu->id] = true;
	next = scripted_next();
	if (next != cpu)
		cpu_run(next);
}

static bool
reaches_stop(const struct cpu *cpu, const struct access *access)
{
	const struct script_stop *stop = &script.stops[script.turn];
	u64 offset;

	if (script_over() || stop->kind == SCRIPT_UNTIL_WAIT || stop->cpu != cpu->id ||
	    (int)stop->kind != (int)access->kind)
		return false;
	offset = arena_offset(stop->address);
	return offset - access->offset < access->size && ++script.seen == stop->nth;
}

static void
wake_spinners(const struct cpu *writer, u64 offset)
{
	for (int id = 0; id < topology.cpus; id++)
		if (cpus[id].state == CPU_PARKED && &cpus[id] != writer &&
		    cpus[id].parked_line == offset >> LINE_SHIFT)
			scripted_ready(&cpus[id], writer->now);
}

static void
scripted_order(struct cpu *cpu)
{
	while (unlikely(interrupt_due(cpu)))
		interrupt_take(cpu);
}

/* Taken at its next access; a spinner's is the load with which it looks again. */
static void
scripted_interrupt(struct cpu *cpu, u64 time)
{
	if (cpu->state == CPU_PARKED)
		scripted_ready(cpu, time);
}

static void
scripted_access(struct cpu *cpu, const struct access *access)
{
	if (reaches_stop(cpu, access)) {
		next_turn();
		if (!script_over())
			halt(cpu);
	}
	scripted_order(cpu);
	cpu->now += model.spec.hit_ps;
	model.clock = max(model.clock, cpu->now);
	if (access->kind != ACCESS_LOAD)
		wake_spinners(cpu, access->offset);
}

static void
scripted_wait_line(struct cpu *cpu, u64 offset)
{
	cpu->parked_line = offset >> LINE_SHIFT;
	cpu_set_waiting(cpu, CPU_PARKED);
	cpu_wait();
}

/* A loop that only pauses lets others run once the script does not hold them. */
static void
scripted_relax(struct cpu *cpu)
{
	cpu->now += model.spec.pause_ps;
	if (!script_over()) {
		if (++script.relaxed < RELAX_LIMIT)
			return;
		script.missed += script.stops[script.turn].kind != SCRIPT_UNTIL_WAIT;
		next_turn();
		halt(cpu);
		return;
	}
	for (int i = 1; i < topology.cpus; i++) {
		int id = (cpu->id + i) % topology.cpus;

		if (script.ready[id]) {
			script.ready[cpu->id] = true;
			cpu_run(take_ready(id));
			return;
		}
	}
}

const struct scheduler scripted_scheduler = {
	.name = "scripted",
	.access = scripted_access,
	.order = scripted_order,
	.fence = scripted_order,
	.wait_line = scripted_wait_line,
	.relax = scripted_relax,
	.ready = scripted_ready,
	.interrupt = scripted_interrupt,
	.next = scripted_next,
};

void
script_start(const struct script_stop *stops, int count)
{
	script.stops = stops;
	script.count = count;
	script.turn = 0;
	script.seen = 0;
	script.relaxed = 0;
	script.missed = 0;
	script.ready = model_calloc(topology.cpus, sizeof(*script.ready));
	scheduler = &scripted_scheduler;
	/* What boot started under `timed`. */
	while (model.events.count) {
		struct event event = heap_pop(&model.events);

		scripted_ready(cpu_of_resume(event_index(event)), event.time);
	}
	watch_changed();
}

int
script_missed(void)
{
	int missed = script.missed;

	for (int turn = script.turn; turn < script.count; turn++)
		missed += script.stops[turn].kind != SCRIPT_UNTIL_WAIT;
	return missed;
}

void
script_shutdown(void)
{
	free(script.ready);
	script.ready = NULL;
	script.stops = NULL;
	script.count = 0;
	script.turn = 0;
}
