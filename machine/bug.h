/*
 * bug.h - broken invariants
 *
 * BUG_ON() is for programmer errors only: it prints the condition, the values
 * given, the task, the seed and the time, and ends this point of the run (the
 * caller of boot() said how; see struct kernel_config.panic). An operation
 * that can fail returns -errno instead.
 */
#ifndef MACHINE_BUG_H
#define MACHINE_BUG_H

#include "machine/types.h"

/* Why a point ended early. The numbers are the program's exit codes. */
enum verdict {
	VERDICT_FAILED = 1,	/* the host refused something: no memory, no thread */
	VERDICT_BUG = 10,	/* an invariant of the kernel is broken, or a data race */
	VERDICT_DEADLOCK = 11,	/* nobody can run and somebody still waits */
	VERDICT_INTERNAL = 12,	/* the machine room itself is wrong */
};

/*
 * End the point. @pc1 and @pc2 are code addresses to show with their source
 * lines, or NULL. Context: any; does not return.
 */
__attribute__((noreturn, cold)) __printf(4, 5) void
runtime_panic(enum verdict verdict, const void *pc1, const void *pc2, const char *fmt, ...);

#define BUG(fmt, ...)                                                                              \
	runtime_panic(VERDICT_BUG, __builtin_return_address(0), NULL, "%s:%d: " fmt, __FILE__,     \
		      __LINE__, ##__VA_ARGS__)

/* @fmt and the values after it say what was seen. */
#define BUG_ON(condition, fmt, ...)                                                                \
	do {                                                                                       \
		if (unlikely(condition))                                                           \
			BUG("BUG_ON(%s): " fmt, #condition, ##__VA_ARGS__);                        \
	} while (0)

#endif
