/*
 * program.c - see program.h
 */
#include "engine/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/pattern.h"
#include "yaml/catalogue.h"

#define TASK_VARIABLE "${task}"

char *
expand_task(const char *path, int task)
{
	char *text = xstrdup("");
	const char *found;

	while ((found = strstr(path, TASK_VARIABLE))) {
		char *longer = xasprintf("%s%.*s%d", text, (int)(found - path), path, task);

		free(text);
		text = longer;
		path = found + strlen(TASK_VARIABLE);
	}
	found = xasprintf("%s%s", text, path);
	free(text);
	return (char *)found;
}

static void *
make_buffer(const struct step *step)
{
	void *buffer;

	if (step->op != OP_PREAD && step->op != OP_PWRITE)
		return NULL;
	buffer = xcalloc(1, step->bytes);
	if (step->op == OP_PWRITE)
		pattern_fill(buffer, step->bytes, step->offset);
	return buffer;
}

/* Resolve what the arguments of one type refer to. */
static void
bind_argument(struct instruction *made, enum argument_type type, const struct step *step,
	      const struct program_scope *scope)
{
	switch (type) {
	case ARGUMENT_FD:
	case ARGUMENT_NEW_FD:
		made->fd = step->fd.shared ? scope->shared_fds : scope->private_fds;
		made->fd += step->fd.index;
		break;
	case ARGUMENT_LINE:
		made->raw = scope->raw_lines + step->raw_line;
		break;
	case ARGUMENT_PATH:
		made->path = expand_task(step->path, scope->task);
		break;
	case ARGUMENT_STEPS:
		made->body = program_build(&step->body, scope);
		break;
	default:
		break;
	}
}

static struct instruction
make_instruction(const struct step *step, const struct program_scope *scope)
{
	struct instruction made = {
		.op = step->op,
		.line = step->line,
		.flags = step->flags,
		.verify = scope->verify,
		.buffer = make_buffer(step),
		.bytes = step->bytes,
		.offset = step->offset,
		.time_ns = step->time_ns,
		.value = step->value,
		.old = step->old,
		.on_fail = step->on_fail,
		.stop = scope->stop,
	};
	const struct argument *argument = catalogue_operation(step->op)->arguments;

	if (step->op == OP_PASS || step->op == OP_POLL_PASS) {
		made.old = scope->task;
		made.value = (scope->task + 1) % scope->tasks;
	}
	for (; argument->key; argument++)
		bind_argument(&made, argument->type, step, scope);
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
	}
	free(program->code);
	*program = (struct program){ 0 };
}
