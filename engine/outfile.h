/*
 * outfile.h - a result file that is written whole or not at all
 *
 * The text goes to a temporary file beside the target, which takes its name
 * only when everything was written. The file is opened before the run, so that
 * a target that cannot be written costs no run.
 */
#ifndef ENGINE_OUTFILE_H
#define ENGINE_OUTFILE_H

#include <stdio.h>

struct outfile {
	FILE *stream;		/* write here */
	char *path;		/* NULL: standard output */
	char *temporary;	/* NULL: written directly */
};

/*
 * @path "-" is standard output; a device or pipe is written directly.
 * Return: 0, or -errno.
 */
int outfile_open(struct outfile *file, const char *path);

/* Give the file its name. Return: 0, or -errno; then the old file is as it was. */
int outfile_commit(struct outfile *file);

/* Throw away what was written. */
void outfile_abandon(struct outfile *file);

#endif
