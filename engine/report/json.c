/*
 * json.c - the engine-result/1 document
 *
 * Scripts rely on its keys: fields may be added, never renamed within /1. Rates
 * are operations per second, times are in ns, shares are between 0 and 1. A
 * point that is not ok has a message and no figures.
 */
#include "engine/report/report.h"
#include "engine/version.h"
#include "pagecache/events.h"
#include "vfs/events.h"

#define RATIO_DECIMALS 4
#define PS_PER_NS 1000

/* Distances between cores; hand-overs between the threads of a core are not counted. */
static const struct {
	enum distance distance;
	const char *key;
} distances[] = {
	{ DISTANCE_CLUSTER, "cluster" },
	{ DISTANCE_SOCKET, "socket" },
	{ DISTANCE_REMOTE, "remote" },
};

static void
write_u64_array(struct json *json, const char *key, const u64 *values, int n)
{
	json_array(json, key, JSON_COMPACT);
	for (int i = 0; i < n; i++)
		json_u64(json, NULL, values[i]);
	json_end(json);
}

static void
write_inputs(struct json *json, const struct run_result *run)
{
	json_array(json, "inputs", JSON_LINES);
	for (int i = 0; i < run->nr_inputs; i++) {
		json_object(json, NULL, JSON_COMPACT);
		json_string(json, "file", run->inputs[i].name);
		json_string(json, "sha256", run->inputs[i].sha256);
		json_end(json);
	}
	json_end(json);
}

static void
write_host(struct json *json, const struct host_info *host)
{
	char started[32];
	struct tm utc;

	gmtime_r(&host->started, &utc);
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_object(json, "host", JSON_LINES);
	json_string(json, "cpu", host->cpu);
	json_string(json, "topology", host->topology);
	json_string(json, "kernel", host->kernel);
	json_u64(json, "cores", host->cores);
	json_bool(json, "virtualised", host->virtualised);
	json_decimal(json, "load", host->load_percent, 2);
	json_string(json, "started", started);
	json_u64(json, "elapsed_ms", host->elapsed_ms);
	json_array(json, "warnings", JSON_LINES);
	for (int i = 0; i < host->nr_warnings; i++)
		json_string(json, NULL, host->warnings[i]);
	json_end(json);
	json_end(json);
}

static void
write_rates(struct json *json, const struct point_result *point)
{
	json_object(json, "ops_per_sec", JSON_COMPACT);
	json_u64(json, "median", point->rate.median);
	json_u64(json, "min", point->rate.min);
	json_u64(json, "max", point->rate.max);
	if (point->rate.has_ci) {
		json_array(json, "ci95", JSON_COMPACT);
		json_u64(json, NULL, point->rate.ci_low);
		json_u64(json, NULL, point->rate.ci_high);
		json_end(json);
	} else {
		json_null(json, "ci95");
	}
	write_u64_array(json, "samples", point->rates, point->nr_rates);
	json_end(json);
}

static void
write_folio_lock(struct json *json, const struct point_result *point)
{
	const u64 *events = point->events;

	json_object(json, "folio_lock", JSON_COMPACT);
	json_u64(json, "attempts", events[EVENT_FOLIO_LOCK]);
	json_u64(json, "found_locked", events[EVENT_FOLIO_LOCK_FOUND_LOCKED]);
	json_u64(json, "slept", events[EVENT_FOLIO_LOCK_SLEPT]);
	json_decimal(json, "found_locked_share", point->lock_found_taken, RATIO_DECIMALS);
	json_decimal(json, "slept_share", point->lock_slept, RATIO_DECIMALS);
	json_end(json);
}

/* Attempts apart from what they brought about: both mean something of their own. */
static void
write_lockref(struct json *json, const struct point_result *point)
{
	const u64 *events = point->events;

	json_object(json, "lockref", JSON_COMPACT);
	json_u64(json, "attempts", events[EVENT_LOCKREF]);
	json_u64(json, "failed", events[EVENT_LOCKREF_FAILED]);
	json_u64(json, "locked", events[EVENT_LOCKREF_SLOW]);
	json_u64(json, "retries_exhausted", events[EVENT_LOCKREF_CAP]);
	json_decimal(json, "failed_share", point->lockref_failed, RATIO_DECIMALS);
	json_decimal(json, "changes_per_op", point->lockref_changes, RATIO_DECIMALS);
	json_end(json);
}

static void
write_walk(struct json *json, const struct point_result *point)
{
	json_object(json, "path_walk", JSON_COMPACT);
	json_u64(json, "restarts", point->events[EVENT_WALK_RESTART]);
	json_u64(json, "slow_lookups", point->events[EVENT_LOOKUP_SLOW]);
	json_end(json);
}

static void
write_sites(struct json *json, const struct line_result *line)
{
	json_array(json, "sites", JSON_LINES);
	for (int i = 0; i < line->nr_sites; i++) {
		const struct site_result *site = &line->sites[i];

		json_object(json, NULL, JSON_COMPACT);
		json_string(json, "source", site->source);
		json_u64(json, "transactions", site->transactions);
		json_u64(json, "stall_ns", site->stall_ps / PS_PER_NS);
		json_u64(json, "cmpxchg_failed", site->cmpxchg_failed);
		json_end(json);
	}
	json_end(json);
}

static void
write_line(struct json *json, const struct line_result *line)
{
	json_object(json, NULL, JSON_LINES);
	json_string(json, "object", line->object);
	json_u64(json, "line", line->line);
	json_string(json, "field", line->field);
	json_u64(json, "offset", line->offset);
	json_decimal(json, "stall_share", line->stall_share, RATIO_DECIMALS);
	json_u64(json, "stall_ns", line->stall_ps / PS_PER_NS);
	json_decimal(json, "time_share", line->time_share, RATIO_DECIMALS);
	json_decimal(json, "transactions_per_op", line->per_operation, RATIO_DECIMALS);
	json_object(json, "transactions", JSON_COMPACT);
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++)
		json_u64(json, distances[i].key, line->transactions[distances[i].distance]);
	json_end(json);
	json_u64(json, "cmpxchg", line->cmpxchg);
	json_u64(json, "cmpxchg_failed", line->cmpxchg_failed);
	write_sites(json, line);
	json_end(json);
}

static void
write_published(struct json *json, const struct point_result *point)
{
	if (point->has_published) {
		json_u64(json, "published", point->published);
		if (point->status == POINT_OK)
			json_decimal(json, "error", point->error, RATIO_DECIMALS);
	}
	if (point->has_published_boost) {
		json_array(json, "published_boost_permille", JSON_COMPACT);
		json_s64(json, NULL, point->published_boost[0]);
		json_s64(json, NULL, point->published_boost[1]);
		json_end(json);
	}
}

static void
write_figures(struct json *json, const struct point_result *point, bool is_virtual)
{
	write_rates(json, point);
	write_u64_array(json, "per_task", point->per_task, point->tasks);
	json_decimal(json, "fairness", point->fairness_permille, 3);
	if (is_virtual)
		json_decimal(json, "cmpxchg_failed", point->cmpxchg_failed, RATIO_DECIMALS);
	else
		json_null(json, "cmpxchg_failed"); /* real ones are not counted */
	write_folio_lock(json, point);
	write_lockref(json, point);
	write_walk(json, point);
	if (!is_virtual)
		return;
	json_u64(json, "stall_ns", point->stall_ps / PS_PER_NS);
	json_u64(json, "transactions", point->transactions);
	json_array(json, "lines", JSON_LINES);
	for (int i = 0; i < point->nr_lines; i++)
		write_line(json, &point->lines[i]);
	json_end(json);
}

static void
write_point(struct json *json, const struct run_result *run, const struct point_result *point)
{
	json_object(json, NULL, JSON_LINES);
	json_string(json, "variant", run->workload->variants[point->variant].name);
	json_u64(json, "tasks", point->tasks);
	json_string(json, "status", point_status_name(point->status));
	if (point->status == POINT_OK)
		write_figures(json, point, run->is_virtual);
	else
		json_string(json, "message", point->message);
	write_published(json, point);
	json_end(json);
}

static void
write_accuracy(struct json *json, const struct run_result *run)
{
	json_array(json, "accuracy", JSON_LINES);
	for (int i = 0; i < run->nr_accuracy; i++) {
		const struct accuracy *accuracy = &run->accuracy[i];

		json_object(json, NULL, JSON_COMPACT);
		json_string(json, "variant", run->workload->variants[accuracy->variant].name);
		json_string(json, "role", accuracy->base ? "base" : "predicted");
		json_decimal(json, "mean_error", accuracy->mean_error, RATIO_DECIMALS);
		json_decimal(json, "max_error", accuracy->max_error, RATIO_DECIMALS);
		json_end(json);
	}
	json_end(json);
}

static void
write_head(struct json *json, const struct run_result *run)
{
	const struct workload *workload = run->workload;

	json_string(json, "schema", "engine-result/1");
	json_object(json, "engine", JSON_COMPACT);
	json_string(json, "version", ENGINE_VERSION);
	json_string(json, "build", ENGINE_BUILD);
	json_end(json);
	json_string(json, "workload", workload->name);
	json_string(json, "machine", run->machine);
	json_string(json, "kind", run->is_virtual ? "virtual" : "host");
	json_string(json, "as", workload->as == AS_THREADS ? "threads" : "processes");
	json_u64(json, "seed", run->seed);
	json_bool(json, "races_checked", run->races);
	json_bool(json, "interrupted", run->interrupted);
}

void
report_json(const struct run_result *run, FILE *out)
{
	struct json json = { .out = out };

	json_object(&json, NULL, JSON_LINES);
	write_head(&json, run);
	report_config(&json, "config", run->workload);
	write_inputs(&json, run);
	if (run->host)
		write_host(&json, run->host);
	json_array(&json, "points", JSON_LINES);
	for (int i = 0; i < run->nr_points; i++)
		write_point(&json, run, &run->points[i]);
	json_end(&json);
	write_accuracy(&json, run);
	json_end(&json);
}
