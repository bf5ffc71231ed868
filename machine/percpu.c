/*
 * percpu.c - handing out the per-CPU areas, which never take anything back
 */
#include "machine/percpu.h"

#include "machine/bug.h"
#include "machine/machine.h"

struct percpu
alloc_percpu(size_t size, size_t align)
{
	struct machine *machine = kernel.machine;
	u32 offset = ALIGN(machine->percpu_used, align);

	BUG_ON(align > CACHE_LINE, "align %zu", align);
	BUG_ON(size > PERCPU_BYTES - offset, "%zu bytes asked for, %u of %u used", size, offset,
	       PERCPU_BYTES);
	machine->percpu_used = offset + size;
	return (struct percpu){ .offset = offset };
}
