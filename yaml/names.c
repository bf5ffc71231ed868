/*
 * names.c - see names.h
 *
 * Names are looked up by walking the steps as a task will run them: prepare,
 * setup, then the loop twice, because what the first iteration leaves open or
 * closed is what the second one finds. The same goes for `repeat`.
 */
#include "yaml/names.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>

#include "yaml/suggest.h"

#define DESCRIPTORS_MAX 1024

struct descriptor {
	const char *name;
	struct slot slot;
	bool open;
	int access;		      /* O_RDONLY, O_WRONLY or O_RDWR */
	const struct raw_args *where; /* the step that opened it last */
	int line;		      /* of that step, or of the one that closed it */
};

struct names {
	struct check *check;
	struct workload *workload;
	struct descriptor *descriptors;
	u32 descriptors_count;
	const char **created; /* paths that an open with creat made */
	u32 created_count;
	bool preparing;
	bool incomplete; /* an open or a file was wrong: no word on what is missing */
};

static void walk(struct names *names, const char *key, const struct raw_step *raw,
		 struct step_list *list);

const struct operation *
step_operation(const struct raw_step *raw)
{
	for (int i = 0; i < OP_MAX; i++) {
		if (raw->op[i])
			return catalogue_operation(i);
	}
	return NULL;
}

/* The descriptor that @name means here: the task's own before everybody's. */
static struct descriptor *
find_descriptor(struct names *names, const char *name)
{
	struct descriptor *found = NULL;

	for (u32 i = 0; i < names->descriptors_count; i++) {
		struct descriptor *descriptor = &names->descriptors[i];

		if (strcmp(descriptor->name, name))
			continue;
		if (descriptor->open)
			return descriptor;
		if (!found || descriptor->slot.shared == names->preparing)
			found = descriptor;
	}
	return found;
}

static struct descriptor *
new_descriptor(struct names *names, const char *name)
{
	struct descriptor *descriptor;
	int *slots =
		names->preparing ? &names->workload->shared_slots : &names->workload->private_slots;

	names->descriptors = pool_grow(names->check->report->pool, names->descriptors,
				       names->descriptors_count, sizeof(*descriptor));
	descriptor = &names->descriptors[names->descriptors_count++];
	descriptor->name = name;
	descriptor->slot = (struct slot){ (*slots)++, names->preparing };
	return descriptor;
}

static void
bind_descriptor(struct names *names, const struct raw_args *raw, struct step *step)
{
	struct descriptor *descriptor;

	if (!raw->fd) {
		names->incomplete = true;
		return;
	}
	descriptor = find_descriptor(names, raw->fd);
	if (descriptor && descriptor->open) {
		if (descriptor->where == raw)
			check_error(names->check, "fd",
				    "descriptor '%.64s' is still open from the round before: "
				    "close it",
				    raw->fd);
		else
			check_error(names->check, "fd",
				    "descriptor '%.64s' is open already (line %d)", raw->fd,
				    descriptor->line);
		return;
	}
	if (!descriptor || descriptor->slot.shared != names->preparing) {
		if (names->descriptors_count >= DESCRIPTORS_MAX) {
			check_error(names->check, "fd", "more than %d descriptors",
				    DESCRIPTORS_MAX);
			return;
		}
		descriptor = new_descriptor(names, raw->fd);
	}
	descriptor->open = true;
	descriptor->access = step->flags & O_ACCMODE;
	descriptor->where = raw;
	descriptor->line = step->line;
	step->fd = descriptor->slot;
}

/* Is what @step does to it allowed? */
static void
check_use(struct names *names, const struct descriptor *descriptor, const struct step *step)
{
	if (step->op == OP_PREAD && descriptor->access == O_WRONLY)
		check_error(names->check, "fd",
			    "descriptor '%.64s' is open for writing only (line %d)",
			    descriptor->name, descriptor->line);
	if (step->op == OP_PWRITE && descriptor->access == O_RDONLY)
		check_error(names->check, "fd",
			    "descriptor '%.64s' is open for reading only (line %d)",
			    descriptor->name, descriptor->line);
	if (step->op == OP_CLOSE && descriptor->slot.shared && !names->preparing &&
	    names->workload->as == AS_THREADS)
		check_error(names->check, "fd",
			    "descriptor '%.64s' is everybody's (prepare, line %d): a thread cannot "
			    "close it",
			    descriptor->name, descriptor->line);
}

static void
use_descriptor(struct names *names, const struct raw_args *raw, struct step *step)
{
	struct suggestion suggestion = SUGGESTION(raw->fd);
	struct descriptor *descriptor;
	char hint[128];

	if (!raw->fd)
		return;
	descriptor = find_descriptor(names, raw->fd);
	if (!descriptor) {
		for (u32 i = 0; i < names->descriptors_count; i++)
			suggest(&suggestion, names->descriptors[i].name);
		if (!names->incomplete)
			check_error(names->check, "fd", "descriptor '%.64s' was never opened%s",
				    raw->fd, suggestion_text(&suggestion, hint));
		return;
	}
	if (!descriptor->open) {
		check_error(names->check, "fd", "descriptor '%.64s' was closed (line %d)%s",
			    raw->fd, descriptor->line,
			    descriptor->line >= step->line ? " by the round before" : "");
		return;
	}
	check_use(names, descriptor, step);
	step->fd = descriptor->slot;
	if (step->op == OP_CLOSE) {
		descriptor->open = false;
		descriptor->line = step->line;
	}
}

static void
use_line(struct names *names, const struct raw_args *raw, struct step *step)
{
	const struct workload *workload = names->workload;
	struct suggestion suggestion = SUGGESTION(raw->raw_line);
	char hint[128];

	if (!raw->raw_line)
		return;
	for (u32 i = 0; i < workload->lines_count; i++) {
		if (!workload->lines[i].name)
			return; /* a wrong name may be the one that is meant */
		if (!strcmp(workload->lines[i].name, raw->raw_line)) {
			step->raw_line = i;
			return;
		}
		suggest(&suggestion, workload->lines[i].name);
	}
	check_error(names->check, "line", "no line '%.64s' under lines%s", raw->raw_line,
		    suggestion_text(&suggestion, hint));
}

/* Does @file, which may hold ${task}, stand for @path among others? */
static bool
covers(const char *file, const char *path)
{
	const char *task = strstr(file, "${task}");
	size_t before = task ? task - file : 0;
	size_t digits;

	if (!strcmp(file, path))
		return true;
	if (!task || strncmp(file, path, before))
		return false;
	digits = strspn(path + before, "0123456789");
	return digits && !strcmp(path + before + digits, task + strlen("${task}"));
}

/* Did an open with creat make it, or does the file list name it? */
static bool
file_is_there(const struct names *names, const char *path)
{
	const struct workload *workload = names->workload;

	for (u32 i = 0; i < names->created_count; i++) {
		if (covers(names->created[i], path))
			return true;
	}
	for (u32 i = 0; i < workload->files_count; i++) {
		if (workload->files[i].path && covers(workload->files[i].path, path))
			return true;
	}
	return false;
}

static void
missing_file(struct names *names, const char *path)
{
	const struct workload *workload = names->workload;
	struct suggestion suggestion = SUGGESTION(path);
	char hint[128];

	for (u32 i = 0; i < names->created_count; i++)
		suggest(&suggestion, names->created[i]);
	for (u32 i = 0; i < workload->files_count; i++) {
		if (!workload->files[i].path)
			return; /* a wrong path may be the one that is meant */
		suggest(&suggestion, workload->files[i].path);
	}
	check_error(names->check, "path",
		    "no file '%.64s': it is neither under files nor created%s", path,
		    suggestion_text(&suggestion, hint));
}

static void
use_file(struct names *names, const struct step *step)
{
	if (!step->path) {
		names->incomplete = true;
		return;
	}
	if (file_is_there(names, step->path))
		return;
	if (step->flags & O_CREAT) {
		names->created = pool_grow(names->check->report->pool, names->created,
					   names->created_count, sizeof(*names->created));
		names->created[names->created_count++] = step->path;
	} else if (!names->incomplete) {
		missing_file(names, step->path);
	}
}

static void
walk_step(struct names *names, const struct operation *operation, const struct raw_args *raw,
	  struct step *step)
{
	size_t before = path_push(&names->check->path, operation->name);

	for (const struct argument *argument = operation->arguments; argument->key; argument++) {
		if (argument->type == ARGUMENT_NEW_FD)
			bind_descriptor(names, raw, step);
		else if (argument->type == ARGUMENT_FD)
			use_descriptor(names, raw, step);
		else if (argument->type == ARGUMENT_LINE)
			use_line(names, raw, step);
		else if (argument->type == ARGUMENT_PATH)
			use_file(names, step);
		else if (argument->type != ARGUMENT_STEPS)
			continue;
		else
			for (u64 round = 0; round < min(step->value, (u64)2); round++)
				walk(names, argument->key, raw->body, &step->body);
	}
	path_pop(&names->check->path, before);
}

static void
walk(struct names *names, const char *key, const struct raw_step *raw, struct step_list *list)
{
	for (u32 i = 0; i < list->steps_count; i++) {
		const struct operation *operation = step_operation(&raw[i]);
		size_t before = path_push(&names->check->path, key);

		path_push_index(&names->check->path, i);
		if (operation)
			walk_step(names, operation, raw[i].op[operation->code], &list->steps[i]);
		else
			names->incomplete = true;
		path_pop(&names->check->path, before);
	}
}

void
check_names(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	struct names names = { .check = check, .workload = workload };

	names.incomplete = check_wrong(check, "prepare") || check_wrong(check, "setup");
	names.preparing = true;
	walk(&names, "prepare", raw->prepare, &workload->prepare);
	names.preparing = false;
	walk(&names, "setup", raw->setup, &workload->setup);
	walk(&names, "loop", raw->loop, &workload->loop);
	walk(&names, "loop", raw->loop, &workload->loop);
}
