/*
 * store_buffer.h - plain stores that miss
 *
 * The value is in memory at once, at its place in the global order; the line
 * comes later, and until then whoever else wants it stands behind this store.
 * The CPU goes on, unless its buffer is full; an atomic and a full fence wait
 * until it is empty.
 *
 * Differences from x86: requests of all entries travel at once, and entries
 * leave when their own line is there, not in program order; a load that finds
 * any own store to its line is forwarded, whatever its bytes.
 */
#ifndef MACHINE_VIRTUAL_STORE_BUFFER_H
#define MACHINE_VIRTUAL_STORE_BUFFER_H

#include "machine/virtual/lines.h"

/* Whether @cpu has a store to @line in its buffer; asked only if anybody has one. */
bool store_buffer_has(const struct cpu *cpu, const struct shared_line *line);

/* Queue a store for @line. Context: there is room. */
void store_buffer_add(struct cpu *cpu, struct shared_line *line, const struct access *access);

/* Wait until at most @left stores are in the buffer. */
void store_buffer_wait(struct cpu *cpu, int left);

/* The line of @waiter's store is there. Return: @cpu if it waited for that, or NULL. */
struct cpu *store_buffer_done(struct cpu *cpu, struct shared_line *line, struct waiter *waiter);

static __always_inline void
store_buffer_drain(struct cpu *cpu)
{
	if (cpu->stores)
		store_buffer_wait(cpu, 0);
}

#endif
