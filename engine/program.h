/*
 * program.h - the steps of a workload, made ready for one task
 *
 * Everything that does not depend on what happens is done here, before the
 * tasks start: ${task} in paths, buffers, where a descriptor's number is kept.
 * What is left for the measured loop is in interpret.c.
 */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "yaml/workload.h"

struct instruction;

struct program {
	struct instruction *code;
	u32 count;
};

/* One step. A field that the operation has no use for means nothing. */
struct instruction {
	enum op_code op;
	int line;		/* in the workload file, for messages */
	int *fd;		/* where the descriptor's number is kept */
	int *new_fd;
	u64 **raw;		/* where the raw line's address is kept */
	char *path;		/* or NULL */
	char *to;		/* or NULL */
	int flags;
	bool verify;		/* check what was read */
	void *buffer;		/* the task's own; of pwrite, the pattern for its offset; or NULL */
	u64 bytes;
	u64 offset;
	u64 time_ns;
	u64 value;
	u64 old;
	enum on_fail on_fail;
	int whence;
	int expect;		/* the errno that it must fail with, or 0 */
	const unsigned int *stop; /* of steps that wait for another task: give up once set */
	struct program body;	/* of repeat */
};

/* What names in the steps refer to, for one task. */
struct program_scope {
	int task;		/* the number that ${task} becomes */
	int tasks;		/* how many there are: after the last comes the first again */
	int *private_fds;	/* the task's own descriptors, by slot */
	int *shared_fds;	/* those that `prepare` bound */
	u64 **raw_lines;	/* filled in once the lines exist */
	bool verify;
	const unsigned int *stop; /* set when the tasks are to end */
};

/* Context: may allocate. Return: the program; free it with program_free(). */
struct program program_build(const struct step_list *steps, const struct program_scope *scope);
void program_free(struct program *program);

/* @path with every ${task} replaced by @task's number, ${n} by @n. Return: malloc()ed. */
char *expand_path(const char *path, int task, int n);

#endif
