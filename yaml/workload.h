/*
 * workload.h - a workload file, resolved
 *
 * What the loader hands to the runner: every default filled in, every name
 * turned into a number, every cross-reference checked. Nothing in here can be
 * wrong any more. Owned by the loader; free with workload_free().
 */
#ifndef YAML_WORKLOAD_H
#define YAML_WORKLOAD_H

#include "machine/policy.h"
#include "machine/rawline.h"
#include "machine/spec.h"

enum op_code {
#define OPERATION(code, name, summary) OP_##code,
#define ARGUMENT(code, key, type, field, required, default_value, summary)
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
	OP_MAX,
};

struct step;

struct step_list {
	struct step *steps;
	u32 steps_count;
};

/*
 * A descriptor or raw line is a slot: its number in the task's own table, or in
 * everybody's if `prepare` bound it.
 */
struct slot {
	int index;
	bool shared;
};

/* One operation with its arguments; only the operation's own fields mean anything. */
struct step {
	enum op_code op;
	int line;		/* in the file, 1-based, for messages */
	struct slot fd;
	struct slot new_fd;	/* of dup and dup2 */
	int raw_line;		/* index into workload.lines */
	char *path;		/* with ${task} still in it */
	char *to;		/* the same: of rename; of symlink, what it leads to */
	int flags;		/* O_*; of access, its mode */
	u64 bytes;
	u64 offset;
	u64 time_ns;
	u64 value;		/* add, store value, cmpxchg new, repeat times */
	u64 old;
	enum on_fail on_fail;
	int whence;		/* SEEK_* */
	int expect;		/* the errno that it must fail with; 0: it must succeed */
	struct step_list body;	/* of repeat */
};

enum file_system { ON_TMPFS, ON_IMAGE };

struct workload_file {
	char *path;		/* with ${task} in it: one file for each task; ${n}: 0, 1 ... */
	enum file_system on;
	u64 size;
	int count;		/* how many, each with its number for ${n} */
	int node;
	const char *position;	/* "file:line:column", for messages */
};

struct workload_line {
	char *name;
	int node;
	const char *position;
};

/*
 * On which CPUs the tasks sit: as the machine file has it (neither of the two),
 * on these CPUs, or on two that are so far apart (engine/placement.h).
 */
struct task_place {
	int *cpus;		/* of each task, all different; or NULL */
	u32 cpus_count;
	enum distance pair;	/* or DISTANCE_SELF */
	const char *position;
};

struct variant {
	char *name;
	struct task_place place;
	int policy[POLICY_MAX];	/* complete: defaults, kernel version, top level, variant */
};

enum tasks_as { AS_THREADS, AS_PROCESSES };

struct published_row {
	int tasks;
	u64 *values;		/* one per column; boost: low and high, (s64) tenths of a percent */
};

struct published {
	char *machine;		/* NULL: the workload publishes nothing */
	bool boost;		/* unit is boost and not ops/s */
	bool all_base;		/* every column may be calibrated to, not the first alone */
	int *columns;		/* variant numbers */
	u32 columns_count;
	struct published_row *rows;
	u32 rows_count;
};

/* May calibration see @column? Or is it a prediction? */
static inline bool
published_is_base(const struct published *published, u32 column)
{
	return !column || published->all_base;
}

struct measure {
	bool warmup_auto;
	u64 warmup_ns;		/* virtual, unless warmup_auto */
	u64 operations;		/* virtual; 0: duration_ns counts */
	u64 duration_ns;	/* virtual */
	int seeds;
	u64 host_warmup_ns;
	u64 host_duration_ns;
	int host_repeats;
	bool verify;
};

struct workload {
	char *name;
	char *title;
	char *about;
	char *source;
	char *machine;		/* name as given; "host" is the host */
	char *kernel;		/* version as given */
	int *tasks;
	u32 tasks_count;
	enum tasks_as as;
	u64 memory_bytes;
	struct workload_file *files;
	u32 files_count;
	struct workload_line *lines;
	u32 lines_count;
	struct step_list prepare;
	struct step_list setup;
	struct step_list loop;
	int private_slots;	/* descriptors that each task needs */
	int shared_slots;
	struct variant *variants;
	u32 variants_count;
	struct measure measure;
	struct published published;
	const char **tasks_position;	/* of each of tasks: "file:line:column" or "--set tasks" */
	const char *machine_position;
};

/*
 * Where the @index-th of tasks was written, for a message of the runner's ("more
 * tasks than the machine has CPUs").
 */
static inline const char *
workload_tasks_position(const struct workload *workload, u32 index)
{
	return workload->tasks_position[index];
}

#endif
