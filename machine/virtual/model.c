/*
 * model.c - the shared state and its memory
 */
#include "machine/virtual/model.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "machine/bug.h"

struct model model;

void *
model_calloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		runtime_panic(VERDICT_FAILED, NULL, NULL, "no memory for the model: %zu bytes",
			      count * size);
	return memory;
}

void *
model_map(size_t size)
{
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		runtime_panic(VERDICT_FAILED, NULL, NULL,
			      "no address space for the model: %zu bytes", size);
	return table;
}

void
model_unmap(void *table, size_t size)
{
	if (table)
		munmap(table, size);
}
