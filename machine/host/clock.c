/*
 * clock.c - time and waiting without sleeping
 */
#include <sched.h>
#include <time.h>

#include "machine/cpu_relax.h"
#include "machine/host/host.h"

/* A spinner gives way after so many PAUSEs: the task it waits for may need its core. */
#define SPINS_PER_YIELD 128

static u64
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

u64
runtime_clock_ps(void)
{
	return (now_ns() - host.boot_ns) * 1000;
}

void
clock_boot(void)
{
	host.boot_ns = now_ns();
}

void
runtime_work_ns(u64 ns)
{
	u64 end = now_ns() + ns;

	while (now_ns() < end)
		cpu_relax();
}

void
runtime_cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	barrier();
#endif
}

void
runtime_wait_line(const void *address)
{
	static _Thread_local unsigned int spins;

	if (++spins % SPINS_PER_YIELD == 0)
		sched_yield();
	else
		cpu_relax();
}

#ifdef __SANITIZE_THREAD__
void
runtime_tsan_fence(void)
{
	static _Thread_local int word;

	__atomic_fetch_add(&word, 0, __ATOMIC_SEQ_CST);
}
#endif
