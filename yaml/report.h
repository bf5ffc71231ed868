/*
 * report.h - all errors of a file, in file order
 *
 * Every pass adds what it finds; the load fails if anything was added. One
 * message per line: "file:line:column: message", or "--set path: message" (or the
 * option's own name) for what the command line changed.
 */
#ifndef YAML_REPORT_H
#define YAML_REPORT_H

#include <stdio.h>

#include "yaml/load.h"
#include "yaml/pool.h"

/* Where a value was written. */
struct position {
	int override;		/* 0: the file; n: the n-th --set */
	int line;		/* 1-based; 0 when the whole file is meant */
	int column;		/* 1-based, in characters */
};

struct report_entry {
	struct position at;
	size_t sequence;	/* order of discovery: breaks ties */
	const char *message;
};

struct report {
	const char *file;
	const struct override *overrides;
	struct pool *pool;
	struct report_entry *entries;
	size_t entries_count;
};

void report_error(struct report *report, struct position at, const char *format, ...)
	__printf(3, 4);

/* "file:line:column", "--set path" or "--option". Return: in @report's pool. */
const char *report_position(const struct report *report, struct position at);

/* Sort, drop repetitions, write. */
void report_print(struct report *report, FILE *out);

#endif
