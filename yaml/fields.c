/*
 * fields.c - see fields.h
 */
#include "yaml/fields.h"

#include <stdlib.h>
#include <string.h>

#include "machine/spec.h"

#define HOUR_NS 3600000000000ull
#define MS_PS 1000000000ull
#define NO_RANGE 0, 0, NULL
#define CHOICE(list) 0, 0, list

/* Each list in the order of the enum that it names. */
static const char *const tasks_as[] = { "threads", "processes", NULL };
static const char *const booleans[] = { "false", "true", NULL };
static const char *const published_units[] = { "ops/s", "boost", NULL };
static const char *const published_bases[] = { "first", "all", NULL };
static const char *const file_systems[] = { "tmpfs", "image", NULL };
static const char *const pairs[] = { "smt", "cluster", "socket", "remote", NULL };
static const char *const protocols[] = { "mesi", "mesif", "moesi", NULL };
static const char *const placements[] = { "cores-first", "threads-first", "sockets-alternate",
					  NULL };
static const char *const arbitrations[] = { "random", "fifo", "flat-fifo", "flat-random", NULL };
static const char *const jitters[] = { "none", "exponential", NULL };

const struct field workload_field_table[] = {
	{ "name", UNIT_NAME, NULL, NO_RANGE, "what results call it" },
	{ "title", UNIT_TEXT, "", NO_RANGE, "one line: what every task does" },
	{ "about", UNIT_TEXT, "", NO_RANGE, "what to look at and what shape to expect" },
	{ "source", UNIT_TEXT, "", NO_RANGE, "where it comes from" },
	{ "machine", UNIT_MACHINE, "host", NO_RANGE, "`host`, or a file of machines/" },
	{ "kernel", UNIT_TEXT, "7.3", NO_RANGE, "release whose behaviour the policies stand for" },
	{ "tasks", UNIT_COUNT, NULL, 1, MACHINE_MAX_CPUS, NULL, "numbers of tasks, ascending" },
	{ "as", UNIT_CHOICE, "threads", CHOICE(tasks_as), "threads or processes" },
	{ "memory", UNIT_SIZE, "64MiB", 1 << 20, 1ull << 40, NULL, "the machine's page frames" },
	{ "files.path", UNIT_TEXT, NULL, NO_RANGE,
	  "absolute; ${task}: one file for each task; directories above it are made too" },
	{ "files.on", UNIT_CHOICE, "tmpfs", CHOICE(file_systems),
	  "file system; image, a disk in memory, is mounted on the path's first directory" },
	{ "files.size", UNIT_SIZE, "0", 0, 1ull << 40, NULL, "how much of it is filled" },
	{ "files.count", UNIT_COUNT, "1", 1, 1000000, NULL,
	  "how many; ${n} in the path is the number of each, from 0" },
	{ "files.node", UNIT_COUNT, "0", 0, MACHINE_MAX_CPUS - 1, NULL, "NUMA node of its pages" },
	{ "lines.name", UNIT_NAME, NULL, NO_RANGE, "name of a raw cache line" },
	{ "lines.node", UNIT_COUNT, "0", 0, MACHINE_MAX_CPUS - 1, NULL, "its home node" },
	{ "place", UNIT_COUNT, "", 0, MACHINE_MAX_CPUS - 1, NULL, "the CPU of each task" },
	{ "place.pair", UNIT_CHOICE, "", CHOICE(pairs), "how far apart the two tasks are" },
	{ "variants.place", UNIT_COUNT, "", 0, MACHINE_MAX_CPUS - 1, NULL, "the CPU of each task" },
	{ "variants.place.pair", UNIT_CHOICE, "", CHOICE(pairs),
	  "how far apart the two tasks are" },
	{ "variants.name", UNIT_NAME, NULL, NO_RANGE, "column of the result" },
	{ "measure.virtual.warmup", UNIT_TIME_NS, "auto", 0, HOUR_NS, NULL,
	  "before the window opens; auto: three rounds of all tasks and 20us" },
	{ "measure.virtual.operations", UNIT_COUNT, "8000", 1, 1000000000, NULL,
	  "length of the window, all tasks together" },
	{ "measure.virtual.duration", UNIT_TIME_NS, "", 1, HOUR_NS, NULL,
	  "length of the window, instead of operations" },
	{ "measure.virtual.seeds", UNIT_COUNT, "3", 1, 1000, NULL,
	  "runs whose samples are merged" },
	{ "measure.host.warmup", UNIT_TIME_NS, "500ms", 0, HOUR_NS, NULL, "before each repeat" },
	{ "measure.host.duration", UNIT_TIME_NS, "1s", 1, HOUR_NS, NULL, "of each repeat" },
	{ "measure.host.repeats", UNIT_COUNT, "11", 1, 10000, NULL,
	  "samples; fewer than 6 give no interval" },
	{ "measure.verify", UNIT_CHOICE, "false", CHOICE(booleans), "check what pread brings" },
	{ "published.machine", UNIT_MACHINE, NULL, NO_RANGE, "machine of the figures" },
	{ "published.unit", UNIT_CHOICE, "ops/s", CHOICE(published_units),
	  "ops/s, or boost with rows of tasks, low % and high %" },
	{ "published.base", UNIT_CHOICE, "first", CHOICE(published_bases),
	  "columns that calibration may see; the others are predictions" },
	{ "published.columns", UNIT_NAME, "", NO_RANGE, "variants, in the order of the rows" },
	{ "published.rows", UNIT_COUNT, "", 0, 1000000000000000, NULL, "tasks, then the figures" },
	{ 0 },
};

const struct field machine_field_table[] = {
	{ "name", UNIT_MACHINE, NULL, NO_RANGE, "what results call it" },
	{ "about", UNIT_TEXT, "", NO_RANGE, "what machine this is" },
	{ "topology.sockets", UNIT_COUNT, NULL, 1, MACHINE_MAX_CPUS, NULL, "packages" },
	{ "topology.clusters_per_socket", UNIT_COUNT, "1", 1, MACHINE_MAX_CPUS, NULL,
	  "groups of cores that share a cache (CCX on AMD)" },
	{ "topology.cores_per_cluster", UNIT_COUNT, NULL, 1, MACHINE_MAX_CPUS, NULL, "cores" },
	{ "topology.threads_per_core", UNIT_COUNT, "1", 1, 8, NULL, "hardware threads" },
	{ "topology.source", UNIT_TEXT, "", NO_RANGE, "who says so" },
	{ "clock", UNIT_FREQUENCY, NULL, 1000000, 100000000000, NULL, "core clock" },
	{ "protocol", UNIT_CHOICE, NULL, CHOICE(protocols), "coherence protocol" },
	{ "place", UNIT_CHOICE, "cores-first", CHOICE(placements),
	  "order in which tasks get CPUs" },
	{ "hit", UNIT_TIME_PS, NULL, 1, MS_PS, NULL, "a load or store that hits" },
	{ "atomic", UNIT_TIME_PS, NULL, 1, MS_PS, NULL, "a locked operation on an owned line" },
	{ "pause", UNIT_TIME_PS, "10ns", 0, MS_PS, NULL, "one PAUSE" },
	{ "fence", UNIT_TIME_PS, "0", 0, MS_PS, NULL, "a full fence, beyond draining the buffer" },
	{ "transfer.smt", UNIT_TIME_PS, "0", 0, MS_PS, NULL,
	  "a line that the core's other thread has written" },
	{ "transfer.cluster", UNIT_TIME_PS, NULL, 1, MS_PS, NULL, "a line from the same cluster" },
	{ "transfer.socket", UNIT_TIME_PS, "", 1, MS_PS, NULL,
	  "from another cluster of the socket" },
	{ "transfer.remote", UNIT_TIME_PS, "", 1, MS_PS, NULL, "from another socket" },
	{ "transfer.upgrade_remote", UNIT_COUNT, "2", 1, 8, NULL,
	  "transfers that an upgrade of a line costs that sockets share" },
	{ "dram.local", UNIT_TIME_PS, "0", 0, MS_PS, NULL, "first touch, home on this socket" },
	{ "dram.remote", UNIT_TIME_PS, "0", 0, MS_PS, NULL, "first touch, home on another" },
	{ "home_rule", UNIT_CHOICE, "false", CHOICE(booleans),
	  "misses that leave a cluster are ordered at the line's home node" },
	{ "arbitration", UNIT_CHOICE, "random", CHOICE(arbitrations),
	  "who is next inside a cluster; flat: among all" },
	{ "run_bound", UNIT_COUNT, "1", 0, 1000000, NULL,
	  "ownerships inside one cluster while another waits" },
	{ "request_share", UNIT_PERCENT, "0%", 0, 100, NULL,
	  "share of a transfer that is the request's way" },
	{ "copy_occupancy", UNIT_TIME_PS, "0", 0, MS_PS, NULL,
	  "how long one more copy of a shared line keeps the next one waiting" },
	{ "hold", UNIT_TIME_PS, "0", 0, MS_PS, NULL, "how long an owner keeps a line" },
	{ "hold.spread", UNIT_PERCENT, "0%", 0, 100, NULL, "of the hold, up and down" },
	{ "failed_cas_writes", UNIT_CHOICE, "true", CHOICE(booleans),
	  "a failed cmpxchg leaves the line Modified" },
	{ "store_buffer", UNIT_COUNT, "16", 0, MACHINE_MAX_STORE_BUFFER, NULL,
	  "entries; 0: stores stall" },
	{ "smt_slowdown", UNIT_PERCENT, "100%", 100, 1000, NULL,
	  "think time while the sibling works too" },
	{ "adjacent_line_prefetch", UNIT_CHOICE, "false", CHOICE(booleans), "128-byte pairs" },
	{ "jitter", UNIT_CHOICE, "exponential", CHOICE(jitters),
	  "of think time: work, and a system call's entry" },
	{ "run_ahead", UNIT_TIME_PS, "0", 0, MS_PS, NULL,
	  "how far a CPU may run ahead over private hits; 0: strict order" },
	{ "costs", UNIT_TIME_PS, "0", 0, 1000 * MS_PS, NULL, "work that touches no shared line" },
	{ "accuracy.workload", UNIT_NAME, NULL, NO_RANGE, "whose published table it is" },
	{ "accuracy.column", UNIT_NAME, NULL, NO_RANGE, "which of its columns" },
	{ "accuracy.error", UNIT_PERMILLE, NULL, 0, 100000, NULL,
	  "the mean error of that column's rows" },
	{ 0 },
};

const struct field *
field_find(const struct field *table, const char *path)
{
	for (; table->path; table++) {
		if (!strcmp(table->path, path))
			return table;
	}
	abort(); /* the tables and the passes are one program */
}
