/*
 * progress.c - see progress.h
 */
#include "engine/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define CLEAR_LINE "\r\033[K"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

bool
may_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return isatty(fd) && term && strcmp(term, "dumb");
}

void
progress_start(struct progress *progress, const char *what, bool quiet)
{
	progress->what = what;
	progress->shown = !quiet && isatty(STDERR_FILENO);
}

void
progress_update(void *context, int finished, int total)
{
	const struct progress *progress = context;
	bool colour = may_colour(STDERR_FILENO);
	int filled = (int)((s64)finished * BAR_WIDTH / total);

	if (!progress->shown)
		return;
	fprintf(stderr, CLEAR_LINE "%s [%.*s%s%.*s%s] %d/%d", progress->what, filled,
		"##############################", colour ? DIM : "", BAR_WIDTH - filled,
		"..............................", colour ? PLAIN : "", finished, total);
	fflush(stderr);
}

void
progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs(CLEAR_LINE, stderr);
	progress->shown = false;
}
