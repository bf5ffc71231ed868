/*
 * sensitivity.c - what a tenth of each figure is worth; see reveal.h
 *
 * The other figures stay as they are, the solved cost too: each row is the effect
 * of one figure alone.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/calibrate/reveal.h"
#include "engine/memory.h"
#include "engine/report/grid.h"

#define TENTH 10
#define RATIO_PER_TENTH_POINT (RATIO_ONE / 1000)

/* Mean errors of all columns of all targets, in order. */
static void
mean_errors(struct evaluator *evaluator, const struct machine_spec *spec, u64 *errors)
{
	for (int i = 0; i < evaluator->nr_targets && !evaluator->interrupted; i++) {
		const struct published *published = &evaluator->targets[i].workload->published;
		struct run_result result;

		evaluate_target(evaluator, &evaluator->targets[i], spec, EVALUATE_OWN, &result);
		for (u32 j = 0; j < published->columns_count; j++, errors++)
			for (int k = 0; k < result.nr_accuracy; k++)
				if (result.accuracy[k].variant == published->columns[j])
					*errors = result.accuracy[k].mean_error;
		run_result_clear(&result);
	}
}

static int
count_columns(const struct evaluator *evaluator)
{
	int count = 0;

	for (int i = 0; i < evaluator->nr_targets; i++)
		count += evaluator->targets[i].workload->published.columns_count;
	return count;
}

static void
add_columns(struct grid *grid, const struct evaluator *evaluator)
{
	grid_column(grid, "figure", 0, false);
	grid_column(grid, "value", 0, true);
	for (int i = 0; i < evaluator->nr_targets; i++) {
		const struct workload *workload = evaluator->targets[i].workload;
		const struct published *published = &workload->published;

		for (u32 j = 0; j < published->columns_count; j++) {
			char *header = xasprintf("%s %s (%s)", workload->name,
						 workload->variants[published->columns[j]].name,
						 column_role(published, j));

			grid_column(grid, header, 0, true);
			free(header);
		}
	}
}

/* "+1.2" points. */
static void
add_change(struct grid *grid, u64 error, u64 fitted)
{
	s64 change = (s64)error - (s64)fitted;
	u64 size = ((u64)llabs(change) + RATIO_PER_TENTH_POINT / 2) / RATIO_PER_TENTH_POINT;
	char *text = xasprintf("%c%llu.%llu", change < 0 ? '-' : '+', (unsigned long long)size / 10,
			       (unsigned long long)size % 10);

	grid_cell(grid, text);
	free(text);
}

static void
add_row(struct grid *grid, struct evaluator *evaluator, const struct calibration *calibration,
	const struct fittable *fittable, u64 value, const u64 *fitted)
{
	struct machine_spec spec = calibration->after;
	int columns = count_columns(evaluator);
	u64 *errors = xcalloc(columns, sizeof(*errors));
	char text[32];

	fittable_set(fittable, &spec, value);
	mean_errors(evaluator, &spec, errors);
	grid_cell(grid, fittable->path);
	grid_cell(grid, value_format_decimal(value, fittable->unit, text));
	for (int i = 0; i < columns; i++)
		add_change(grid, errors[i], fitted[i]);
	free(errors);
}

void
sensitivity_print(struct evaluator *evaluator, const struct calibration *calibration, FILE *out)
{
	u64 *fitted = xcalloc(count_columns(evaluator), sizeof(*fitted));
	struct grid grid = { 0 };

	add_columns(&grid, evaluator);
	mean_errors(evaluator, &calibration->after, fitted);
	for (int i = 0; i < calibration->fittables.count && !evaluator->interrupted; i++) {
		const struct fittable *fittable = &calibration->fittables.entries[i];
		u64 value = fittable_get(fittable, &calibration->after);
		u64 tenth = max(value / TENTH, 1ull);

		if (!calibration_decides(calibration, fittable))
			continue;
		if (value >= tenth)
			add_row(&grid, evaluator, calibration, fittable, value - tenth, fitted);
		add_row(&grid, evaluator, calibration, fittable, value + tenth, fitted);
	}
	if (!evaluator->interrupted) {
		fputs("\nsensitivity · points of mean error, one figure a tenth off\n", out);
		grid_print(&grid, out);
	}
	grid_clear(&grid);
	free(fitted);
}
