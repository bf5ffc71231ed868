/*
 * table.c - what `engine run` prints for people
 *
 * Columns, from left to right: tasks; the rate of each variant, and for all but
 * the first its boost over the first; what was published, when it was for this
 * machine, and how far off the modelled values are on average. With enough
 * samples a 95 % interval of the median follows each rate. Under it contention.c
 * has a second table, and then come remarks.
 */
#include <stdlib.h>

#include "engine/memory.h"
#include "engine/report/format.h"
#include "engine/report/grid.h"
#include "engine/report/report.h"
#include "vfs/events.h"

#define RATE_WIDTH 11
#define BOOST_WIDTH 7
#define PUBLISHED_WIDTH 19
#define ERROR_WIDTH 5
#define FAIR_PERMILLE 900 /* below this the table says so */

/* What the table shows, decided once. */
struct view {
	const struct run_result *run;
	struct grid grid;
	bool intervals;
	bool boosts;
	bool rates_published;
	bool boost_published;
};

static const char *
variant_name(const struct view *view, int variant)
{
	return view->run->workload->variants[variant].name;
}

/* The point of @variant with most tasks, or NULL. */
static const struct point_result *
largest_point(const struct run_result *run, int variant)
{
	const struct point_result *largest = NULL;

	for (int i = 0; i < run->nr_points; i++) {
		const struct point_result *point = &run->points[i];

		if (point->variant != variant || point->status != POINT_OK)
			continue;
		if (!largest || point->tasks > largest->tasks)
			largest = point;
	}
	return largest;
}

static bool
is_published(const struct run_result *run, int variant)
{
	for (int i = 0; i < run->nr_points; i++)
		if (run->points[i].variant == variant && run->points[i].has_published)
			return true;
	return false;
}

static void
decide(struct view *view)
{
	for (int i = 0; i < view->run->nr_points; i++) {
		const struct point_result *point = &view->run->points[i];

		view->intervals |= point->status == POINT_OK && point->rate.has_ci;
		view->rates_published |= point->has_published;
		view->boost_published |= point->has_published_boost;
	}
	view->boosts = run_result_has_variant(view->run, 0);
}

static void
add_rate_columns(struct view *view, int variant, bool first)
{
	grid_column(&view->grid, variant_name(view, variant), RATE_WIDTH, first);
	if (view->intervals)
		grid_column(&view->grid, "95 % interval", 0, false);
	if (view->boosts && variant)
		grid_column(&view->grid, "boost", BOOST_WIDTH, false);
}

static void
add_published_columns(struct view *view)
{
	bool first = true;

	for (u32 i = 0; i < view->run->workload->variants_count; i++) {
		char *header;

		if (!is_published(view->run, i))
			continue;
		header = xasprintf("%s%s", first ? "published: " : "", variant_name(view, i));
		grid_column(&view->grid, header, first ? PUBLISHED_WIDTH : RATE_WIDTH, first);
		free(header);
		first = false;
		if (i && is_published(view->run, 0))
			grid_column(&view->grid, "boost", BOOST_WIDTH, false);
	}
	if (view->rates_published)
		grid_column(&view->grid, "error", ERROR_WIDTH, true);
	if (view->boost_published)
		grid_column(&view->grid, "published: boost", 0, true);
}

static void
add_columns(struct view *view)
{
	bool first = true;

	grid_column(&view->grid, "tasks", 0, false);
	for (u32 i = 0; i < view->run->workload->variants_count; i++) {
		if (!run_result_has_variant(view->run, i))
			continue;
		add_rate_columns(view, i, first);
		first = false;
	}
	add_published_columns(view);
}

static void
add_number(struct view *view, u64 value)
{
	char text[FORMAT_SIZE];

	grid_cell(&view->grid, format_thousands(text, value));
}

static void
add_interval(struct view *view, const struct point_result *point)
{
	char low[FORMAT_SIZE];
	char high[FORMAT_SIZE];
	char *text;

	if (!point || point->status != POINT_OK || !point->rate.has_ci) {
		grid_cell(&view->grid, "");
		return;
	}
	text = xasprintf("%s - %s", format_thousands(low, point->rate.ci_low),
			 format_thousands(high, point->rate.ci_high));
	grid_cell(&view->grid, text);
	free(text);
}

static void
add_boost(struct view *view, bool known, u64 value, u64 base)
{
	char text[FORMAT_SIZE];

	grid_cell(&view->grid, known ? format_boost(text, boost_permille(value, base)) : "");
}

static bool
is_ok(const struct point_result *point)
{
	return point && point->status == POINT_OK;
}

static void
add_rates(struct view *view, int variant, int tasks)
{
	const struct point_result *point = run_result_find(view->run, variant, tasks);
	const struct point_result *base = run_result_find(view->run, 0, tasks);
	bool both = is_ok(point) && is_ok(base);

	if (is_ok(point))
		add_number(view, point->rate.median);
	else
		grid_cell(&view->grid, point ? point_status_name(point->status) : "");
	if (view->intervals)
		add_interval(view, point);
	if (view->boosts && variant)
		add_boost(view, both, both ? point->rate.median : 0, both ? base->rate.median : 0);
}

/* Mean error of the row's published points. */
static void
add_error(struct view *view, int tasks)
{
	char text[FORMAT_SIZE];
	u64 sum = 0;
	u64 n = 0;

	for (u32 i = 0; i < view->run->workload->variants_count; i++) {
		const struct point_result *point = run_result_find(view->run, i, tasks);

		if (!is_ok(point) || !point->has_published)
			continue;
		sum += point->error;
		n++;
	}
	grid_cell(&view->grid, n ? format_error(text, scaled_ratio(sum, n, 1)) : "");
}

static void
add_published_boost(struct view *view, int tasks)
{
	const struct point_result *point = NULL;
	char low[FORMAT_SIZE];
	char high[FORMAT_SIZE];
	char *text;

	for (u32 i = 0; i < view->run->workload->variants_count; i++) {
		point = run_result_find(view->run, i, tasks);
		if (point && point->has_published_boost)
			break;
	}
	if (!point || !point->has_published_boost) {
		grid_cell(&view->grid, "");
		return;
	}
	text = xasprintf("%s .. %s", format_boost(low, point->published_boost[0]),
			 format_boost(high, point->published_boost[1]));
	grid_cell(&view->grid, text);
	free(text);
}

static void
add_published(struct view *view, int tasks)
{
	const struct point_result *base = run_result_find(view->run, 0, tasks);

	for (u32 i = 0; i < view->run->workload->variants_count; i++) {
		const struct point_result *point = run_result_find(view->run, i, tasks);
		bool known = point && point->has_published;

		if (!is_published(view->run, i))
			continue;
		if (known)
			add_number(view, point->published);
		else
			grid_cell(&view->grid, "");
		if (i && is_published(view->run, 0)) {
			known = known && base && base->has_published;
			add_boost(view, known, known ? point->published : 0,
				  known ? base->published : 0);
		}
	}
	if (view->rates_published)
		add_error(view, tasks);
	if (view->boost_published)
		add_published_boost(view, tasks);
}

static void
add_rows(struct view *view)
{
	const struct workload *workload = view->run->workload;

	for (u32 i = 0; i < workload->tasks_count; i++) {
		add_number(view, workload->tasks[i]);
		for (u32 j = 0; j < workload->variants_count; j++)
			if (run_result_has_variant(view->run, j))
				add_rates(view, j, workload->tasks[i]);
		add_published(view, workload->tasks[i]);
	}
}

static void
print_title(const struct run_result *run, FILE *out)
{
	const struct workload *workload = run->workload;

	fputs(workload->name, out);
	if (workload->title && *workload->title)
		fprintf(out, " · %s", workload->title);
	fprintf(out, " · machine %s", run->machine);
	if (run->is_virtual)
		fputs(" (virtual)", out);
	fprintf(out, " · %s · seed %llu\n", workload->as == AS_THREADS ? "threads" : "processes",
		(unsigned long long)run->seed);
}

static unsigned int
percent(u64 num, u64 den)
{
	return scaled_ratio(num, den, 100);
}

/* The hottest line of @point, which is the last of its column. */
static void
print_hottest(const struct point_result *point, const char *variant, FILE *out)
{
	const struct line_result *line = &point->lines[0];
	char tasks[FORMAT_SIZE];

	if (!point->nr_lines)
		return;
	fprintf(out, " hottest line  %s (L%llu)", line->object, (unsigned long long)line->line);
	if (line->field)
		fprintf(out, ": %s", line->field);
	fprintf(out, "  %u %% of stalls", percent(line->stall_share, RATIO_ONE));
	if (line->cmpxchg)
		fprintf(out, ", %u %% of cmpxchg failed",
			percent(line->cmpxchg_failed, line->cmpxchg));
	fprintf(out, " (%s, %s)\n", variant, format_tasks(tasks, point->tasks));
}

/* What references on dentries came to, if there were any. */
static void
print_lockrefs(const struct point_result *point, const char *variant, FILE *out)
{
	const u64 *events = point->events;
	char text[FORMAT_SIZE];

	if (!events[EVENT_LOCKREF] && !events[EVENT_LOCKREF_SLOW])
		return;
	fprintf(out, " lockref       %s changes per operation",
		format_count(text, point->lockref_changes));
	if (events[EVENT_LOCKREF_FAILED])
		fprintf(out, ", %s of attempts failed", format_error(text, point->lockref_failed));
	if (events[EVENT_LOCKREF_SLOW])
		fprintf(out, ", %s took the lock",
			format_thousands(text, events[EVENT_LOCKREF_SLOW]));
	if (events[EVENT_LOCKREF_CAP])
		fprintf(out, ", %s ran out of retries",
			format_thousands(text, events[EVENT_LOCKREF_CAP]));
	if (events[EVENT_WALK_RESTART])
		fprintf(out, ", %s walks restarted",
			format_thousands(text, events[EVENT_WALK_RESTART]));
	fprintf(out, " (%s, %s)\n", variant, format_tasks(text, point->tasks));
}

/* Tasks that get much less than others: what a lock's arbitration is judged by. */
static void
print_unfair(const struct point_result *point, const char *variant, FILE *out)
{
	char least[FORMAT_SIZE];
	char most[FORMAT_SIZE];
	struct summary summary;

	if (point->fairness_permille >= FAIR_PERMILLE)
		return;
	stats_summarise(point->per_task, point->tasks, &summary);
	fprintf(out, " unfair        Jain's index 0.%03u, from %s to %s per task (%s, %d tasks)\n",
		(unsigned int)point->fairness_permille, format_thousands(least, summary.min),
		format_thousands(most, summary.max), variant, point->tasks);
}

static void
print_accuracy(const struct view *view, FILE *out)
{
	for (int i = 0; i < view->run->nr_accuracy; i++) {
		const struct accuracy *accuracy = &view->run->accuracy[i];
		char mean[FORMAT_SIZE];
		char worst[FORMAT_SIZE];

		fprintf(out, " accuracy      mean error %s, worst %s (%s, %s)\n",
			format_error(mean, accuracy->mean_error),
			format_error(worst, accuracy->max_error),
			variant_name(view, accuracy->variant),
			accuracy->base ? "base" : "predicted");
	}
}

static void
print_remarks(const struct view *view, FILE *out)
{
	static void (*const remarks[])(const struct point_result *, const char *, FILE *) = {
		print_hottest,
		print_lockrefs,
		print_unfair,
	};
	const struct point_result *point;

	for (size_t i = 0; i < ARRAY_SIZE(remarks); i++)
		for (u32 j = 0; j < view->run->workload->variants_count; j++)
			if ((point = largest_point(view->run, j)))
				remarks[i](point, variant_name(view, j), out);
	print_accuracy(view, out);
}

void
report_table(const struct run_result *run, FILE *out)
{
	struct view view = { .run = run };

	decide(&view);
	add_columns(&view);
	add_rows(&view);
	print_title(run, out);
	grid_print(&view.grid, out);
	report_contention(run, out);
	print_remarks(&view, out);
	grid_clear(&view.grid);
}
