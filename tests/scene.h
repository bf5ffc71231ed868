/*
 * scene.h - what tests of the model's times are written with
 *
 * A scene is a body that runs on several CPUs of toy-4, which start at given
 * times. Hit 1 ns, atomic and hold 10, transfer 50 inside a socket and 100
 * across; no jitter, no memory latency, strict order.
 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "tests/harness.h"

#include "machine/runtime.h"

#define NS 1000ull

/* The running CPU's clock: whole nanoseconds. Reading it brings the CPU into its turn. */
static inline u64
clock_ns(void)
{
	u64 now = runtime_clock_ps();

	assert_int_equal(now % NS, 0);
	return now / NS;
}

/* Think until the CPU's clock shows @ns. Context: no interrupt comes meanwhile. */
static inline void
at(u64 ns)
{
	u64 now = clock_ns();

	assert_true(now <= ns);
	runtime_work_ns(ns - now);
	assert_int_equal(clock_ns(), ns);
}

static inline void
add(u64 *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static inline u64
load(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void
store(u64 *word, u64 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

#endif
