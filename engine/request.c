/*
 * request.c - see request.h
 */
#include "engine/request.h"

#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/locate.h"
#include "engine/memory.h"
#include "engine/placement.h"
#include "yaml/load.h"
#include "yaml/suggest.h"

#define MAX_JOBS 512 /* each has a pipe, and a process may have 1,024 files */
#define MAX_LIMIT 86400 /* a day */

bool
request_has(const struct request *request, const char *name)
{
	return arguments_value(request->arguments, name);
}

static enum exit_code
load_workload(struct request *request)
{
	struct workload_source source = { 0 };
	struct override *overrides = overrides_from(request->arguments, &source.nr_overrides);

	if (source.nr_overrides < 0)
		return EXIT_USAGE;
	source.file = request->file = locate_workload(request->arguments->operands[0]);
	source.overrides = overrides;
	if (source.file)
		request->workload = workload_load(&source, stderr);
	overrides_free(overrides, source.nr_overrides);
	return request->workload ? EXIT_DONE : EXIT_USAGE;
}

static enum exit_code
load_machine(struct request *request)
{
	const char *name = request->workload->machine;

	if (!strcmp(name, "host")) {
		if (!request_has(request, "races"))
			return EXIT_DONE;
		fputs("engine run: --races needs a virtual machine; "
		      "on the host use the tsan build\n",
		      stderr);
		return EXIT_UNSUPPORTED;
	}
	request->machine_file = machine_find(name, request->file);
	if (!request->machine_file)
		return usage_error(request->arguments->command, "no machine '%s'", name);
	return machine_load(request->machine_file, &request->spec, stderr) ? EXIT_USAGE
									   : EXIT_DONE;
}

/* An initial task needs a modelled CPU of its own. */
static enum exit_code
check_cpus(struct request *request)
{
	const struct workload *workload = request->workload;
	enum exit_code code = EXIT_DONE;
	int cpus = machine_spec_cpus(&request->spec);

	for (u32 i = 0; i < workload->tasks_count && request->machine_file; i++) {
		if (workload->tasks[i] <= cpus)
			continue;
		fprintf(stderr, "%s: %d tasks, but %s has %d CPUs\n",
			workload_tasks_position(workload, i), workload->tasks[i],
			request->spec.name, cpus);
		code = EXIT_USAGE;
	}
	return code;
}

/* Return: number of the variant, or -1 after a message on stderr. */
static int
find_variant(const struct request *request, const char *name)
{
	const struct workload *workload = request->workload;
	struct suggestion suggestion = SUGGESTION(name);
	char hint[128];

	for (u32 i = 0; i < workload->variants_count; i++) {
		if (!strcmp(workload->variants[i].name, name))
			return i;
		suggest(&suggestion, workload->variants[i].name);
	}
	usage_error(request->arguments->command, "no variant '%s' in %s%s", name, request->file,
		    suggestion_text(&suggestion, hint));
	return -1;
}

static enum exit_code
choose_variants(struct request *request)
{
	const struct arguments *arguments = request->arguments;

	for (int i = 0; i < arguments->nr_given; i++) {
		int variant;

		if (strcmp(arguments->given[i].option->name, "variant"))
			continue;
		variant = find_variant(request, arguments->given[i].value);
		if (variant < 0)
			return EXIT_USAGE;
		if (!request->wanted)
			request->wanted = xcalloc(request->workload->variants_count, sizeof(bool));
		request->wanted[variant] = true;
	}
	return EXIT_DONE;
}

static enum exit_code
check_places(struct request *request)
{
	return placement_check(request->workload, request->machine_file ? &request->spec : NULL,
			       request->wanted);
}

static enum exit_code
read_numbers(struct request *request)
{
	request->seed = 1;
	request->jobs = host_cores();
	request->quiet = request_has(request, "quiet");
	if (!arguments_number(request->arguments, "seed", 0, UINT64_MAX, &request->seed) ||
	    !arguments_number(request->arguments, "jobs", 1, MAX_JOBS, &request->jobs) ||
	    !arguments_number(request->arguments, "limit", 1, MAX_LIMIT, &request->limit_s))
		return EXIT_USAGE;
	return EXIT_DONE;
}

static enum exit_code
open_output(struct request *request, struct output *output, const char *option)
{
	const char *path = arguments_value(request->arguments, option);
	int error;

	if (!path)
		return EXIT_DONE;
	error = outfile_open(&output->file, path);
	if (error)
		return usage_error(request->arguments->command, "--%s: %s: %s", option, path,
				   strerror(-error));
	output->wanted = true;
	output->is_stdout = !output->file.path;
	return EXIT_DONE;
}

static enum exit_code
open_outputs(struct request *request)
{
	enum exit_code code = open_output(request, &request->json, "json");

	if (code == EXIT_DONE)
		code = open_output(request, &request->csv, "csv");
	if (code == EXIT_DONE && request->json.is_stdout && request->csv.is_stdout)
		return usage_error(request->arguments->command,
				   "--json and --csv cannot both write to stdout");
	return code;
}

enum exit_code
request_prepare(struct request *request)
{
	static enum exit_code (*const steps[])(struct request *) = {
		read_numbers,	 load_workload, load_machine, check_cpus,
		choose_variants, check_places,	open_outputs,
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		enum exit_code code = steps[i](request);

		if (code != EXIT_DONE)
			return code;
	}
	return EXIT_DONE;
}

/* Options that a repetition of one point gives itself, or has no use for. */
static bool
is_about_all_points(const char *option)
{
	static const char *const names[] = { "tasks", "variant", "seed", "jobs",
					     "json",  "csv",	 "no-host", "quiet" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], option))
			return true;
	return false;
}

/* @text as one word of a shell. */
static void
print_word(const char *text, FILE *out)
{
	if (*text && !strpbrk(text, " \t\n'\"\\$`*?[]{}()<>|&;#~!")) {
		fputs(text, out);
		return;
	}
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
}

void
request_print_again(const struct request *request, const struct point_result *point, FILE *out)
{
	const struct arguments *arguments = request->arguments;

	fputs("engine run ", out);
	print_word(arguments->operands[0], out);
	for (int i = 0; i < arguments->nr_given; i++) {
		const struct given *given = &arguments->given[i];

		if (is_about_all_points(given->option->name))
			continue;
		fprintf(out, " --%s", given->option->name);
		if (!given->option->value)
			continue;
		fputc(' ', out);
		print_word(given->value, out);
	}
	fputs(" --variant ", out);
	print_word(request->workload->variants[point->variant].name, out);
	fprintf(out, " --tasks %d --seed %llu\n", point->tasks, (unsigned long long)request->seed);
}

void
request_release(struct request *request)
{
	if (request->json.wanted)
		outfile_abandon(&request->json.file);
	if (request->csv.wanted)
		outfile_abandon(&request->csv.file);
	run_result_clear(&request->result);
	host_info_clear(&request->host);
	if (request->workload)
		workload_free(request->workload);
	free(request->wanted);
	free(request->machine_file);
	free(request->file);
}
