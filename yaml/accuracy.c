/*
 * accuracy.c - see accuracy.h
 */
#include "yaml/accuracy.h"

#include <string.h>

#define RECORDS_MAX 256

/* What a record is about. */
struct record {
	const char *workload;	/* NULL: missing or wrong */
	const char *column;
	int line;
};

static struct record
take_record(struct check *check, const struct raw_accuracy *raw)
{
	struct record record = {
		.workload = take_text(check, "workload", raw->workload),
		.column = take_text(check, "column", raw->column),
		.line = check_position(check, "").line,
	};

	take_number(check, "error", raw->error);
	return record;
}

static bool
same_column(const struct record *a, const struct record *b)
{
	return a->workload && b->workload && !strcmp(a->workload, b->workload) && a->column &&
	       b->column && !strcmp(a->column, b->column);
}

/* A column has one error: @records begin the list, and @record ends it. */
static void
check_once(struct check *check, const struct record *records, const struct record *record)
{
	for (const struct record *earlier = records; earlier < record; earlier++) {
		if (!same_column(earlier, record))
			continue;
		check_error(check, "column",
			    "column '%.64s' of %.64s is recorded twice (first on line %d)",
			    record->column, record->workload, earlier->line);
		return;
	}
}

void
take_accuracy(struct check *check, const struct raw_accuracy *raw, u32 count)
{
	struct record records[RECORDS_MAX] = { 0 };
	size_t before;

	count = check_count(check, "accuracy", count, RECORDS_MAX);
	before = path_push(&check->path, "accuracy");
	for (u32 i = 0; i < count; i++) {
		size_t list = path_push_index(&check->path, i);

		if (!check_wrong(check, "")) {
			records[i] = take_record(check, &raw[i]);
			check_once(check, records, &records[i]);
		}
		path_pop(&check->path, list);
	}
	path_pop(&check->path, before);
}
