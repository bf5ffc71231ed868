/*
 * contention.c - the second table of `engine run`: what the tasks of each row waited for
 *
 *	 contention: folio locks found taken, slept for; transactions per operation on line A
 *	 tasks | vanilla: taken  slept     A | patched: taken  slept     A
 *	    24 |           4.9%   0.0%  4.30 |           5.8%   0.0%  2.10
 *	 line A        folio of /file (L0): _refcount
 *
 * The shares are of all folio_lock() calls of the row; a workload that makes none
 * does not have them. Lines are those on which the CPUs of some row spent a part
 * of their time that is worth mentioning, hottest first; only the virtual kind
 * knows any. Where nothing was waited for there is no table.
 */
#include <stdlib.h>

#include "engine/memory.h"
#include "engine/report/format.h"
#include "engine/report/grid.h"
#include "engine/report/report.h"
#include "pagecache/events.h"

#define SHARE_WIDTH 6
#define LINE_WIDTH 5

static bool
has_event(const struct run_result *run, unsigned int event)
{
	for (int i = 0; i < run->nr_points; i++)
		if (run->points[i].events[event])
			return true;
	return false;
}

/* A variant's first column bears its name. */
static void
add_column(struct grid *grid, const char *variant, const char *header, int width)
{
	char *text = xasprintf("%s%s%s", variant ? variant : "", variant ? ": " : "", header);

	grid_column(grid, text, width, variant);
	free(text);
}

static void
add_columns(struct grid *grid, const struct run_result *run, bool locks)
{
	grid_column(grid, "tasks", 0, false);
	for (u32 i = 0; i < run->workload->variants_count; i++) {
		const char *variant = run->workload->variants[i].name;

		if (!run_result_has_variant(run, i))
			continue;
		if (locks) {
			add_column(grid, variant, "taken", SHARE_WIDTH);
			add_column(grid, NULL, "slept", SHARE_WIDTH);
		}
		for (int j = 0; j < run->nr_hot; j++)
			add_column(grid, j || locks ? NULL : variant, (char[]){ 'A' + j, 0 },
				   LINE_WIDTH);
	}
}

/* A point that mentions fewer lines than it could has no transactions on the others. */
static void
add_line_cell(struct grid *grid, const struct point_result *point, const struct hot_line *hot)
{
	const struct line_result *line = point_result_find_line(point, hot);
	char text[FORMAT_SIZE];

	if (line || point->nr_lines < RESULT_MAX_LINES)
		grid_cell(grid, format_count(text, line ? line->per_operation : 0));
	else
		grid_cell(grid, "");
}

static void
add_cells(struct grid *grid, const struct run_result *run, const struct point_result *point,
	  bool locks)
{
	bool known = point && point->status == POINT_OK;
	char text[FORMAT_SIZE];

	if (locks) {
		grid_cell(grid, known ? format_error(text, point->lock_found_taken) : "");
		grid_cell(grid, known ? format_error(text, point->lock_slept) : "");
	}
	for (int i = 0; i < run->nr_hot; i++) {
		if (known)
			add_line_cell(grid, point, &run->hot[i]);
		else
			grid_cell(grid, "");
	}
}

static void
add_rows(struct grid *grid, const struct run_result *run, bool locks)
{
	const struct workload *workload = run->workload;
	char text[FORMAT_SIZE];

	for (u32 i = 0; i < workload->tasks_count; i++) {
		grid_cell(grid, format_thousands(text, workload->tasks[i]));
		for (u32 j = 0; j < workload->variants_count; j++)
			if (run_result_has_variant(run, j))
				add_cells(grid, run, run_result_find(run, j, workload->tasks[i]),
					  locks);
	}
}

static void
print_title(const struct run_result *run, bool locks, FILE *out)
{
	fprintf(out, " contention: %s%s", locks ? "folio locks found taken, slept for" : "",
		locks && run->nr_hot ? "; " : "");
	if (run->nr_hot)
		fprintf(out, "transactions per operation on line%s A",
			run->nr_hot > 1 ? "s" : "");
	for (int i = 1; i < run->nr_hot; i++)
		fprintf(out, ", %c", 'A' + i);
	fputc('\n', out);
}

void
report_contention(const struct run_result *run, FILE *out)
{
	bool locks = has_event(run, EVENT_FOLIO_LOCK);
	struct grid grid = { 0 };

	if (!run->nr_hot && !has_event(run, EVENT_FOLIO_LOCK_FOUND_LOCKED))
		return;
	add_columns(&grid, run, locks);
	add_rows(&grid, run, locks);
	print_title(run, locks, out);
	grid_print(&grid, out);
	grid_clear(&grid);
	for (int i = 0; i < run->nr_hot; i++) {
		const struct hot_line *hot = &run->hot[i];

		fprintf(out, " line %c        %s (L%llu)%s%s\n", 'A' + i, hot->object,
			(unsigned long long)hot->line, hot->field ? ": " : "",
			hot->field ? hot->field : "");
	}
}
