/*
 * rawline.h - operations on one bare cache line
 *
 * For micro-measurements and labs: what a single load, store or atomic costs
 * when nothing else happens. A word alone on its line.
 */
#ifndef MACHINE_RAWLINE_H
#define MACHINE_RAWLINE_H

#include "machine/types.h"

enum on_fail {
	ON_FAIL_POLICY,		/* as the policy cas_retry says */
	ON_FAIL_RETRY,
	ON_FAIL_PAUSE,
};

/* A zeroed word on a line of its own, homed on @node. Return: NULL without memory. */
u64 *raw_line_create(int node, const char *name);
void raw_line_destroy(u64 *line);

u64 raw_load(const u64 *line);
void raw_store(u64 *line, u64 value);
u64 raw_fetch_add(u64 *line, u64 add);

/* One blind cmpxchg. Return: true if it stored @new. */
bool raw_cmpxchg(u64 *line, u64 old, u64 new);

/*
 * Load, then cmpxchg until one succeeds; a retry uses the value that the failed
 * one returned. Return: how many attempts failed.
 */
unsigned int raw_cas_loop(u64 *line, u64 add, enum on_fail on_fail);
void raw_pause(void);

/*
 * Hand a token on: wait until the word is @own, then make it @next. One waits by
 * trying the cmpxchg itself, the other looks with a plain load first. Returns
 * without the token once *@stop: a task that has left passes nothing on.
 */
void raw_pass(u64 *line, u64 own, u64 next, const unsigned int *stop);
void raw_poll_pass(u64 *line, u64 own, u64 next, const unsigned int *stop);

#endif
