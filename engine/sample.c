/*
 * sample.c - see sample.h
 */
#include "engine/sample.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/stats.h"

#define PS_PER_SECOND 1000000000000ull

void
sample_fail(struct sample *sample, enum exit_code code, const char *fmt, ...)
{
	char *message = NULL;
	va_list args;

	sample_clear(sample);
	va_start(args, fmt);
	if (vasprintf(&message, fmt, args) < 0)
		message = NULL;
	va_end(args);
	sample->status = SAMPLE_FAILED;
	sample->exit_code = code;
	sample->message = message;
}

void
sample_clear(struct sample *sample)
{
	for (u64 i = 0; i < sample->nr_lines; i++) {
		free(sample->lines[i].object);
		free(sample->lines[i].type);
		free(sample->lines[i].sites);
	}
	free(sample->lines);
	free(sample->per_task);
	free(sample->message);
	memset(sample, 0, sizeof(*sample));
}

u64
sample_rate(const struct sample *sample)
{
	return scaled_ratio(sample->operations, sample->window_ps, PS_PER_SECOND);
}
