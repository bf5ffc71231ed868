/*
 * reveal.c - see reveal.h; the other columns are read here, and here for the first time
 */
#include "engine/calibrate/reveal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/report/format.h"
#include "engine/report/grid.h"

#define RATE_WIDTH 11

const char *
column_role(const struct published *published, u32 column)
{
	return published_is_base(published, column) ? "base" : "predicted";
}

static void
add_columns(struct grid *grid, const struct workload *workload)
{
	const struct published *published = &workload->published;

	grid_column(grid, "tasks", 0, false);
	for (u32 i = 0; i < published->columns_count; i++) {
		char *header = xasprintf("%s (%s)", workload->variants[published->columns[i]].name,
					 column_role(published, i));

		grid_column(grid, header, RATE_WIDTH, true);
		grid_column(grid, "modelled", RATE_WIDTH, false);
		grid_column(grid, "error", 0, false);
		free(header);
	}
}

static void
add_rate(struct grid *grid, u64 rate)
{
	char text[FORMAT_SIZE];

	grid_cell(grid, format_thousands(text, rate));
}

static void
add_error(struct grid *grid, u64 error)
{
	char text[FORMAT_SIZE];

	grid_cell(grid, format_error(text, error));
}

static void
add_row(struct grid *grid, const struct run_result *result, const struct published_row *row)
{
	const struct published *published = &result->workload->published;

	add_rate(grid, row->tasks);
	for (u32 i = 0; i < published->columns_count; i++) {
		const struct point_result *point =
			run_result_find(result, published->columns[i], row->tasks);

		add_rate(grid, row->values[i]);
		if (point && point->status == POINT_OK) {
			add_rate(grid, point->rate.median);
			add_error(grid, point->error);
			continue;
		}
		grid_cell(grid, point ? point_status_name(point->status) : "");
		grid_cell(grid, "");
	}
}

static const struct accuracy *
find_accuracy(const struct run_result *result, int variant)
{
	for (int i = 0; i < result->nr_accuracy; i++)
		if (result->accuracy[i].variant == variant)
			return &result->accuracy[i];
	return NULL;
}

static void
add_summary(struct grid *grid, const struct run_result *result, const char *name, bool worst)
{
	const struct published *published = &result->workload->published;

	grid_cell(grid, name);
	for (u32 i = 0; i < published->columns_count; i++) {
		const struct accuracy *accuracy = find_accuracy(result, published->columns[i]);

		grid_cell(grid, "");
		grid_cell(grid, "");
		if (accuracy)
			add_error(grid, worst ? accuracy->max_error : accuracy->mean_error);
		else
			grid_cell(grid, "");
	}
}

void
reveal_print_table(const struct run_result *result, FILE *out)
{
	const struct workload *workload = result->workload;
	struct grid grid = { 0 };

	add_columns(&grid, workload);
	for (u32 i = 0; i < workload->published.rows_count; i++)
		add_row(&grid, result, &workload->published.rows[i]);
	add_summary(&grid, result, "mean", false);
	add_summary(&grid, result, "worst", true);
	fprintf(out, "\n%s · published and modelled, ops/s\n", workload->name);
	grid_print(&grid, out);
	grid_clear(&grid);
}

static void
explain_failures(const struct run_result *result)
{
	for (int i = 0; i < result->nr_points; i++) {
		const struct point_result *point = &result->points[i];

		if (point->status != POINT_OK && point->status != POINT_SKIPPED)
			fprintf(stderr, "engine: %s, %s, %d tasks: %s: %s\n",
				result->workload->name,
				result->workload->variants[point->variant].name, point->tasks,
				point_status_name(point->status), point->message);
	}
}

static enum exit_code
reveal_target(struct evaluator *evaluator, const struct target *target,
	      const struct machine_spec *spec, FILE *out)
{
	struct run_result result;
	enum exit_code code;

	evaluate_target(evaluator, target, spec, EVALUATE_OWN, &result);
	code = run_result_exit_code(&result);
	if (!result.interrupted)
		reveal_print_table(&result, out);
	explain_failures(&result);
	run_result_clear(&result);
	return code;
}

static enum exit_code
load_all(struct evaluator *evaluator, const struct calibration *calibration)
{
	const struct evaluator *blind = &calibration->evaluator;
	enum exit_code code = EXIT_DONE;

	evaluator->targets = xcalloc(blind->nr_targets, sizeof(*evaluator->targets));
	evaluator->nr_targets = 0;
	for (int i = 0; i < blind->nr_targets && code == EXIT_DONE; i++)
		code = target_load_all(&evaluator->targets[evaluator->nr_targets++],
				       calibration->arguments->command, blind->targets[i].file,
				       &calibration->after);
	return code;
}

enum exit_code
calibration_reveal(struct calibration *calibration, FILE *out)
{
	struct evaluator evaluator = calibration->evaluator;
	enum exit_code code = load_all(&evaluator, calibration);

	for (int i = 0; i < evaluator.nr_targets && code != EXIT_USAGE; i++)
		if (!evaluator.interrupted)
			code = exit_code_merge(code,
					       reveal_target(&evaluator, &evaluator.targets[i],
							     &calibration->after, out));
	if (code == EXIT_DONE && arguments_value(calibration->arguments, "sensitivity"))
		sensitivity_print(&evaluator, calibration, out);
	if (evaluator.interrupted)
		code = exit_code_merge(code, EXIT_INTERRUPTED);
	for (int i = 0; i < evaluator.nr_targets; i++)
		target_clear(&evaluator.targets[i]);
	free(evaluator.targets);
	return code;
}
