/*
 * host_calls.h - the host kernel's calls, in the mini-kernel's shape
 *
 * A process of its own in an empty tmpfs as its root directory, to compare results
 * with. Calls return what a system call returns: a negative errno on failure.
 */
#ifndef TESTS_HOST_CALLS_H
#define TESTS_HOST_CALLS_H

#include "vfs/kernel_ops.h"

/* Those that random_run() makes; the others are NULL. */
extern const struct syscalls host_calls;

struct host_root {
	char path[64];
	bool root;	/* we are root and become somebody else */
	uid_t uid;	/* who makes the calls */
	gid_t gid;
};

/*
 * Make a directory in /dev/shm for tests to have their roots in.
 * Return: false if that is not tmpfs, or nobody here may change its root directory.
 */
bool host_root_create(struct host_root *root);
void host_root_destroy(const struct host_root *root);

/* Is the kernel Linux from @major.@minor on? */
bool host_is_at_least(int major, int minor);

/* Have we what sets root apart from others, as far as files go? */
bool host_is_root(void);

/*
 * In a child process: an empty root directory, called @number, with no descriptor open
 * and at most @descriptors later; then @setup with umask 0, as root if root->root, and
 * @body as root->uid, without any privilege if that is not root's. Return: false if the
 * child did not end well.
 */
bool host_root_run(const struct host_root *root, u64 number, int descriptors,
		   void (*setup)(const struct syscalls *sys), void (*body)(void *arg), void *arg);

#endif
