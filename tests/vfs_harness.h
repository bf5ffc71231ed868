/*
 * vfs_harness.h - harness.h with files: boot, initial tasks, shutdown
 *
 * The tasks of one boot are init, which runs as often as the test likes, and
 * then one batch of threads or processes. What a task finds wrong ends the
 * test program, since cmocka's own assertions can only be used in boot code.
 */
#ifndef TESTS_VFS_HARNESS_H
#define TESTS_VFS_HARNESS_H

#include <fcntl.h>
#include <string.h>

#include "tests/harness.h"
#include "vfs/cred.h"
#include "vfs/process.h"
#include "vfs/super.h"
#include "vfs/syscalls.h"
#include "vfs/vfs.h"

/* For code that runs in a task. */
#define EXPECT_EQUAL(got, wanted)                                                                  \
	do {                                                                                       \
		long long _got = (long long)(got);                                                 \
		long long _wanted = (long long)(wanted);                                           \
		BUG_ON(_got != _wanted, "%s is %lld and not %lld", #got, _got, _wanted);           \
	} while (0)
#define EXPECT(condition) BUG_ON(!(condition), "%s is wrong", #condition)

static inline void
vfs_harness_boot(int tasks)
{
	const struct harness options = { .tasks = tasks, .races = true };

	harness_boot(&options);
	assert_int_equal(vfs_boot(tasks), 0);
}

static inline void
vfs_harness_init(void (*body)(void *arg), void *arg)
{
	assert_int_equal(process_run_init(body, arg), 0);
}

/* Run @body(@arg) in @tasks tasks and wait for them. */
static inline void
vfs_harness_run(enum task_kind kind, int tasks, void (*body)(void *arg), void *arg)
{
	for (int i = 0; i < tasks; i++)
		assert_int_equal(process_create_task(kind, i, body, arg), 0);
	process_start();
	process_join();
}

static inline void
vfs_harness_shut(void *unused)
{
	vfs_shutdown();
}

static inline void
vfs_harness_shutdown(void)
{
	assert_int_equal(process_run_alone(vfs_harness_shut, NULL, "shutdown"), 0);
	harness_shutdown();
}

/* A boot of its own in which init runs @body(@arg) and nobody else does anything. */
static inline void
vfs_harness_alone(void (*body)(void *arg), void *arg)
{
	vfs_harness_boot(1);
	vfs_harness_init(body, arg);
	vfs_harness_shutdown();
}

/* Context: a task; from here on it is @uid, in group @gid. */
static inline void
vfs_harness_become(uid_t uid, gid_t gid)
{
	struct cred *cred = prepare_creds();

	cred->uid = cred->euid = cred->fsuid = uid;
	cred->gid = cred->egid = cred->fsgid = gid;
	commit_creds(cred);
}

/* Dentries of @sb that wait to be used again or dropped. Context: nobody changes them. */
static inline s64
vfs_harness_unused_dentries(const struct super_block *sb)
{
	s64 nr = 0;
	int node;

	for_each_node (node)
		nr += sb->s_dentry_lru[node].nr;
	return nr;
}

/* Open, or die. Context: a task. */
static inline int
vfs_harness_open(const char *path, int flags)
{
	int fd = sys_open(path, flags, 0644);

	BUG_ON(fd < 0, "open %s: %d", path, fd);
	return fd;
}

/* A file of @size bytes that are all @byte. Context: a task. */
static inline void
vfs_harness_file(const char *path, size_t size, int byte)
{
	int fd = vfs_harness_open(path, O_RDWR | O_CREAT | O_EXCL);
	char buffer[4096];

	memset(buffer, byte, sizeof(buffer));
	for (size_t at = 0; at < size; at += sizeof(buffer))
		EXPECT_EQUAL(sys_pwrite(fd, buffer, min(size - at, sizeof(buffer)), (loff_t)at),
			     min(size - at, sizeof(buffer)));
	EXPECT_EQUAL(sys_close(fd), 0);
}

#endif
