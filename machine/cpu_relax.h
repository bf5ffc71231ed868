/*
 * cpu_relax.h - waiting without sleeping
 *
 * A spin loop must tell the machine what it waits for: the virtual kind then
 * parks the CPU until that line changes and charges the load that sees it.
 */
#ifndef MACHINE_CPU_RELAX_H
#define MACHINE_CPU_RELAX_H

#include "machine/atomic.h"

/* One PAUSE (x86), at the machine file's cost on the virtual kind. */
void runtime_cpu_relax(void);

/* Virtual: wait until another CPU writes the line of @address. Host: one PAUSE. */
void runtime_wait_line(const void *address);

#if defined(MACHINE_HOST) && defined(__x86_64__)
#define cpu_relax() __builtin_ia32_pause()
#else
#define cpu_relax() runtime_cpu_relax()
#endif

/*
 * Load *@ptr until @condition, an expression over VAL, holds. The last load is
 * an acquire (or relaxed). Return: the value that satisfied it.
 */
#define smp_cond_load_order(ptr, condition, order)                                                 \
	({                                                                                         \
		__typeof__((void)0, *(ptr)) VAL;                                                   \
		for (;;) {                                                                         \
			VAL = __atomic_load_n((ptr), (order));                                     \
			if (likely(condition))                                                     \
				break;                                                             \
			runtime_wait_line(ptr);                                                    \
		}                                                                                  \
		VAL;                                                                               \
	})
#define smp_cond_load_acquire(ptr, condition) smp_cond_load_order(ptr, condition, __ATOMIC_ACQUIRE)
#define smp_cond_load_relaxed(ptr, condition) smp_cond_load_order(ptr, condition, __ATOMIC_RELAXED)

#endif
