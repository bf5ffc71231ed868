/*
 * figures.c - what was fitted, from what to what
 */
#include <stdlib.h>

#include "engine/calibrate/calibration.h"
#include "engine/memory.h"
#include "engine/report/grid.h"

static void
add_value(struct grid *grid, const struct fittable *fittable, u64 value)
{
	char text[32];

	grid_cell(grid, value_format_decimal(value, fittable->unit, text));
}

static void
add_bounds(struct grid *grid, const struct calibration *calibration,
	   const struct fittable *fittable)
{
	char smallest[32];
	char largest[32];
	char *text;

	if (fittable == calibration->evaluator.solved) {
		grid_cell(grid, "solved");
		return;
	}
	text = xasprintf("%s - %s",
			 value_format_decimal(fittable->smallest, fittable->unit, smallest),
			 value_format_decimal(fittable->largest, fittable->unit, largest));
	grid_cell(grid, text);
	free(text);
}

static void
add_row(struct grid *grid, const struct calibration *calibration, const struct fittable *fittable)
{
	grid_cell(grid, fittable->path);
	add_value(grid, fittable, fittable->value);
	add_value(grid, fittable, fittable_get(fittable, &calibration->after));
	add_bounds(grid, calibration, fittable);
	if (fittable->published)
		add_value(grid, fittable, fittable->published);
	else
		grid_cell(grid, "");
}

static void
print_bound_note(const struct calibration *calibration, const struct fittable *fittable, FILE *out)
{
	enum fit_bound bound = calibration_bound(calibration, fittable);

	if (bound != BOUND_NONE)
		fprintf(out, " note: %s ended on the %s that it may be\n", fittable->path,
			bound == BOUND_SMALLEST ? "smallest" : "largest");
}

void
calibration_print_figures(const struct calibration *calibration, FILE *out)
{
	struct grid grid = { 0 };

	fprintf(out, "%s · fitted to the base columns · %llu evaluations at most · seed %llu\n",
		calibration->before.name, (unsigned long long)calibration->evaluations,
		(unsigned long long)calibration->seed);
	grid_column(&grid, "figure", 0, false);
	grid_column(&grid, "before", 0, true);
	grid_column(&grid, "fitted", 0, false);
	grid_column(&grid, "bounds", 0, true);
	grid_column(&grid, "published", 0, false);
	for (int i = 0; i < calibration->fittables.count; i++)
		if (calibration_decides(calibration, &calibration->fittables.entries[i]))
			add_row(&grid, calibration, &calibration->fittables.entries[i]);
	grid_print(&grid, out);
	grid_clear(&grid);
	for (int i = 0; i < calibration->fittables.count; i++)
		if (calibration_decides(calibration, &calibration->fittables.entries[i]))
			print_bound_note(calibration, &calibration->fittables.entries[i], out);
}
