/*
 * result.h - the one structure that every report is a rendering of
 *
 * JSON, CSV and the table print what stands here and compute nothing. Built
 * from the samples in two steps: each point from its samples (result_point.c),
 * then what compares points (result.c).
 */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "engine/host_info.h"
#include "engine/sample.h"
#include "engine/sha256.h"
#include "engine/stats.h"
#include "yaml/workload.h"

#define RATIO_ONE 10000		/* ratios are integers in units of 1/10000 */
#define RESULT_MAX_LINES 8	/* contended lines kept per point */
#define RESULT_MAX_SITES 8
#define RESULT_HOT_LINES 3	/* lines of a run that are shown from row to row */

/* One source line that stalled on a contended line. */
struct site_result {
	char *source;		/* "pagecache/filemap.c:120", relative to the repository */
	u64 transactions;
	u64 stall_ps;
	u64 cmpxchg_failed;
};

/* A contended line, over all samples of its point. */
struct line_result {
	char *object;		/* "folio of /file" */
	u64 line;		/* its number within the object */
	char *field;		/* of the hottest offset, or NULL when unknown */
	u64 offset;
	u64 stall_ps;
	u64 stall_share;	/* of all stalls of the point; ratio */
	u64 time_share;		/* stall, of what its CPUs had of time; ratio */
	u64 transactions[DISTANCE_MAX];
	u64 per_operation;	/* transactions; ratio */
	u64 cmpxchg;
	u64 cmpxchg_failed;
	int nr_sites;
	struct site_result sites[RESULT_MAX_SITES];	/* by stall_ps, descending */
};

enum point_status { POINT_SKIPPED, POINT_OK, POINT_FAILED, POINT_TIMEOUT };

struct point_result {
	int variant;		/* index into workload->variants */
	int tasks;
	int nr_samples;		/* as planned */
	struct sample *samples;

	enum point_status status;
	enum exit_code exit_code;
	char *message;		/* when not ok */

	/* Figures, only when ok. */
	int nr_rates;		/* samples that were taken; fewer than planned if interrupted */
	u64 *rates;		/* operations per second, in sample order */
	struct summary rate;
	u64 *per_task;		/* completed in the windows of all samples */
	u64 fairness_permille;
	u64 operations;		/* over all samples, as all that follows */
	u64 cpu_ps;		/* time of all CPUs with a task */
	u64 events[EVENT_MAX];
	u64 lock_found_taken;	/* folio locks whose first trylock failed; ratio of all */
	u64 lock_slept;		/* folio locks that were slept for; ratio of all */
	u64 lockref_failed;	/* attempts to change a lockref that lost; ratio of all */
	u64 lockref_changes;	/* of lockrefs, without or with the lock, per operation; ratio */
	u64 stall_ps;
	u64 transactions;
	u64 cmpxchg_failed;	/* ratio of all cmpxchg */
	int nr_lines;
	struct line_result lines[RESULT_MAX_LINES];	/* by stall_ps, descending */

	/* Against what was published, if it was for this machine. */
	bool has_published;
	u64 published;
	u64 error;		/* ratio; only when ok */
	bool has_published_boost;
	s64 published_boost[2];	/* low and high, tenths of a percent */
};

/* How well one published column is met. */
struct accuracy {
	int variant;
	bool base;		/* calibration may have seen it; the others are predictions */
	int rows;
	u64 mean_error;		/* ratio */
	u64 max_error;
};

/* A line that CPUs wait for, in every point where they do. Its names are a point's. */
struct hot_line {
	const char *object;
	const char *field;	/* where it is hottest, or NULL */
	u64 line;
	u64 time_share;		/* where that is largest; ratio */
};

struct input_file {
	char *name;		/* relative to the workload's folder */
	char sha256[SHA256_HEX];
};

struct run_result {
	const struct workload *workload;
	const char *machine;	/* its name: "host", or what its file says */
	bool is_virtual;	/* kind of the machine: virtual, or the host */
	u64 seed;
	bool races;
	int nr_inputs;
	struct input_file inputs[2];
	const struct host_info *host;	/* NULL with --no-host */
	int nr_points;
	struct point_result *points;	/* variant by variant, tasks as given */
	int nr_accuracy;
	struct accuracy *accuracy;
	int nr_hot;
	struct hot_line *hot;	/* by time_share, descending */
	bool shows_published;	/* the machine is the published one */
	bool interrupted;
};

/* Work out a point's status and figures from its samples. */
void point_result_finish(struct point_result *point);
void point_result_clear(struct point_result *point);

/* Work out everything that compares points; after point_result_finish() of each. */
void run_result_finish(struct run_result *run);
void run_result_clear(struct run_result *run);

/* Return: the point, or NULL if it is not in the run. */
const struct point_result *run_result_find(const struct run_result *run, int variant, int tasks);

bool run_result_has_variant(const struct run_result *run, int variant);

/* Return: what @point says about a hot line of its run, or NULL if it does not mention it. */
const struct line_result *point_result_find_line(const struct point_result *point,
						 const struct hot_line *hot);

/* What the program should exit with. */
enum exit_code run_result_exit_code(const struct run_result *run);

/* @value against @base in tenths of a percent, rounded away from zero at the half. */
s64 boost_permille(u64 value, u64 base);

const char *point_status_name(enum point_status status);

#endif
