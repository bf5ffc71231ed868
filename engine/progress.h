/*
 * progress.h - one line on stderr that says how far a run is
 *
 * Only on a terminal, so that logs and pipes stay clean.
 */
#ifndef ENGINE_PROGRESS_H
#define ENGINE_PROGRESS_H

#include "machine/types.h"

struct progress {
	bool shown;
	const char *what;
};

void progress_start(struct progress *progress, const char *what, bool quiet);

/* For struct runner_config: @context is a struct progress. */
void progress_update(void *context, int finished, int total);

/* Wipe the line. */
void progress_end(struct progress *progress);

/* May colour be used on @fd? Only on a terminal, and never with NO_COLOR (no-color.org). */
bool may_colour(int fd);

#endif
