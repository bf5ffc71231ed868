/*
 * command_run.c - `engine run`: run the points, write the reports
 *
 * Results go to stdout or a file and nothing else does; what has to be said
 * about them goes to stderr.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/commands.h"
#include "engine/memory.h"
#include "engine/progress.h"
#include "engine/report/format.h"
#include "engine/report/report.h"
#include "engine/request.h"
#include "engine/runner.h"
#include "engine/symbolise.h"

const struct option run_options[] = {
	{ "machine", "M", "machine to run on: `host`, a name from `engine list`, or a .yaml file" },
	{ "tasks", "LIST", "numbers of tasks: 1,2,4" },
	{ "variant", "NAME", "only this variant; may be repeated" },
	{ "set", "PATH=VALUE", "set any key of the workload; may be repeated" },
	{ "seed", "N", "seed of everything random; default 1" },
	{ "jobs", "N", "virtual: child processes at a time; default: host cores" },
	{ "json", "FILE|-", "write the whole result as JSON; - is stdout" },
	{ "csv", "FILE|-", "write one line per point; - is stdout" },
	{ "no-host", NULL, "leave wall-clock and host facts out of the JSON" },
	{ "limit", "SECONDS", "end a sample that takes longer; default: 120" },
	{ "races", NULL, "virtual: check for data races (slower)" },
	{ "quiet", NULL, "no progress line and no warnings" },
	{ 0 },
};

static int
most_tasks(const struct workload *workload)
{
	int most = 0;

	for (u32 i = 0; i < workload->tasks_count; i++)
		most = max(most, workload->tasks[i]);
	return most;
}

static void
look_at_host(struct request *request)
{
	host_info_collect(&request->host);
	if (request->machine_file)
		return;
	host_info_check(&request->host, most_tasks(request->workload));
	for (int i = 0; i < request->host.nr_warnings && !request->quiet; i++)
		fprintf(stderr, "engine: warning: %s\n", request->host.warnings[i]);
}

/*
 * A result names its inputs relative to the workload's folder: the workload is
 * in it, a machine was found by its name below a folder `machines`.
 */
static void
add_input(struct request *request, const char *path, const char *folder)
{
	struct input_file *input = &request->result.inputs[request->result.nr_inputs];
	const char *last = strrchr(path, '/');

	if (sha256_file(path, input->sha256))
		return;
	input->name = xasprintf("%s%s", folder, last ? last + 1 : path);
	request->result.nr_inputs++;
}

static u64
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static void
run_points(struct request *request)
{
	struct progress progress;
	struct runner_config config = {
		.kernel = request->machine_file ? &virtual_kernel : &host_kernel,
		.spec = request->machine_file ? &request->spec : NULL,
		.workload = request->workload,
		.wanted = request->wanted,
		.seed = request->seed,
		.jobs = request->jobs,
		.races = request_has(request, "races"),
		.limit_ms = request->limit_s * 1000,
		.progress = progress_update,
		.progress_context = &progress,
	};
	u64 started = now_ms();

	request->result.workload = request->workload;
	request->result.is_virtual = request->machine_file;
	request->result.machine = request->machine_file ? request->spec.name : "host";
	request->result.seed = request->seed;
	request->result.races = config.races;
	add_input(request, request->file, "");
	if (request->machine_file)
		add_input(request, request->machine_file,
			  strchr(request->workload->machine, '/') ? "" : "machines/");
	progress_start(&progress, request->workload->name, request->quiet);
	runner_run(&config, &request->result);
	progress_end(&progress);
	request->host.elapsed_ms = now_ms() - started;
	if (!request_has(request, "no-host"))
		request->result.host = &request->host;
}

static bool
went_wrong(const struct point_result *point)
{
	return point->status == POINT_FAILED || point->status == POINT_TIMEOUT;
}

/* Length of a message without the task and time of a panic, which differ everywhere. */
static size_t
what_went_wrong(const char *message)
{
	const char *where = strstr(message, " [task ");

	return where ? (size_t)(where - message) : strlen(message);
}

static bool
went_wrong_alike(const struct point_result *a, const struct point_result *b)
{
	size_t length;

	if (!went_wrong(a) || a->status != b->status)
		return false;
	length = what_went_wrong(a->message);
	return length == what_went_wrong(b->message) && !memcmp(a->message, b->message, length);
}

/* Points in [@from, @to) that went wrong as the @nth did. */
static int
count_alike(const struct run_result *result, int nth, int from, int to)
{
	int count = 0;

	for (int i = from; i < to; i++)
		count += went_wrong_alike(&result->points[i], &result->points[nth]);
	return count;
}

/* What went wrong, and how to see it again: once for all points with one message. */
static void
explain_failures(const struct request *request)
{
	const struct run_result *result = &request->result;

	for (int i = 0; i < result->nr_points; i++) {
		const struct point_result *point = &result->points[i];
		char tasks[FORMAT_SIZE];
		int alike;

		if (!went_wrong(point) || count_alike(result, i, 0, i))
			continue;
		alike = count_alike(result, i, i + 1, result->nr_points);
		fprintf(stderr, "engine: %s, %s, seed %llu",
			request->workload->variants[point->variant].name,
			format_tasks(tasks, point->tasks), (unsigned long long)request->seed);
		if (alike)
			fprintf(stderr, " (and %d more of %d points)", alike, result->nr_points);
		fprintf(stderr, ": %s: %s\n  again: ", point_status_name(point->status),
			point->message);
		request_print_again(request, point, stderr);
	}
	if (request->result.interrupted)
		fputs("engine: interrupted; results are partial\n", stderr);
}

static enum exit_code
write_output(struct output *output, const struct run_result *result,
	     void (*report)(const struct run_result *, FILE *))
{
	int error;

	if (!output->wanted)
		return EXIT_DONE;
	report(result, output->file.stream);
	error = outfile_commit(&output->file);
	output->wanted = false;
	if (!error)
		return EXIT_DONE;
	fprintf(stderr, "engine run: cannot write the result: %s\n", strerror(-error));
	return EXIT_RESOURCE;
}

static enum exit_code
write_outputs(struct request *request)
{
	const struct run_result *result = &request->result;
	bool table = !request->json.is_stdout && !request->csv.is_stdout;
	enum exit_code code = write_output(&request->json, result, report_json);

	code = exit_code_merge(code, write_output(&request->csv, result, report_csv));
	if (table)
		report_table(result, stdout);
	return code;
}

enum exit_code
command_run(const struct arguments *arguments)
{
	struct request request = { .arguments = arguments };
	enum exit_code code = request_prepare(&request);

	if (code == EXIT_DONE) {
		look_at_host(&request);
		run_points(&request);
		explain_failures(&request);
		code = exit_code_merge(write_outputs(&request),
				       run_result_exit_code(&request.result));
	}
	request_release(&request);
	symbolise_done();
	return code;
}
