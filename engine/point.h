/*
 * point.h - one run of one point, inside its own process
 *
 * Boots a kernel, makes the files, runs `prepare`, starts the tasks, measures,
 * shuts the kernel down (which proves that nothing leaked) and sends the
 * sample. Only then is anything reported: a kernel that measures well and
 * leaks is a failed point.
 */
#ifndef ENGINE_POINT_H
#define ENGINE_POINT_H

#include "vfs/kernel_ops.h"
#include "yaml/workload.h"

struct point_config {
	const struct kernel_ops *kernel;
	const struct machine_spec *spec;	/* NULL: the host */
	const struct workload *workload;
	const struct variant *variant;
	int tasks;
	u64 seed;
	int stream;
	bool races;
};

/*
 * Run the point and send one frame (wire.h) to @result_fd, also when the kernel
 * panics. Context: a child process that does nothing else. Does not return.
 */
__attribute__((noreturn)) void point_run(const struct point_config *config, int result_fd);

#endif
