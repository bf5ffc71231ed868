/*
 * calibration.c - see calibration.h: what is asked for, and the fit
 */
#include "engine/calibrate/calibration.h"

#include <stdlib.h>
#include <string.h>

#include "engine/host_info.h"
#include "engine/locate.h"
#include "engine/memory.h"
#include "engine/progress.h"
#include "yaml/load.h"

#define MAX_JOBS 4096
#define MAX_EVALUATIONS 100000
#define MAX_OPERATIONS 1000000000
#define BOUND_SHARE 100 /* this close to a bound is on it */
#define DEFAULT_EVALUATIONS 200
#define DEFAULT_OPERATIONS 2000

static enum exit_code
read_numbers(struct calibration *calibration)
{
	const struct arguments *arguments = calibration->arguments;

	calibration->seed = 1;
	calibration->jobs = host_cores();
	calibration->evaluations = DEFAULT_EVALUATIONS;
	calibration->operations = DEFAULT_OPERATIONS;
	if (!arguments_number(arguments, "seed", 0, UINT64_MAX, &calibration->seed) ||
	    !arguments_number(arguments, "jobs", 1, MAX_JOBS, &calibration->jobs) ||
	    !arguments_number(arguments, "evaluations", 1, MAX_EVALUATIONS,
			      &calibration->evaluations) ||
	    !arguments_number(arguments, "operations", 1, MAX_OPERATIONS, &calibration->operations))
		return EXIT_USAGE;
	return EXIT_DONE;
}

/* Sort the figures into those to search for and the one that is solved. */
static void
sort_figures(struct calibration *calibration)
{
	struct search *search = &calibration->search;

	for (int i = 0; i < calibration->fittables.count; i++) {
		const struct fittable *fittable = &calibration->fittables.entries[i];

		if (!strcmp(fittable->path, FITTABLE_SOLVED))
			calibration->evaluator.solved = fittable;
		else if (fittable->largest > fittable->smallest)
			search->fitted[search->nr_fitted++] = fittable;
	}
}

static enum exit_code
load_machine(struct calibration *calibration)
{
	const struct arguments *arguments = calibration->arguments;
	const char *name = arguments_value(arguments, "machine");

	if (!name)
		return usage_error(arguments->command, "--machine is missing");
	if (!strcmp(name, "host")) {
		fputs("engine calibrate: the host is measured, not modelled\n", stderr);
		return EXIT_UNSUPPORTED;
	}
	calibration->machine_file = machine_find(name, arguments->operands[0]);
	if (!calibration->machine_file)
		return usage_error(arguments->command, "no machine '%s'", name);
	if (machine_load_fittables(calibration->machine_file, &calibration->before,
				   &calibration->fittables, stderr))
		return EXIT_USAGE;
	sort_figures(calibration);
	if (!calibration->search.nr_fitted && !calibration->evaluator.solved)
		return usage_error(arguments->command, "%s has no figure with `fit:`",
				   calibration->machine_file);
	return EXIT_DONE;
}

static enum exit_code
load_targets(struct calibration *calibration)
{
	const struct arguments *arguments = calibration->arguments;
	struct evaluator *evaluator = &calibration->evaluator;
	enum exit_code code = EXIT_DONE;

	evaluator->targets = xcalloc(arguments->nr_operands, sizeof(*evaluator->targets));
	calibration->base = xcalloc(arguments->nr_operands, sizeof(*calibration->base));
	for (int i = 0; i < arguments->nr_operands && code == EXIT_DONE; i++) {
		char *file = locate_workload(arguments->operands[i]);

		if (!file)
			return EXIT_USAGE;
		code = target_load_base(&evaluator->targets[evaluator->nr_targets++],
					arguments->command, file, &calibration->before);
		free(file);
	}
	return code;
}

static enum exit_code
open_output(struct calibration *calibration)
{
	const char *path = arguments_value(calibration->arguments, "o");
	int error;

	if (!path)
		return EXIT_DONE;
	error = outfile_open(&calibration->output, path);
	if (error)
		return usage_error(calibration->arguments->command, "-o: %s: %s", path,
				   strerror(-error));
	calibration->has_output = true;
	return EXIT_DONE;
}

enum exit_code
calibration_prepare(struct calibration *calibration)
{
	static enum exit_code (*const steps[])(struct calibration *) = {
		read_numbers,
		load_machine,
		load_targets,
		open_output,
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		enum exit_code code = steps[i](calibration);

		if (code != EXIT_DONE)
			return code;
	}
	return EXIT_DONE;
}

void
calibration_release(struct calibration *calibration)
{
	for (int i = 0; i < calibration->evaluator.nr_targets; i++)
		target_clear(&calibration->evaluator.targets[i]);
	if (calibration->has_output)
		outfile_abandon(&calibration->output);
	free(calibration->evaluator.targets);
	free(calibration->base);
	free(calibration->machine_file);
}

/* Of all columns of a target that was loaded blind. */
static struct column_error
error_of_base(const struct run_result *result)
{
	struct column_error error = { 0 };
	u64 sum = 0;
	u64 rows = 0;

	for (int i = 0; i < result->nr_accuracy; i++) {
		const struct accuracy *accuracy = &result->accuracy[i];

		sum += accuracy->mean_error * accuracy->rows;
		rows += accuracy->rows;
		error.worst = max(error.worst, accuracy->max_error);
	}
	error.mean = scaled_ratio(sum, rows, 1);
	return error;
}

/* What the fitted values make of the base columns, as `engine run` would show it. */
static void
measure_base(struct calibration *calibration)
{
	struct evaluator *evaluator = &calibration->evaluator;

	for (int i = 0; i < evaluator->nr_targets; i++) {
		struct run_result result;

		evaluate_target(evaluator, &evaluator->targets[i], &calibration->after,
				EVALUATE_OWN, &result);
		calibration->base[i] = error_of_base(&result);
		run_result_clear(&result);
	}
}

bool
calibration_fit(struct calibration *calibration)
{
	struct evaluator *evaluator = &calibration->evaluator;
	struct search *search = &calibration->search;
	struct progress progress;

	evaluator->seed = calibration->seed;
	evaluator->jobs = calibration->jobs;
	search->evaluator = evaluator;
	search->evaluations = calibration->evaluations;
	search->operations = calibration->operations;
	search->progress = progress_update;
	search->progress_context = &progress;
	calibration->after = calibration->before;
	progress_start(&progress, calibration->before.name,
		       arguments_value(calibration->arguments, "quiet"));
	evaluate_find_solvers(evaluator, &calibration->before);
	if (!evaluator->interrupted && search_run(search, &calibration->after))
		measure_base(calibration);
	progress_end(&progress);
	return !evaluator->interrupted;
}

bool
calibration_decides(const struct calibration *calibration, const struct fittable *fittable)
{
	for (int i = 0; i < calibration->search.nr_fitted; i++)
		if (calibration->search.fitted[i] == fittable)
			return true;
	return calibration->evaluator.solved == fittable;
}

enum fit_bound
calibration_bound(const struct calibration *calibration, const struct fittable *fittable)
{
	u64 value = fittable_get(fittable, &calibration->after);
	bool solved = fittable == calibration->evaluator.solved;
	u64 near = solved ? 0 : (fittable->largest - fittable->smallest) / BOUND_SHARE;

	if (value - fittable->smallest <= near)
		return BOUND_SMALLEST;
	return fittable->largest - value <= near ? BOUND_LARGEST : BOUND_NONE;
}
