/*
 * percpu.c - handing out the per-CPU areas, which never take anything back
 */
#include "machine/percpu.h"

#include <stdio.h>

#include "machine/bug.h"
#include "machine/machine.h"
#include "machine/names.h"

struct percpu
alloc_percpu(const char *name, size_t size, size_t align)
{
	struct machine *machine = kernel.machine;
	u32 offset = ALIGN(machine->percpu_used, align);

	BUG_ON(align > CACHE_LINE, "align %zu", align);
	BUG_ON(size > PERCPU_BYTES - offset, "%zu bytes asked for, %u of %u used", size, offset,
	       PERCPU_BYTES);
	BUG_ON(machine->nr_percpu == MAX_PERCPU, "%u pieces of per-CPU data", MAX_PERCPU);
	machine->percpu_used = offset + size;
	machine->percpu[machine->nr_percpu++] =
		(struct percpu_piece){ .name = name, .start = offset, .end = offset + size };
	return (struct percpu){ .offset = offset };
}

/* Name the byte at @offset in @cpu's area. */
static bool
name_piece(u32 offset, int cpu, struct object_name *name)
{
	const struct machine *machine = kernel.machine;

	for (u32 i = 0; i < machine->nr_percpu; i++) {
		const struct percpu_piece *piece = &machine->percpu[i];

		if (offset < piece->start || offset >= piece->end)
			continue;
		snprintf(name->name, sizeof(name->name), "per-CPU %.32s of CPU %d", piece->name,
			 cpu);
		name->type = NULL;
		name->start = runtime_percpu_base[cpu] + piece->start;
		return true;
	}
	return false;
}

bool
percpu_name(const void *address, struct object_name *name)
{
	int cpu;

	for_each_cpu (cpu) {
		size_t offset = (const char *)address - runtime_percpu_base[cpu];

		if (offset < PERCPU_BYTES)
			return name_piece(offset, cpu, name);
	}
	return false;
}
