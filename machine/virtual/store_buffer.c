/*
 * store_buffer.c - see store_buffer.h
 */
#include "machine/virtual/store_buffer.h"

#include "machine/virtual/transaction.h"

bool
store_buffer_has(const struct cpu *cpu, const struct shared_line *line)
{
	for (u64 used = cpu->store_mask; used; used &= used - 1)
		if (cpu->waiter[1 + __builtin_ctzll(used)].line == line)
			return true;
	return false;
}

void
store_buffer_add(struct cpu *cpu, struct shared_line *line, const struct access *access)
{
	int entry = __builtin_ctzll(~cpu->store_mask);

	cpu->store_mask |= 1ull << entry;
	cpu->stores++;
	line->stores++;
	transaction_request(cpu, 1 + entry, line, access);
}

void
store_buffer_wait(struct cpu *cpu, int left)
{
	if (cpu->stores <= left)
		return;
	cpu->stores_wanted = left;
	cpu_set_waiting(cpu, CPU_WAITS_STORES);
	cpu_wait();
}

struct cpu *
store_buffer_done(struct cpu *cpu, struct shared_line *line, struct waiter *waiter)
{
	cpu->store_mask &= ~(1ull << (waiter - cpu->waiter - 1));
	cpu->stores--;
	line->stores--;
	if (cpu->state == CPU_WAITS_STORES && cpu->stores <= cpu->stores_wanted)
		return cpu;
	return NULL;
}
