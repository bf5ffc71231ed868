/*
 * waiter.h - one request for a line, from when it is made until its data comes
 */
#ifndef MACHINE_VIRTUAL_WAITER_H
#define MACHINE_VIRTUAL_WAITER_H

#include "machine/types.h"

struct cpu;
struct shared_line;

enum request {
	REQUEST_SHARED,		/* a load that misses */
	REQUEST_OWN,		/* RFO or upgrade */
};

struct waiter {
	struct cpu *cpu;
	struct shared_line *line;	/* NULL: not in use */
	const void *pc;			/* for reports */
	u64 since;			/* when its CPU made it, ps */
	u64 arrive;			/* the same, but not before the line's last use */
	u32 index;			/* in the table of all waiters: what events carry */
	u32 offset;			/* of the access, within the line */
	enum request request;
	bool store;			/* from the store buffer: nobody waits for the data */
	bool home_bound;		/* ordered at the line's home */
	bool copied;			/* it was a copy, and the line serves others since */
};

/* All CPUs' waiters: one for the access it waits for, and one per store; cpu.c. */
extern struct waiter *waiters;

#endif
