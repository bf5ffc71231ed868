/*
 * outfile.c - see outfile.h
 */
#include "engine/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/memory.h"

static void
forget(struct outfile *file)
{
	free(file->path);
	free(file->temporary);
	memset(file, 0, sizeof(*file));
}

/* mkstemp() made it private; give it what open() would have given. */
static void
apply_umask(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return; /* a file system without modes: nothing to set */
}

static int
open_temporary(struct outfile *file)
{
	int fd;

	file->temporary = xasprintf("%s.XXXXXX", file->path);
	fd = mkstemp(file->temporary);
	if (fd < 0)
		return -errno;
	apply_umask(fd);
	file->stream = fdopen(fd, "w");
	return file->stream ? 0 : -errno;
}

/* A device or a pipe has no half-written state that a rename could hide. */
static int
open_directly(struct outfile *file)
{
	file->stream = fopen(file->path, "we");
	return file->stream ? 0 : -errno;
}

int
outfile_open(struct outfile *file, const char *path)
{
	struct stat status;
	bool exists = !stat(path, &status);
	int error;

	memset(file, 0, sizeof(*file));
	if (!strcmp(path, "-")) {
		file->stream = stdout;
		return 0;
	}
	if (exists && S_ISDIR(status.st_mode))
		return -EISDIR;
	file->path = xstrdup(path);
	if (exists && !S_ISREG(status.st_mode))
		error = open_directly(file);
	else
		error = open_temporary(file);
	if (error)
		forget(file);
	return error;
}

int
outfile_commit(struct outfile *file)
{
	int error = 0;

	if (!file->path)
		return fflush(file->stream) || ferror(file->stream) ? -EIO : 0;
	if (ferror(file->stream))
		error = EIO;
	if (fclose(file->stream) && !error)
		error = errno;
	if (!error && file->temporary && rename(file->temporary, file->path))
		error = errno;
	if (error && file->temporary)
		unlink(file->temporary);
	forget(file);
	return -error;
}

void
outfile_abandon(struct outfile *file)
{
	if (!file->path)
		return;
	fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	forget(file);
}
