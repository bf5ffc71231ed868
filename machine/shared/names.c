/*
 * shared/names.c - see names.h
 */
#include "machine/names.h"

#include "machine/bug.h"

#define MAX_NAMERS 64

struct namer {
	const char *start;
	size_t size;
	namer_func func;
};

static struct namer namers[MAX_NAMERS];
static int nr_namers;

void
register_namer(const void *start, size_t size, namer_func func)
{
	BUG_ON(nr_namers == MAX_NAMERS, "%d namers", nr_namers);
	namers[nr_namers++] = (struct namer){ .start = start, .size = size, .func = func };
}

bool
name_of(const void *address, struct object_name *name)
{
	for (int i = nr_namers - 1; i >= 0; i--) {
		const struct namer *namer = &namers[i];

		if ((size_t)((const char *)address - namer->start) < namer->size &&
		    namer->func(address, name))
			return true;
	}
	return false;
}

void
forget_namers(void)
{
	nr_namers = 0;
}
