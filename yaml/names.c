/*
 * names.c - see names.h
 *
 * Names are looked up by walking the steps as a task will run them: prepare,
 * setup, then the loop twice, because what the first iteration leaves open or
 * closed is what the second one finds. The same goes for `repeat`.
 */
#include "yaml/names.h"

#include <fcntl.h>
#include <string.h>

#include "yaml/paths.h"
#include "yaml/suggest.h"

#define DESCRIPTORS_MAX 1024

struct descriptor {
	const char *name;
	struct slot slot;
	bool open;
	int access;		      /* of its open file: O_RDONLY, O_WRONLY, O_RDWR or O_PATH */
	const struct raw_args *where; /* the step that opened it last */
	int line;		      /* of that step, or of the one that closed it */
};

/* What some step made. What is removed is still on the list: a run will tell. */
struct made {
	const char *path;
	bool opaque; /* a link, or something renamed: who knows what lies below it */
};

struct names {
	struct check *check;
	struct workload *workload;
	struct descriptor *descriptors;
	u32 descriptors_count;
	int access; /* of the descriptor that the step at hand used last */
	struct made *made;
	u32 made_count;
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

/* An argument's text, or NULL. */
static const char *
raw_argument(const struct argument *argument, const struct raw_args *raw)
{
	return *(char *const *)((const char *)raw + argument->raw);
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

/* How the open file may be used to which @step binds a name. */
static int
access_of_new(const struct names *names, const struct step *step)
{
	switch (step->op) {
	case OP_DUP:
		return names->access;
	case OP_CREAT:
		return O_WRONLY;
	default:
		return step->flags & (step->flags & O_PATH ? O_PATH : O_ACCMODE);
	}
}

static void
bind_descriptor(struct names *names, const struct argument *argument, const struct raw_args *raw,
		struct step *step)
{
	const char *name = raw_argument(argument, raw);
	const char *key = argument->key;
	struct descriptor *descriptor;

	if (!name) {
		names->incomplete = true;
		return;
	}
	descriptor = find_descriptor(names, name);
	if (descriptor && descriptor->open) {
		if (descriptor->where == raw)
			check_error(names->check, key,
				    "descriptor '%.64s' is still open from the round before: "
				    "close it",
				    name);
		else
			check_error(names->check, key,
				    "descriptor '%.64s' is open already (line %d)", name,
				    descriptor->line);
		return;
	}
	if (!descriptor || descriptor->slot.shared != names->preparing) {
		if (names->descriptors_count >= DESCRIPTORS_MAX) {
			check_error(names->check, key, "more than %d descriptors", DESCRIPTORS_MAX);
			return;
		}
		descriptor = new_descriptor(names, name);
	}
	descriptor->open = true;
	descriptor->access = access_of_new(names, step);
	descriptor->where = raw;
	descriptor->line = step->line;
	*(struct slot *)((char *)step + argument->field) = descriptor->slot;
}

/* Does @step, at the argument @key, take the descriptor away from whoever has it? */
static bool
takes_away(const struct step *step, const char *key)
{
	return step->op == OP_CLOSE || (step->op == OP_DUP2 && !strcmp(key, "to"));
}

static bool
reads(enum op_code op)
{
	return op == OP_PREAD || op == OP_READ;
}

static bool
writes(enum op_code op)
{
	return op == OP_PWRITE || op == OP_WRITE || op == OP_FTRUNCATE;
}

/* Does @step need no more of a descriptor than that it says where something is? */
static bool
takes_paths(enum op_code op)
{
	return op == OP_CLOSE || op == OP_DUP || op == OP_DUP2 || op == OP_FSTAT;
}

/* Is what @step does to it allowed? */
static void
check_use(struct names *names, const char *key, const struct descriptor *descriptor,
	  const struct step *step)
{
	if (reads(step->op) && descriptor->access == O_WRONLY)
		check_error(names->check, key,
			    "descriptor '%.64s' is open for writing only (line %d)",
			    descriptor->name, descriptor->line);
	if (writes(step->op) && descriptor->access == O_RDONLY)
		check_error(names->check, key,
			    "descriptor '%.64s' is open for reading only (line %d)",
			    descriptor->name, descriptor->line);
	if (descriptor->access == O_PATH && !takes_paths(step->op))
		check_error(names->check, key,
			    "descriptor '%.64s' is open with path, for fstat, dup and close only "
			    "(line %d)",
			    descriptor->name, descriptor->line);
	if (takes_away(step, key) && descriptor->slot.shared && !names->preparing &&
	    names->workload->as == AS_THREADS)
		check_error(names->check, key,
			    "descriptor '%.64s' is everybody's (prepare, line %d): a thread cannot "
			    "close it",
			    descriptor->name, descriptor->line);
}

static void
use_descriptor(struct names *names, const struct argument *argument, const struct raw_args *raw,
	       struct step *step)
{
	const char *name = raw_argument(argument, raw);
	struct suggestion suggestion = SUGGESTION(name);
	struct descriptor *descriptor;
	char hint[128];

	if (!name)
		return;
	descriptor = find_descriptor(names, name);
	if (!descriptor) {
		for (u32 i = 0; i < names->descriptors_count; i++)
			suggest(&suggestion, names->descriptors[i].name);
		if (!names->incomplete)
			check_error(names->check, argument->key,
				    "descriptor '%.64s' was never opened%s", name,
				    suggestion_text(&suggestion, hint));
		return;
	}
	if (!descriptor->open) {
		check_error(names->check, argument->key,
			    "descriptor '%.64s' was closed (line %d)%s", name, descriptor->line,
			    descriptor->line >= step->line ? " by the round before" : "");
		return;
	}
	check_use(names, argument->key, descriptor, step);
	*(struct slot *)((char *)step + argument->field) = descriptor->slot;
	if (step->op == OP_CLOSE) {
		descriptor->open = false;
		descriptor->line = step->line;
	} else if (takes_away(step, argument->key)) {
		descriptor->access = names->access;
	}
	names->access = descriptor->access;
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

/* Is something at @path, or may something be, for all that is known? */
static bool
may_be_there(const struct names *names, const char *path)
{
	const struct workload *workload = names->workload;

	if (!strcmp(path, "/") || !path_is_plain(path))
		return true;
	for (u32 i = 0; i < names->made_count; i++) {
		enum path_relation relation = path_relation(path, names->made[i].path);

		if (relation == PATH_SAME || relation == PATH_ABOVE ||
		    (relation == PATH_BELOW && names->made[i].opaque))
			return true;
	}
	for (u32 i = 0; i < workload->files_count; i++) {
		enum path_relation relation = workload->files[i].path
						      ? path_relation(path, workload->files[i].path)
						      : PATH_APART;

		if (relation == PATH_SAME || relation == PATH_ABOVE)
			return true;
	}
	return false;
}

/* @what: file or directory. */
static void
missing(struct names *names, const char *key, const char *path, const char *what)
{
	const struct workload *workload = names->workload;
	struct suggestion suggestion = SUGGESTION(path);
	char hint[128];

	for (u32 i = 0; i < names->made_count; i++)
		suggest(&suggestion, names->made[i].path);
	for (u32 i = 0; i < workload->files_count; i++) {
		if (!workload->files[i].path)
			return; /* a wrong path may be the one that is meant */
		suggest(&suggestion, workload->files[i].path);
	}
	check_error(names->check, key, "no %s '%.64s': it is neither under files nor created%s",
		    what, path, suggestion_text(&suggestion, hint));
}

static void
make_path(struct names *names, const char *key, const char *path, const struct step *step)
{
	struct pool *pool = names->check->report->pool;
	char *directory = pool_strdup(pool, path);
	char *name = strrchr(directory, '/');

	name[name == directory] = '\0';
	if (!names->incomplete && !may_be_there(names, directory))
		missing(names, key, directory, "directory");
	names->made = pool_grow(pool, names->made, names->made_count, sizeof(*names->made));
	names->made[names->made_count++] = (struct made){
		.path = path,
		.opaque = step->op == OP_SYMLINK || step->op == OP_RENAME,
	};
}

/* A step that is expected to fail neither needs nor makes anything. */
static void
use_path(struct names *names, const struct argument *argument, const struct step *step)
{
	const char *path = *(char *const *)((const char *)step + argument->field);
	bool makes = argument->type == ARGUMENT_NEW_PATH;

	if (!path) {
		names->incomplete = true;
		return;
	}
	if (check_given(names->check, "expect"))
		return;
	if (step->op == OP_OPEN && (step->flags & O_CREAT))
		makes = !may_be_there(names, path);
	if (makes)
		make_path(names, argument->key, path, step);
	else if (!names->incomplete && !may_be_there(names, path))
		missing(names, argument->key, path, "file");
}

static void
walk_argument(struct names *names, const struct argument *argument, const struct raw_args *raw,
	      struct step *step)
{
	switch (argument->type) {
	case ARGUMENT_NEW_FD:
		bind_descriptor(names, argument, raw, step);
		break;
	case ARGUMENT_FD:
		use_descriptor(names, argument, raw, step);
		break;
	case ARGUMENT_LINE:
		use_line(names, raw, step);
		break;
	case ARGUMENT_PATH:
	case ARGUMENT_NEW_PATH:
		use_path(names, argument, step);
		break;
	case ARGUMENT_STEPS:
		for (u64 round = 0; round < min(step->value, (u64)2); round++)
			walk(names, argument->key, raw->body, &step->body);
		break;
	default:
		break;
	}
}

static void
walk_step(struct names *names, const struct operation *operation, const struct raw_args *raw,
	  struct step *step)
{
	size_t before = path_push(&names->check->path, operation->name);

	for (const struct argument *argument = operation->arguments; argument->key; argument++)
		walk_argument(names, argument, raw, step);
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
