/*
 * exit_code.h - what the program's exit status means
 *
 * Scripts rely on these numbers. Those from 10 on are enum verdict
 * (machine/bug.h): a point says why it ended, and the program repeats it.
 */
#ifndef ENGINE_EXIT_CODE_H
#define ENGINE_EXIT_CODE_H

#include "machine/bug.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_POINT_FAILED = VERDICT_FAILED,
	EXIT_USAGE = 2,		/* wrong command line or file; nothing ran */
	EXIT_RESOURCE = 3,	/* the computer lacks something: memory, threads */
	EXIT_UNSUPPORTED = 4,	/* this machine kind cannot do it */
	EXIT_INTERRUPTED = 6,	/* results are partial */
	EXIT_BUG = VERDICT_BUG,
	EXIT_DEADLOCK = VERDICT_DEADLOCK,
	EXIT_INTERNAL = VERDICT_INTERNAL,
};

/* Of two reasons, the one that says more: broken invariants first, "a point failed" last. */
enum exit_code exit_code_merge(enum exit_code a, enum exit_code b);

#endif
