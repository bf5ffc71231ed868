/*
 * mini_kernel.h - a pread of 64 bytes by the mini-kernel: its time, and its accesses
 *
 * The host kind says how long it takes on this computer; the virtual kind, the
 * same source, what it does to memory.
 */
#ifndef ENGINE_PROBE_MINI_KERNEL_H
#define ENGINE_PROBE_MINI_KERNEL_H

#include "engine/probe/gauge.h"
#include "vfs/kernel_ops.h"

/* What the model charges for a pread of 64 bytes, besides costs by name. */
struct access_counts {
	u64 hits;	/* plain and marked accesses, the copied line's load among them */
	u64 atomics;
	u64 fences;
};

/* Where a panic goes; must not return. */
struct panic_handler {
	void (*panic)(void *context, const struct panic_report *report);
	void *context;
};

/*
 * Boot @kernel, the virtual kind, for one task, and count. Context: a process
 * that boots no other kernel. Return: 0 or -errno.
 */
int mini_kernel_count(const struct kernel_ops *kernel, const struct panic_handler *panic,
		      struct access_counts *counts);

/*
 * Boot @kernel, the host kind, and let a task of it time the gauges of local.h
 * until @end_ns. Context, return: the same.
 */
int mini_kernel_measure(const struct kernel_ops *kernel, const struct panic_handler *panic,
			u64 end_ns, u64 *fs);

#endif
