/*
 * local.h - what one thread alone can time
 *
 * Instructions, a copy, system calls and the mini-kernel's pread take turns in
 * one thread, so that what disturbs one disturbs all: the cost of a cache hit is
 * a difference of them (figures.c).
 */
#ifndef ENGINE_PROBE_LOCAL_H
#define ENGINE_PROBE_LOCAL_H

#include <sys/stat.h>

#include "engine/probe/gauge.h"
#include "vfs/kernel_ops.h"

#define LOCAL_READ_BYTES 64

/* What the gauges work on. User memory, which lies outside the arena. */
struct local {
	char to[LOCAL_READ_BYTES] ____cacheline_aligned; /* what is read goes here */
	struct stat stat;	/* and here what fstat says */
	const struct kernel_ops *kernel;
	int fd;			/* of the mini-kernel: a file of one page */
	int host_fd;		/* of the host's kernel: the same; -1: it has none */
};

/*
 * Time the gauges up to GAUGE_LOCAL until @end_ns, into @fs. Context: a body of
 * @local->kernel, which has the CPU for itself.
 */
void local_measure(struct local *local, u64 end_ns, u64 *fs);

#endif
