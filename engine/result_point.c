/*
 * result_point.c - a point's status and figures from its samples; see result.h
 */
#include "engine/result.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/symbolise.h"
#include "pagecache/events.h"
#include "vfs/events.h"

/* The first sample that went wrong, or NULL. */
static const struct sample *
first_failure(const struct point_result *point)
{
	for (int i = 0; i < point->nr_samples; i++) {
		enum sample_status status = point->samples[i].status;

		if (status == SAMPLE_FAILED || status == SAMPLE_TIMEOUT)
			return &point->samples[i];
	}
	return NULL;
}

/* "message (pagecache/filemap.c:120, vfs/file.c:33)", or without what is unknown. */
static char *
message_with_sites(const struct sample *sample)
{
	char *first = sample->pc[0] ? symbolise_site(sample->pc[0]) : NULL;
	char *second = sample->pc[1] ? symbolise_site(sample->pc[1]) : NULL;
	const char *text = sample->message ? sample->message : "failed";
	char *message;

	if (first && second)
		message = xasprintf("%s (%s, %s)", text, first, second);
	else if (first)
		message = xasprintf("%s (%s)", text, first);
	else
		message = xstrdup(text);
	free(first);
	free(second);
	return message;
}

static void
fail_point(struct point_result *point, const struct sample *failure)
{
	point->status = failure->status == SAMPLE_TIMEOUT ? POINT_TIMEOUT : POINT_FAILED;
	point->message = message_with_sites(failure);
	for (int i = 0; i < point->nr_samples; i++)
		point->exit_code = exit_code_merge(point->exit_code, point->samples[i].exit_code);
}

static void
add_sample(struct point_result *point, const struct sample *sample)
{
	point->rates[point->nr_rates++] = sample_rate(sample);
	for (int i = 0; i < point->tasks; i++)
		point->per_task[i] += sample->per_task[i];
	point->operations += sample->operations;
	point->cpu_ps += sample->window_ps * point->tasks;
	for (int i = 0; i < EVENT_MAX; i++)
		point->events[i] += sample->counted.events[i];
	point->stall_ps += sample->counted.stall_ps;
	point->transactions += sample->counted.transactions;
}

/* All lines of all samples of a point; one line of the kernel is one entry. */
struct merge {
	struct line_sample *lines;	/* strings and sites are borrowed or owned as below */
	size_t nr;
};

static bool
same_line(const struct line_sample *a, const struct line_sample *b)
{
	return a->line == b->line && !strcmp(a->object, b->object);
}

/* Sites of a merged line are appended: they are grouped by source line later. */
static void
add_sites(struct line_sample *into, const struct line_sample *line)
{
	into->sites = xrealloc(into->sites,
			       (into->nr_sites + line->nr_sites) * sizeof(*into->sites));
	memcpy(into->sites + into->nr_sites, line->sites, line->nr_sites * sizeof(*line->sites));
	into->nr_sites += line->nr_sites;
}

static void
merge_line(struct merge *merge, const struct line_sample *line)
{
	struct line_sample *into = NULL;

	for (size_t i = 0; i < merge->nr && !into; i++)
		if (same_line(&merge->lines[i], line))
			into = &merge->lines[i];
	if (!into) {
		merge->lines = xrealloc(merge->lines, (merge->nr + 1) * sizeof(*merge->lines));
		into = &merge->lines[merge->nr++];
		*into = *line; /* object and type stay the sample's */
		into->sites = NULL;
		into->nr_sites = 0;
		add_sites(into, line);
		return;
	}
	into->stall_ps += line->stall_ps;
	into->cmpxchg += line->cmpxchg;
	into->cmpxchg_failed += line->cmpxchg_failed;
	for (int i = 0; i < DISTANCE_MAX; i++)
		into->transactions[i] += line->transactions[i];
	add_sites(into, line);
}

/* By stall time, descending; then by name, so that no order depends on qsort. */
static int
compare_lines(const void *a, const void *b)
{
	const struct line_sample *x = a;
	const struct line_sample *y = b;
	int names;

	if (x->stall_ps != y->stall_ps)
		return x->stall_ps < y->stall_ps ? 1 : -1;
	names = strcmp(x->object, y->object);
	return names ? names : (x->line > y->line) - (x->line < y->line);
}

static int
compare_sites(const void *a, const void *b)
{
	const struct site_result *x = a;
	const struct site_result *y = b;

	if (x->stall_ps != y->stall_ps)
		return x->stall_ps < y->stall_ps ? 1 : -1;
	return strcmp(x->source, y->source);
}

/* Several code addresses may come from one source line. Takes over @source. */
static size_t
group_site(struct site_result *grouped, size_t nr, const struct site_report *site, char *source)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(grouped[i].source, source))
			break;
	if (i < nr)
		free(source);
	else
		grouped[nr++] = (struct site_result){ .source = source };
	grouped[i].transactions += site->transactions;
	grouped[i].stall_ps += site->stall_ps;
	grouped[i].cmpxchg_failed += site->cmpxchg_failed;
	return nr;
}

static void
finish_sites(struct line_result *result, const struct line_sample *line)
{
	struct site_result *grouped = xcalloc(line->nr_sites, sizeof(*grouped));
	size_t nr = 0;

	for (u64 i = 0; i < line->nr_sites; i++)
		nr = group_site(grouped, nr, &line->sites[i],
				symbolise_site((uintptr_t)line->sites[i].pc));
	if (nr)
		qsort(grouped, nr, sizeof(*grouped), compare_sites);
	for (size_t i = 0; i < nr; i++) {
		if (i < RESULT_MAX_SITES)
			result->sites[result->nr_sites++] = grouped[i];
		else
			free(grouped[i].source);
	}
	free(grouped);
}

static void
finish_line(struct point_result *point, const struct line_sample *line)
{
	struct line_result *result = &point->lines[point->nr_lines++];
	u64 transactions = 0;

	for (int i = 0; i < DISTANCE_MAX; i++)
		transactions += line->transactions[i];
	result->object = xstrdup(line->object);
	result->line = line->line;
	result->offset = line->offset;
	result->field = line->type ? symbolise_field(line->type, line->offset) : NULL;
	result->stall_ps = line->stall_ps;
	result->stall_share = scaled_ratio(line->stall_ps, point->stall_ps, RATIO_ONE);
	result->time_share = scaled_ratio(line->stall_ps, point->cpu_ps, RATIO_ONE);
	memcpy(result->transactions, line->transactions, sizeof(result->transactions));
	result->per_operation = scaled_ratio(transactions, point->operations, RATIO_ONE);
	result->cmpxchg = line->cmpxchg;
	result->cmpxchg_failed = line->cmpxchg_failed;
	finish_sites(result, line);
}

static void
finish_lines(struct point_result *point)
{
	struct merge merge = { 0 };

	for (int i = 0; i < point->nr_samples; i++)
		for (u64 j = 0; j < point->samples[i].nr_lines; j++)
			merge_line(&merge, &point->samples[i].lines[j]);
	if (merge.nr)
		qsort(merge.lines, merge.nr, sizeof(*merge.lines), compare_lines);
	for (size_t i = 0; i < merge.nr; i++) {
		if (i < RESULT_MAX_LINES)
			finish_line(point, &merge.lines[i]);
		free(merge.lines[i].sites);
	}
	free(merge.lines);
}

/* Ratios of what was counted. */
static void
finish_events(struct point_result *point)
{
	const u64 *events = point->events;

	point->cmpxchg_failed =
		scaled_ratio(events[EVENT_CMPXCHG_FAILED], events[EVENT_CMPXCHG], RATIO_ONE);
	point->lock_found_taken = scaled_ratio(events[EVENT_FOLIO_LOCK_FOUND_LOCKED],
					       events[EVENT_FOLIO_LOCK], RATIO_ONE);
	point->lockref_failed =
		scaled_ratio(events[EVENT_LOCKREF_FAILED], events[EVENT_LOCKREF], RATIO_ONE);
	point->lockref_changes = scaled_ratio(events[EVENT_LOCKREF] - events[EVENT_LOCKREF_FAILED] +
						      events[EVENT_LOCKREF_SLOW],
					      point->operations, RATIO_ONE);
	point->lock_slept = scaled_ratio(events[EVENT_FOLIO_LOCK_SLEPT], events[EVENT_FOLIO_LOCK],
					 RATIO_ONE);
}

/* A child that was corrupted may still send a well-formed frame. */
static void
distrust(struct point_result *point)
{
	for (int i = 0; i < point->nr_samples; i++) {
		struct sample *sample = &point->samples[i];

		if (sample->status == SAMPLE_OK && sample->nr_tasks != (u64)point->tasks)
			sample_fail(sample, EXIT_INTERNAL, "the result is of another point");
	}
}

void
point_result_finish(struct point_result *point)
{
	const struct sample *failure;

	distrust(point);
	failure = first_failure(point);
	if (failure) {
		fail_point(point, failure);
		return;
	}
	point->rates = xcalloc(point->nr_samples, sizeof(*point->rates));
	point->per_task = xcalloc(point->tasks, sizeof(*point->per_task));
	for (int i = 0; i < point->nr_samples; i++)
		if (point->samples[i].status == SAMPLE_OK)
			add_sample(point, &point->samples[i]);
	if (!point->nr_rates) {
		point->status = POINT_SKIPPED;
		point->message = xstrdup("interrupted");
		return;
	}
	point->status = POINT_OK;
	stats_summarise(point->rates, point->nr_rates, &point->rate);
	point->fairness_permille = stats_fairness_permille(point->per_task, point->tasks);
	finish_events(point);
	finish_lines(point);
}

void
point_result_clear(struct point_result *point)
{
	for (int i = 0; i < point->nr_samples; i++)
		sample_clear(&point->samples[i]);
	for (int i = 0; i < point->nr_lines; i++) {
		free(point->lines[i].object);
		free(point->lines[i].field);
		for (int j = 0; j < point->lines[i].nr_sites; j++)
			free(point->lines[i].sites[j].source);
	}
	free(point->samples);
	free(point->message);
	free(point->rates);
	free(point->per_task);
	memset(point, 0, sizeof(*point));
}
