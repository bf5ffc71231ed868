/*
 * published.c - see published.h
 */
#include "yaml/published.h"

#include <stdlib.h>
#include <string.h>

#include "yaml/suggest.h"

#define ROWS_MAX 1024

/* Return: the number of the variant called @name, or -1. */
static int
find_variant(const struct workload *workload, const char *name, struct suggestion *suggestion)
{
	for (u32 i = 0; i < workload->variants_count; i++) {
		const char *variant = workload->variants[i].name;

		if (!variant)
			continue;
		if (!strcmp(variant, name))
			return i;
		suggest(suggestion, variant);
	}
	return -1;
}

static void
take_columns(struct check *check, const struct raw_published *raw, struct workload *workload)
{
	struct published *published = &workload->published;
	u32 count = check_count(check, "columns", raw->columns_count, workload->variants_count);

	published->columns = pool_alloc(check->pool, count * sizeof(*published->columns));
	published->columns_count = count;
	for (u32 i = 0; i < count; i++) {
		size_t before = path_push(&check->path, "columns");
		char *name;

		path_push_index(&check->path, i);
		name = take_text(check, "", raw->columns[i]);
		if (name) {
			struct suggestion suggestion = SUGGESTION(name);
			char hint[128];
			int variant = find_variant(workload, name, &suggestion);

			if (variant < 0)
				check_error(check, "", "no variant '%s' for this column%s", name,
					    suggestion_text(&suggestion, hint));
			published->columns[i] = max(variant, 0);
		}
		path_pop(&check->path, before);
	}
}

/* A boost: "8.3", "-4.7%". Return: tenths of a percent. */
static u64
take_boost(struct check *check, const char *text)
{
	char *end;
	long whole;
	int tenth = 0;

	if (check_wrong(check, ""))
		return 0;
	check_note(check, "", text, false);
	whole = strtol(text, &end, 10);
	if (end != text && end[0] == '.' && end[1] >= '0' && end[1] <= '9') {
		tenth = end[1] - '0';
		end += 2;
	}
	end += *end == '%';
	if (end == text || *end || whole < -100 || whole > 1000000) {
		check_error(check, "", "'%.40s' is not a boost such as 8.3%%", text);
		return 0;
	}
	return (u64)(strchr(text, '-') ? whole * 10 - tenth : whole * 10 + tenth);
}

/* The elements of one row; the path is the row's. @width: figures after the tasks. */
static void
take_row(struct check *check, const struct raw_row *raw, u32 width, struct published *published)
{
	struct published_row *row = &published->rows[published->rows_count];

	if (check_wrong(check, ""))
		return;
	if (raw->values_count != width + 1) {
		check_error(check, "", "a row of %u values: there must be %u, the tasks and %u %s",
			    raw->values_count, width + 1, width,
			    published->boost ? "bounds" : "columns");
		return;
	}
	row->values = pool_alloc(check->pool, width * sizeof(*row->values));
	for (u32 i = 0; i <= width; i++) {
		size_t before = path_push_index(&check->path, i);
		u64 value = i && published->boost ? take_boost(check, raw->values[i])
						  : take_number(check, "", raw->values[i]);

		path_pop(&check->path, before);
		if (i)
			row->values[i - 1] = value;
		else
			row->tasks = value;
	}
	if (published->rows_count && row->tasks <= row[-1].tasks)
		check_error(check, "", "rows must have ascending tasks: %d after %d", row->tasks,
			    row[-1].tasks);
	published->rows_count++;
}

static void
take_rows(struct check *check, const struct raw_published *raw, struct published *published)
{
	u32 count = check_count(check, "rows", raw->rows_count, ROWS_MAX);
	u32 width = published->boost ? 2 : raw->columns_count;

	published->rows = pool_alloc(check->pool, count * sizeof(*published->rows));
	for (u32 i = 0; i < count; i++) {
		size_t before = path_push(&check->path, "rows");

		path_push_index(&check->path, i);
		take_row(check, &raw->rows[i], width, published);
		path_pop(&check->path, before);
	}
}

void
take_published(struct check *check, const struct raw_published *raw, struct workload *workload)
{
	struct published *published = &workload->published;
	size_t errors = check->report->entries_count;
	bool needs_columns;
	size_t before = path_push(&check->path, "published");

	if (raw) {
		published->machine = take_text(check, "machine", raw->machine);
		published->boost = take_choice(check, "unit", raw->unit);
		published->all_base = take_choice(check, "base", raw->base);
		if (raw->base && published->boost)
			check_error(check, "base", "nothing is calibrated to a boost");
		needs_columns = !published->boost && check->report->entries_count == errors;
		take_columns(check, raw, workload);
		if (needs_columns && !raw->columns_count && !check_wrong(check, "columns"))
			check_error(check, "columns", "columns is missing: which variant is which");
		/* What a row should be follows from unit and columns. */
		if (check->report->entries_count == errors)
			take_rows(check, raw, published);
	}
	path_pop(&check->path, before);
}
