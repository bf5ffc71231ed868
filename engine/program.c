/*
 * program.c - see program.h
 */
#include "engine/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/memory.h"
#include "engine/pattern.h"

/* @path with every @variable replaced by @value; takes over @path. */
static char *
expand(char *path, const char *variable, int value)
{
	char *text = xstrdup("");
	const char *from = path;
	const char *found;
	char *longer;

	while ((found = strstr(from, variable))) {
		longer = xasprintf("%s%.*s%d", text, (int)(found - from), from, value);
		free(text);
		text = longer;
		from = found + strlen(variable);
	}
	longer = xasprintf("%s%s", text, from);
	free(text);
	free(path);
	return longer;
}

char *
expand_path(const char *path, int task, int n)
{
	return expand(expand(xstrdup(path), "${task}", task), "${n}", n);
}

static char *
task_path(const char *path, const struct program_scope *scope)
{
	return path ? expand_path(path, scope->task, 0) : NULL;
}

/* What the system call of @step fills in or takes its bytes from. */
static void *
make_buffer(const struct step *step)
{
	void *buffer;

	switch (step->op) {
	case OP_PREAD:
	case OP_READ:
	case OP_GETDENTS:
	case OP_READLINK:
		return xcalloc(1, step->bytes);
	case OP_STAT:
	case OP_FSTAT:
		return xcalloc(1, sizeof(struct stat));
	case OP_PWRITE:
	case OP_WRITE:
		buffer = xcalloc(1, step->bytes);
		pattern_fill(buffer, step->bytes, step->offset);
		return buffer;
	default:
		return NULL;
	}
}

static int *
descriptor(const struct slot *slot, const struct program_scope *scope)
{
	return (slot->shared ? scope->shared_fds : scope->private_fds) + slot->index;
}

static struct instruction
make_instruction(const struct step *step, const struct program_scope *scope)
{
	struct instruction made = {
		.op = step->op,
		.line = step->line,
		.fd = descriptor(&step->fd, scope),
		.new_fd = descriptor(&step->new_fd, scope),
		.raw = scope->raw_lines + step->raw_line,
		.path = task_path(step->path, scope),
		.to = task_path(step->to, scope),
		.flags = step->flags,
		.verify = scope->verify,
		.buffer = make_buffer(step),
		.bytes = step->bytes,
		.offset = step->offset,
		.time_ns = step->time_ns,
		.value = step->value,
		.old = step->old,
		.on_fail = step->on_fail,
		.whence = step->whence,
		.expect = step->expect,
		.stop = scope->stop,
		.body = program_build(&step->body, scope),
	};

	if (step->op == OP_PASS || step->op == OP_POLL_PASS) {
		made.old = scope->task;
		made.value = (scope->task + 1) % scope->tasks;
	}
	return made;
}

struct program
program_build(const struct step_list *steps, const struct program_scope *scope)
{
	struct program program = { .count = steps->steps_count };

	program.code = xcalloc(program.count, sizeof(*program.code));
	for (u32 i = 0; i < program.count; i++)
		program.code[i] = make_instruction(&steps->steps[i], scope);
	return program;
}

void
program_free(struct program *program)
{
	for (u32 i = 0; i < program->count; i++) {
		program_free(&program->code[i].body);
		free(program->code[i].buffer);
		free(program->code[i].path);
		free(program->code[i].to);
	}
	free(program->code);
	*program = (struct program){ 0 };
}
