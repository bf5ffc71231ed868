/*
 * host_info.h - the computer a result was made on, and what to be wary of
 *
 * Wall-clock and host facts live in this one block, so that a result without it
 * depends on nothing but source, workload, machine and seed.
 */
#ifndef ENGINE_HOST_INFO_H
#define ENGINE_HOST_INFO_H

#include <time.h>

#include "machine/types.h"

#define HOST_MAX_WARNINGS 8

struct host_info {
	char *cpu;		/* model name */
	char *vendor;		/* "GenuineIntel" */
	char *topology;		/* hwloc synthetic description */
	char *kernel;		/* "Linux 6.1.0" */
	int cores;		/* logical CPUs this process may use */
	bool virtualised;
	u64 load_percent;	/* load average of the last minute, times 100 */
	time_t started;
	u64 elapsed_ms;
	int nr_warnings;
	char *warnings[HOST_MAX_WARNINGS];
};

/* Context: starts no thread. Fields that the host does not tell are "unknown". */
void host_info_collect(struct host_info *host);
void host_info_clear(struct host_info *host);

/* Remember a warning; more than HOST_MAX_WARNINGS are dropped. */
__printf(2, 3) void host_info_warn(struct host_info *host, const char *fmt, ...);

/* What makes measurements on this host doubtful: load, frequency scaling, too many tasks. */
void host_info_check(struct host_info *host, int most_tasks);

/* Logical CPUs this process may use. */
int host_cores(void);

#endif
