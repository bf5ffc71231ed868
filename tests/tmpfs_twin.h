/*
 * tmpfs_twin.h - the host kernel's tmpfs, to compare results with
 *
 * A directory of its own in /dev/shm. Calls return what a system call returns:
 * a negative errno on failure.
 */
#ifndef TESTS_TMPFS_TWIN_H
#define TESTS_TMPFS_TWIN_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TMPFS_MAGIC_NUMBER 0x01021994

struct twin {
	char root[32];
};

/* Return: false if /dev/shm is not tmpfs: the test has nothing to compare with. */
static inline bool
twin_create(struct twin *twin)
{
	struct statfs fs;

	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC_NUMBER)
		return false;
	snprintf(twin->root, sizeof(twin->root), "/dev/shm/engine-XXXXXX");
	return mkdtemp(twin->root);
}

static inline int
twin_result(int result)
{
	return result < 0 ? -errno : result;
}

/* An empty path and the root stay what they are: each is a case of its own in the walk. */
static inline void
twin_path(const struct twin *twin, const char *path, char *out, size_t size)
{
	bool itself = !path[0] || (path[0] == '/' && !path[1]);

	snprintf(out, size, "%s%s", itself ? "" : twin->root, path);
}

static inline int
twin_open(const struct twin *twin, const char *path, int flags, mode_t mode)
{
	char full[8192];

	twin_path(twin, path, full, sizeof(full));
	return twin_result(open(full, flags, mode));
}

static inline void
twin_unlink(const struct twin *twin, const char *path)
{
	char full[8192];

	twin_path(twin, path, full, sizeof(full));
	unlink(full);
}

static inline void
twin_destroy(const struct twin *twin)
{
	rmdir(twin->root);
}

#endif
