/*
 * script.h - directed race tests: the order of execution, written down
 *
 * A script is a list of stops. The CPU of the first stop runs until it is about
 * to make the access that the stop names, and halts before it; then the CPU of
 * the second stop runs to its stop, and so on. A halted CPU that is named again
 * goes on with the access it halted before. After the last stop the CPU that
 * reached it goes on, and whenever one waits or ends, the lowest-numbered one
 * that can run does, until all are done.
 *
 *	T1: if (try_get(page))		{ 0, SCRIPT_RMW, &page->_refcount, 1 },
 *	T2: put(page)			{ 1, SCRIPT_UNTIL_WAIT },
 *	T1: sees what T2 left
 *
 * A stop is missed if its CPU waits or ends first; the script then goes on with
 * the next one, and the test asks script_missed().
 *
 * Time: every access costs a hit, whoever made the one before.
 */
#ifndef MACHINE_VIRTUAL_SCRIPT_H
#define MACHINE_VIRTUAL_SCRIPT_H

#include "machine/types.h"

enum script_kind {
	SCRIPT_LOAD,
	SCRIPT_STORE,
	SCRIPT_RMW,
	SCRIPT_UNTIL_WAIT,	/* until it sleeps, spins in vain or ends: never missed */
};

struct script_stop {
	int cpu;
	enum script_kind kind;
	const void *address;	/* a byte of the field */
	int nth;		/* such access since the CPU's last stop; from 1 */
};

/*
 * Follow @stops from now on; they must stay until shutdown.
 * Context: boot code, after machine_boot() and before the tasks run.
 */
void script_start(const struct script_stop *stops, int count);

/* Stops that were not reached. */
int script_missed(void);

void script_shutdown(void);

#endif
