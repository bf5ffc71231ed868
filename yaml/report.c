/*
 * report.c - see report.h
 */
#include "yaml/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
report_error(struct report *report, struct position at, const char *format, ...)
{
	struct report_entry *entry;
	char message[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	for (char *p = message; *p; p++) {
		if ((unsigned char)*p < 0x20)
			*p = '?'; /* out of a quoted text: not for a terminal */
	}
	report->entries =
		pool_grow(report->pool, report->entries, report->entries_count, sizeof(*entry));
	entry = &report->entries[report->entries_count];
	entry->at = at;
	entry->sequence = report->entries_count++;
	entry->message = pool_strdup(report->pool, message);
}

const char *
report_position(const struct report *report, struct position at)
{
	if (at.override) {
		const struct override *override = &report->overrides[at.override - 1];

		return override->option ? override->option
					: pool_printf(report->pool, "--set %s", override->path);
	}
	if (!at.line)
		return report->file;
	return pool_printf(report->pool, "%s:%d:%d", report->file, at.line, at.column);
}

static int
compare_positions(const struct position *a, const struct position *b)
{
	if (a->override != b->override)
		return a->override < b->override ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static int
compare_entries(const void *left, const void *right)
{
	const struct report_entry *a = left;
	const struct report_entry *b = right;
	int order = compare_positions(&a->at, &b->at);

	return order ? order : (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static bool
same(const struct report_entry *a, const struct report_entry *b)
{
	return !compare_positions(&a->at, &b->at) && !strcmp(a->message, b->message);
}

void
report_print(struct report *report, FILE *out)
{
	struct report_entry *entries = report->entries;

	if (!report->entries_count)
		return;
	qsort(entries, report->entries_count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < report->entries_count; i++) {
		if (i && same(&entries[i - 1], &entries[i]))
			continue;
		fprintf(out, "%s: %s\n", report_position(report, entries[i].at),
			entries[i].message);
	}
}
