/*
 * vfs_random.h - random sequences of system calls, for two kernels to agree on
 *
 * A sequence follows from its number alone; what earlier calls returned plays no
 * part, so that both kernels make the same calls and single ones can be left out
 * to find the shortest sequence that still disagrees. Names, descriptors and sizes
 * come from small sets, so that calls meet; some arguments are wrong on purpose.
 *
 * A call's outcome is what it returned and what it filled in, for calls that open,
 * write or truncate also what the file has become, without what may differ:
 * directories' sizes, numbers of blocks and inodes, times, and the order of a listing.
 * After the last call everything that can be reached is written down.
 */
#ifndef TESTS_VFS_RANDOM_H
#define TESTS_VFS_RANDOM_H

#include "vfs/kernel_ops.h"

#define SEQUENCE_CALLS 40
#define RANDOM_DESCRIPTORS 6	/* the limit of open files, RLIMIT_NOFILE */
#define RANDOM_PATH 48

/* One call with every argument that any call may want. */
struct random_call {
	int kind;
	char path[2][RANDOM_PATH];	/* "@n": a name of n bytes; "@/n": n - 1 slashes, "a" */
	int fd[2];
	int flags;
	mode_t mode;
	s64 size;
	s64 offset;
	int whence;
	int mask;		/* for access() */
	u8 fill;			/* what a write writes */
};

struct random_sequence {
	int count;
	struct random_call calls[SEQUENCE_CALLS];
};

struct outcome {
	s64 result;
	u64 hash;		/* of all that was filled in */
	char text[112];		/* the beginning of it, to be read */
};

/* All of one sequence; the last outcome is that of the listing of everything. */
struct outcomes {
	int done;
	struct outcome calls[SEQUENCE_CALLS];
	struct outcome tree;
};

#define TREE_TEXT 16384

/* A call that there is. */
struct random_kind {
	const char *name;
	s64 (*run)(const struct syscalls *sys, const struct random_call *call,
		   struct outcome *outcome);
	int weight;		/* how often it comes */
	/*
	 * As they are written: p and q paths, d and e descriptors, f flags, m mode, n size,
	 * o offset, w whence, a what access() asks for.
	 */
	const char *arguments;
};

extern const struct random_kind random_kinds[];	/* the last one has no name */

#define UNKNOWN_FLAGS (1 << 30 | 1 << 3) /* to open(2) */

/* The flags of open(2) that are drawn, but for the access mode; ends with 0. */
extern const int random_open_flags[];

/*
 * Sequence number @number. @recent: for kernels from 6.6 on; else without what older
 * ones do otherwise: set-user-ID and set-group-ID, O_DIRECT, O_CREAT with O_DIRECTORY.
 */
void random_sequence(struct random_sequence *sequence, u64 number, bool recent);

/*
 * What calls find: /w, their working directory, and others; what is in them belongs to
 * the caller, root if he is. @change: do what chmod(2) does, which is no call of ours,
 * and before that, if @give, what chown(2) does to give it to somebody else. Context: an
 * empty root directory, umask 0.
 */
void random_setup(const struct syscalls *sys,
		  void (*change)(const char *path, mode_t mode, bool give));

/*
 * Make the calls of @sequence one after the other and close what they left open.
 * @tree: NULL, or TREE_TEXT bytes for the listing of everything.
 */
void random_run(const struct syscalls *sys, const struct random_sequence *sequence,
		struct outcomes *outcomes, char *tree);

/* Return: whether @call is an open(2). */
bool random_is_open(const struct random_call *call);

/* Write @call as C to @text. */
void random_describe(const struct random_call *call, char *text, size_t size);

bool outcome_equal(const struct outcome *a, const struct outcome *b);

#endif
