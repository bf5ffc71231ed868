/*
 * park.h - CPUs that spin until a line changes
 *
 * A spinner that has seen the line in vain costs nothing until somebody takes
 * its copy away; then it loads again and pays for that, as each of the others.
 */
#ifndef MACHINE_VIRTUAL_PARK_H
#define MACHINE_VIRTUAL_PARK_H

#include "machine/virtual/lines.h"

/* Let the running CPU wait until its copy of line @number is gone or was written to. */
void park(struct cpu *cpu, u64 number);

/* @cpu, which is parked, spins no longer. It may have been woken already. */
void parked_remove(struct cpu *cpu);

void parked_wake_all(struct shared_line *line, u64 time);

/* Everybody who spins on @line goes on at @time. */
static __always_inline void
parked_wake(struct shared_line *line, u64 time)
{
	if (unlikely(line->parked_head))
		parked_wake_all(line, time);
}

#endif
