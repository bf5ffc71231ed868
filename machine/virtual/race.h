/*
 * race.h - data races of the mini-kernel, found exactly
 *
 * Two accesses race if they touch a common byte on two CPUs, at least one
 * writes, at least one is plain, and no happens-before edge orders them. Edges
 * come from C11: release to acquire through an atomic object, fences, program
 * order; and from the machine: wake-ups, grace periods. One execution is
 * judged: what is reported is a race, what is silent may be one elsewhere.
 *
 * Tasks of one CPU never overlap (nobody is preempted), so the unit of
 * concurrency is the CPU. Addresses are offsets from the arena's base.
 *
 * Context: the virtual runtime, one thread; every call costs O(CPUs) at worst.
 */
#ifndef MACHINE_VIRTUAL_RACE_H
#define MACHINE_VIRTUAL_RACE_H

#include "machine/types.h"

enum race_kind {
	RACE_PLAIN_READ,
	RACE_PLAIN_WRITE,
	RACE_ATOMIC_READ,
	RACE_ATOMIC_WRITE,
	RACE_ATOMIC_RMW,
};

struct race_access {
	int cpu;
	enum race_kind kind;
	int order;		/* __ATOMIC_*, of an atomic access */
	u64 offset;
	size_t size;		/* bytes, > 0 */
	const void *pc;
};

/* Context: boot, with --races only. */
void race_boot(int nr_cpus, const void *arena_base, size_t arena_size);
void race_shutdown(void);

/* Judge and record one access. Panics with both places if it races. */
void race_check(const struct race_access *access);

void race_fence(int cpu, int order);

/* What @from did before comes before what @to does next: a wake-up, a start. */
void race_edge(int from, int to);

/* The memory is about to be another object, or may race by design (file contents). */
void race_forget(u64 offset, size_t size);
void race_exempt(u64 offset, size_t size);

/*
 * Grace periods, one at a time, with any number of waiters each. begin: a new
 * one. wait: for each CPU with a waiter, before the first quiescent state.
 * quiescent: each CPU, as it passes its first one in it. over: for each CPU with
 * a waiter. end: that waiter goes on, perhaps when the next one is under way.
 */
void race_grace_begin(void);
void race_grace_wait(int cpu);
void race_grace_quiescent(int cpu);
void race_grace_over(int cpu);
void race_grace_end(int cpu);

#endif
