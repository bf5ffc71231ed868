/*
 * park.c - see park.h
 *
 * Why no wake-up is lost. The spinner's load and its park happen without
 * another CPU in between, in the order of execution; a write that comes later
 * finds it on the list, and one that has taken effect but whose line has not
 * come yet (a pending store, a transaction under way) is looked for here.
 *
 *	spinner: load old value, park	writer: store (pending), line comes, wake
 *	writer: store (pending)		spinner: load queues behind the store
 */
#include "machine/virtual/park.h"

#include "machine/virtual/scheduler.h"
#include "machine/virtual/store_buffer.h"

static void
parked_add(struct shared_line *line, struct cpu *cpu)
{
	cpu->parked_next = NULL;
	if (line->parked_head)
		line->parked_tail->parked_next = cpu;
	else
		line->parked_head = cpu;
	line->parked_tail = cpu;
}

void
parked_remove(struct cpu *cpu)
{
	struct shared_line *line = line_record(&lines[cpu->parked_line]);
	struct cpu **link = &line->parked_head;
	struct cpu *before = NULL;

	while (*link && *link != cpu) {
		before = *link;
		link = &before->parked_next;
	}
	if (!*link)
		return;
	*link = cpu->parked_next;
	if (line->parked_tail == cpu)
		line->parked_tail = before;
}

void
park(struct cpu *cpu, u64 number)
{
	struct shared_line *line;

	if (lines[number].owner != OWNER_SHARED && lines[number].owner != cpu->owner)
		return;
	line = lines[number].record ? line_record(&lines[number]) : line_share(number);
	if (line->stores) {
		/* Its own store's value is no news; another one's is: load again, behind it. */
		if (store_buffer_has(cpu, line))
			store_buffer_drain(cpu);
		return;
	}
	if (!line_hits(line, cpu->place.core, ACCESS_LOAD, cpu->now))
		return;
	cpu->parked_line = number;
	if (line->busy && line->flight == REQUEST_OWN)
		scheduler->ready(cpu, max(line->leaves_at, cpu->now));
	else
		parked_add(line, cpu);
	cpu_set_waiting(cpu, CPU_PARKED);
	cpu_wait();
}

void
parked_wake_all(struct shared_line *line, u64 time)
{
	while (line->parked_head) {
		struct cpu *cpu = line->parked_head;

		line->parked_head = cpu->parked_next;
		scheduler->ready(cpu, max(time, cpu->now));
	}
}
