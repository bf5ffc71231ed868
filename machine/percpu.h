/*
 * percpu.h - data that belongs to one CPU
 *
 * Every CPU's area lies on its own node and starts on a line of its own, so
 * no two CPUs share one. A host slot is a CPU. Only the owner writes its copy;
 * others read it with marked accesses and must live with stale values.
 */
#ifndef MACHINE_PERCPU_H
#define MACHINE_PERCPU_H

#include "machine/task.h"

/* What alloc_percpu() returns: an offset into every CPU's area, never a pointer. */
struct percpu {
	u32 offset;
};

/* Of each CPU's area: all of them are backed at boot. */
#define PERCPU_BYTES 8192

/*
 * Reserve @size zeroed bytes, aligned to @align (a power of two, at most 64),
 * in every CPU's area, for the kernel's life. Reports call them
 * "per-CPU @name of CPU 3"; @name must last as long. Context: boot only. The
 * area is fixed in size; running out of it is a BUG.
 */
struct percpu alloc_percpu(const char *name, size_t size, size_t align);

/* Base of each CPU's area; constant after boot. */
extern char **runtime_percpu_base;

#define per_cpu_ptr(p, cpu) ((void *)(runtime_percpu_base[cpu] + (p).offset))

/* The host kind has the base of the task's own CPU where the kernel has a segment register. */
#ifdef MACHINE_VIRTUAL
#define this_cpu_ptr(p) per_cpu_ptr(p, smp_processor_id())
#else
extern _Thread_local char *runtime_this_cpu_base;
#define this_cpu_ptr(p) ((void *)(runtime_this_cpu_base + (p).offset))
#endif

#endif
