/*
 * kernel_ops.h - the one door into a mini-kernel
 *
 * The mini-kernel is compiled once per machine kind; each build exports one
 * symbol of this type and nothing else. A caller boots a kernel, runs bodies
 * (plain C functions that make system calls) as tasks of it, reads what was
 * counted, and shuts it down. One kernel per process.
 *
 *	boot() -> run_init(body) -> create_task(body) x N -> start() -> join() -> shutdown()
 *
 * A body does not know which kind it runs on. On the virtual kind everything
 * happens inside join(), on the calling thread; on the host kind tasks are
 * threads that run from start() on.
 */
#ifndef VFS_KERNEL_OPS_H
#define VFS_KERNEL_OPS_H

#include <sys/stat.h>

#include "machine/bug.h"
#include "machine/measure.h"
#include "machine/policy.h"
#include "machine/rawline.h"
#include "machine/spec.h"

/* Why and where a point ended early; pcs are code addresses or NULL. */
struct panic_report {
	enum verdict verdict;
	const char *message;
	const void *pc[2];
};

struct kernel_config {
	const struct machine_spec *spec;	/* virtual kind only */
	int policy[POLICY_MAX];
	u64 seed;
	int stream;		/* number of the seed's stream, 0 .. seeds - 1 */
	int tasks;		/* initial tasks, at most: host slots are made for them */
	u64 memory_bytes;	/* page frames, shared out among the nodes */
	bool races;		/* virtual: report data races */
	/* Called once when an invariant breaks, on any thread; must not return. */
	void (*panic)(void *context, const struct panic_report *report);
	void *panic_context;
};

enum task_kind {
	TASK_THREAD,	/* shares init's descriptors and credentials */
	TASK_PROCESS,	/* has copies of them */
};

/*
 * System calls: arguments, results and errors are Linux's (-errno). Called from
 * a body only. Buffers are user memory, outside the arena.
 */
struct syscalls {
	int (*open)(const char *path, int flags, mode_t mode);
	int (*creat)(const char *path, mode_t mode);
	int (*close)(int fd);
	int (*mkdir)(const char *path, mode_t mode);
	int (*rmdir)(const char *path);
	int (*unlink)(const char *path);
	int (*rename)(const char *from, const char *to);
	int (*symlink)(const char *target, const char *path);
	ssize_t (*readlink)(const char *path, char *buf, int size);
	int (*chdir)(const char *path);
	mode_t (*umask)(mode_t mask);
	int (*dup)(int fd);
	int (*dup2)(int old_fd, int new_fd);
	int (*stat)(const char *path, struct stat *stat);
	int (*lstat)(const char *path, struct stat *stat);
	int (*fstat)(int fd, struct stat *stat);
	int (*access)(const char *path, int mode);
	loff_t (*lseek)(int fd, loff_t offset, int whence);
	ssize_t (*read)(int fd, void *buf, size_t count);
	ssize_t (*write)(int fd, const void *buf, size_t count);
	ssize_t (*pread)(int fd, void *buf, size_t count, loff_t pos);
	ssize_t (*pwrite)(int fd, const void *buf, size_t count, loff_t pos);
	int (*truncate)(const char *path, loff_t length);
	int (*ftruncate)(int fd, loff_t length);
	ssize_t (*getdents64)(int fd, void *buf, size_t size);
	int (*mount)(const char *source, const char *path, const char *type, unsigned long flags,
		     const void *data);
	int (*umount)(const char *path);

	/*
	 * New pages of the file come from @node, as a tmpfs mounted with mpol= has it;
	 * before that, from the writer's node. Return: 0, -EBADF or -EINVAL.
	 */
	int (*file_node)(int fd, int node);

	/* Outside Linux's list: think time, the clock, and raw lines (machine/rawline.h). */
	void (*work)(u64 ns);
	u64 (*clock_ps)(void);	/* virtual: also an ordering point between CPUs */
	u64 *(*raw_line_create)(int node, const char *name);
	void (*raw_line_destroy)(u64 *line);
	u64 (*raw_load)(const u64 *line);
	void (*raw_store)(u64 *line, u64 value);
	u64 (*raw_fetch_add)(u64 *line, u64 add);
	bool (*raw_cmpxchg)(u64 *line, u64 old, u64 new);
	unsigned int (*raw_cas_loop)(u64 *line, u64 add, enum on_fail on_fail);
	void (*raw_pause)(void);
	void (*raw_pass)(u64 *line, u64 own, u64 next, const unsigned int *stop);
	void (*raw_poll_pass)(u64 *line, u64 own, u64 next, const unsigned int *stop);
};

struct kernel_ops {
	const char *kind;	/* "host" or "virtual" */

	/* Return: 0, or -errno (ENOMEM, EINVAL); after an error nothing is left behind. */
	int (*boot)(const struct kernel_config *config);

	/*
	 * Run @body as the init process on the first CPU until it returns. What it
	 * opens is shared by threads and inherited by processes that are made
	 * later; init itself exits in start().
	 */
	int (*run_init)(void (*body)(void *arg), void *arg);

	/*
	 * Make an initial task; it takes the @index-th place of the machine's
	 * placement order (host: that core, modulo the cores there are).
	 * Return: 0, or -errno (EAGAIN: no CPU left).
	 */
	int (*create_task)(enum task_kind kind, int index, void (*body)(void *arg), void *arg);
	void (*start)(void);
	void (*join)(void);	/* until every initial task has returned */

	/*
	 * Run @body alone, as root and without descriptors, to free what init's body
	 * made for everybody. Context: between join() and shutdown(). Return: 0, -EAGAIN
	 * or -ENOMEM.
	 */
	int (*run_exit)(void (*body)(void *arg), void *arg);

	/*
	 * Count from now on / stop counting and copy what was counted. Context: a
	 * body (virtual), any thread (host).
	 */
	void (*measure_begin)(void);
	void (*measure_end)(struct measurement *result);

	/*
	 * Contended lines of the last measurement by stall_ps, descending, with the
	 * names that they had at its end. Return: how many were filled in.
	 */
	int (*lines)(struct line_report *reports, int max);

	/*
	 * Free everything; proves that no page, file or object leaked (BUG if so).
	 * Context: after join().
	 */
	void (*shutdown)(void);

	struct syscalls sys;
};

extern const struct kernel_ops host_kernel;
extern const struct kernel_ops virtual_kernel;

#endif
