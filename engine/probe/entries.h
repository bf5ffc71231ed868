/*
 * entries.h - what the machine file will say, entry by entry
 *
 * The one place that knows which entries a machine file has, what each is
 * measured by, and what it gets where that was not possible.
 */
#ifndef ENGINE_PROBE_ENTRIES_H
#define ENGINE_PROBE_ENTRIES_H

#include "engine/probe/figures.h"

#define ENTRIES_MAX 48

struct entry {
	const char *path;	/* "group.name", or "name" at the top */
	const char *key;	/* "cost", "value", "mean"; NULL: the value alone, no source */
	char *value;
	const char *more;	/* further keys of the entry: "spread: 25%"; or NULL */
	char *source;
	const char *lack;	/* why this computer did not let it be measured; or NULL */
};

struct entries {
	int count;
	struct entry entry[ENTRIES_MAX];
};

/* What is not a figure of time. */
struct host_facts {
	const char *cpu;	/* "AMD EPYC 7763 64-Core Processor" */
	const char *vendor;	/* "AuthenticAMD" */
	const int *width;	/* struct layout */
};

/* Free with entries_clear(). */
void entries_make(const struct host_facts *host, const struct access_counts *counts,
		  const struct figures *figures, struct entries *entries);
void entries_clear(struct entries *entries);

#endif
