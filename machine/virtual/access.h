/*
 * access.h - one access of the mini-kernel to the arena, as the hooks see it
 */
#ifndef MACHINE_VIRTUAL_ACCESS_H
#define MACHINE_VIRTUAL_ACCESS_H

#include "machine/types.h"

enum access_kind {
	ACCESS_LOAD,
	ACCESS_STORE,
	ACCESS_RMW,	/* one locked operation, a failed cmpxchg included */
};

#define ORDER_PLAIN (-1) /* not an atomic access: the compiler may do with it what it likes */

struct access {
	u64 offset;		/* of the first byte, in the arena */
	u32 size;		/* bytes, > 0; may span lines if plain */
	enum access_kind kind;
	int order;		/* __ATOMIC_*, or ORDER_PLAIN */
	bool failed;		/* a cmpxchg that wrote nothing; known once it is performed */
	const void *pc;		/* return address of the hook */
};

#endif
