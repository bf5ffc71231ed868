/*
 * result.c - what compares points: published values, accuracy, the exit code; see result.h
 */
#include "engine/result.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

#define HOT_SHARE (RATIO_ONE / 100) /* of the time in some row: a line worth a column */

const char *
point_status_name(enum point_status status)
{
	static const char *const names[] = { "skipped", "ok", "failed", "timeout" };

	return names[status];
}

s64
boost_permille(u64 value, u64 base)
{
	u64 change = relative_error(value, base, 1000);

	return value < base ? -(s64)change : (s64)change;
}

const struct point_result *
run_result_find(const struct run_result *run, int variant, int tasks)
{
	for (int i = 0; i < run->nr_points; i++)
		if (run->points[i].variant == variant && run->points[i].tasks == tasks)
			return &run->points[i];
	return NULL;
}

/* Return: the column of @variant in the published table, or -1. */
static int
published_column(const struct published *published, int variant)
{
	for (u32 i = 0; i < published->columns_count; i++)
		if (published->columns[i] == variant)
			return i;
	return -1;
}

/* A published boost has one range per row; it is that of the last variant it can mean. */
static int
boosted_variant(const struct workload *workload)
{
	const struct published *published = &workload->published;

	if (published->columns_count)
		return published->columns[published->columns_count - 1];
	return workload->variants_count - 1;
}

static void
attach_published(struct point_result *point, const struct workload *workload,
		 const struct published_row *row)
{
	const struct published *published = &workload->published;
	int column = published_column(published, point->variant);

	if (published->boost) {
		if (point->variant != boosted_variant(workload))
			return;
		point->has_published_boost = true;
		point->published_boost[0] = (s64)row->values[0];
		point->published_boost[1] = (s64)row->values[1];
		return;
	}
	if (column < 0)
		return;
	point->has_published = true;
	point->published = row->values[column];
	if (point->status == POINT_OK)
		point->error = relative_error(point->rate.median, point->published, RATIO_ONE);
}

static void
attach_rows(struct run_result *run)
{
	const struct published *published = &run->workload->published;

	for (int i = 0; i < run->nr_points; i++)
		for (u32 j = 0; j < published->rows_count; j++)
			if (published->rows[j].tasks == run->points[i].tasks)
				attach_published(&run->points[i], run->workload,
						 &published->rows[j]);
}

static bool
is_base(const struct published *published, int variant)
{
	int column = published_column(published, variant);

	return column >= 0 && published_is_base(published, column);
}

/* Return: false if no published point of @variant was run. */
static bool
work_out_accuracy(const struct run_result *run, int variant, struct accuracy *accuracy)
{
	u64 sum = 0;

	*accuracy = (struct accuracy){
		.variant = variant,
		.base = is_base(&run->workload->published, variant),
	};
	for (int i = 0; i < run->nr_points; i++) {
		const struct point_result *point = &run->points[i];

		if (point->variant != variant || !point->has_published || point->status != POINT_OK)
			continue;
		accuracy->rows++;
		sum += point->error;
		accuracy->max_error = max(accuracy->max_error, point->error);
	}
	accuracy->mean_error = scaled_ratio(sum, accuracy->rows, 1);
	return accuracy->rows;
}

bool
run_result_has_variant(const struct run_result *run, int variant)
{
	for (int i = 0; i < run->nr_points; i++)
		if (run->points[i].variant == variant)
			return true;
	return false;
}

static bool
is_hot_line(const struct hot_line *hot, const struct line_result *line)
{
	return hot->line == line->line && !strcmp(hot->object, line->object);
}

const struct line_result *
point_result_find_line(const struct point_result *point, const struct hot_line *hot)
{
	for (int i = 0; i < point->nr_lines; i++)
		if (is_hot_line(hot, &point->lines[i]))
			return &point->lines[i];
	return NULL;
}

/* @line made its CPUs wait in one point: it may be known from another. */
static void
add_hot_line(struct run_result *run, const struct line_result *line)
{
	struct hot_line *hot = run->hot;

	while (hot < run->hot + run->nr_hot && !is_hot_line(hot, line))
		hot++;
	if (hot == run->hot + run->nr_hot) {
		run->hot = xrealloc(run->hot, (run->nr_hot + 1) * sizeof(*hot));
		hot = &run->hot[run->nr_hot++];
	} else if (hot->time_share >= line->time_share) {
		return;
	}
	*hot = (struct hot_line){ line->object, line->field, line->line, line->time_share };
}

/* By share of the time, descending; then by name, so that no order depends on qsort. */
static int
compare_hot_lines(const void *a, const void *b)
{
	const struct hot_line *x = a;
	const struct hot_line *y = b;
	int names = strcmp(x->object, y->object);

	if (x->time_share != y->time_share)
		return x->time_share < y->time_share ? 1 : -1;
	return names ? names : (x->line > y->line) - (x->line < y->line);
}

static void
find_hot_lines(struct run_result *run)
{
	for (int i = 0; i < run->nr_points; i++)
		for (int j = 0; j < run->points[i].nr_lines; j++)
			if (run->points[i].lines[j].time_share >= HOT_SHARE)
				add_hot_line(run, &run->points[i].lines[j]);
	if (run->nr_hot)
		qsort(run->hot, run->nr_hot, sizeof(*run->hot), compare_hot_lines);
	run->nr_hot = min(run->nr_hot, RESULT_HOT_LINES);
}

void
run_result_finish(struct run_result *run)
{
	const struct workload *workload = run->workload;
	const char *machine = workload->published.machine;

	find_hot_lines(run);
	run->shows_published = machine && !strcmp(machine, run->machine);
	if (!run->shows_published)
		return;
	attach_rows(run);
	run->accuracy = xcalloc(workload->variants_count, sizeof(*run->accuracy));
	for (u32 i = 0; i < workload->variants_count; i++)
		if (work_out_accuracy(run, i, &run->accuracy[run->nr_accuracy]))
			run->nr_accuracy++;
}

void
run_result_clear(struct run_result *run)
{
	for (int i = 0; i < run->nr_points; i++)
		point_result_clear(&run->points[i]);
	for (int i = 0; i < run->nr_inputs; i++)
		free(run->inputs[i].name);
	free(run->points);
	free(run->accuracy);
	free(run->hot);
	memset(run, 0, sizeof(*run));
}

enum exit_code
run_result_exit_code(const struct run_result *run)
{
	enum exit_code code = run->interrupted ? EXIT_INTERRUPTED : EXIT_DONE;

	for (int i = 0; i < run->nr_points; i++)
		code = exit_code_merge(code, run->points[i].exit_code);
	return code;
}
