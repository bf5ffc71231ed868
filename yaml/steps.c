/*
 * steps.c - operations and their arguments, as the tables describe them
 *
 * See steps.h. The names that they bind are names.c's.
 */
#include "yaml/steps.h"

#include <fcntl.h>
#include <string.h>

#include "yaml/catalogue.h"
#include "yaml/names.h"
#include "yaml/suggest.h"

#define STEPS_MAX 1000
#define REPEATS_MAX 4 /* nested */

struct steps {
	struct check *check;
	int count;
	int repeats;
};

static const struct open_flag {
	const char *name;
	int flag;
} open_flags[] = {
	{ "rdonly", O_RDONLY }, { "wronly", O_WRONLY }, { "rdwr", O_RDWR },
	{ "creat", O_CREAT },	{ "excl", O_EXCL },	{ "trunc", O_TRUNC },
};

static const char *const on_fail_choices[] = { "policy", "retry", "pause", NULL };

static void take_steps(struct steps *steps, const char *key, const struct raw_step *raw,
		       unsigned int count, struct step_list *list);

/* What is wrong with a path, or NULL. */
static const char *
bad_path(const char *path)
{
	if (path[0] != '/')
		return "not absolute";
	if (!path[1])
		return "a directory";
	if (strchr(path + 1, '/'))
		return "files lie in the root directory, there is no other";
	if (strlen(path) > 200)
		return "too long";
	for (const char *p = strstr(path, "${"); p; p = strstr(p + 1, "${")) {
		if (strncmp(p, "${task}", 7))
			return "${task} is all that is filled in";
	}
	return NULL;
}

/* @path may be NULL. Return: @path, or NULL after an error. */
static char *
checked_path(struct check *check, const char *key, char *path)
{
	const char *problem = path ? bad_path(path) : NULL;

	if (!problem)
		return path;
	check_error(check, key, "path '%.64s': %s", path, problem);
	return NULL;
}

char *
take_path(struct check *check, const char *key, const char *raw)
{
	return checked_path(check, key, take_text(check, key, raw));
}

/* Return: the O_ flag called @name, or -1 after an error. */
static int
take_flag(struct check *check, const struct field *field, const char *name)
{
	char *text = take_text_as(check, field, "", name);
	struct suggestion suggestion = SUGGESTION(text);
	char hint[128];

	if (!text)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(open_flags); i++) {
		if (!strcmp(open_flags[i].name, text))
			return open_flags[i].flag;
		suggest(&suggestion, open_flags[i].name);
	}
	check_error(check, "", "unknown flag '%.64s'%s", text, suggestion_text(&suggestion, hint));
	return -1;
}

static void
take_flags(struct check *check, const struct field *field, const struct raw_args *raw,
	   struct step *step)
{
	int access_modes = 0;

	if (!raw->flags_count && !check_wrong(check, field->path))
		check_note(check, "flags[0]", open_flags[0].name, true);
	for (unsigned int i = 0; i < raw->flags_count; i++) {
		size_t before = path_push(&check->path, field->path);
		int flag;

		path_push_index(&check->path, i);
		flag = take_flag(check, field, raw->flags[i]);
		path_pop(&check->path, before);
		if (flag < 0)
			return;
		access_modes += (flag & ~O_ACCMODE) == 0;
		step->flags |= flag;
	}
	if (access_modes > 1)
		check_error(check, field->path, "more than one of rdonly, wronly and rdwr");
	else if ((step->flags & O_EXCL) && !(step->flags & O_CREAT))
		check_error(check, field->path, "excl says nothing without creat");
	else if ((step->flags & O_TRUNC) && (step->flags & O_ACCMODE) == O_RDONLY)
		check_error(check, field->path, "trunc needs wronly or rdwr");
}

static struct field
argument_field(const struct argument *argument)
{
	static const struct argument_range {
		enum unit unit;
		u64 smallest, largest;
	} ranges[] = {
#define ARGUMENT_TYPE(name, unit, smallest, largest, summary) { UNIT_##unit, smallest, largest },
#include "yaml/argument_types.def"
#undef ARGUMENT_TYPE
	};
	const struct argument_range *range = &ranges[argument->type];

	return (struct field){
		.path = argument->key,
		.unit = range->unit,
		.fallback = argument->required ? NULL : argument->fallback,
		.smallest = range->smallest,
		.largest = range->largest,
		.choices = argument->type == ARGUMENT_ON_FAIL ? on_fail_choices : NULL,
		.help = argument->summary,
	};
}

static void
take_argument(struct steps *steps, const struct argument *argument, const struct raw_args *raw,
	      struct step *step)
{
	struct check *check = steps->check;
	const struct field field = argument_field(argument);
	const char *text = *(char *const *)((const char *)raw + argument->raw);
	void *to = (char *)step + argument->field;
	const char *key = argument->key;

	switch (argument->type) {
	case ARGUMENT_STEPS:
		if (!raw->body_count && !check_wrong(check, key))
			check_error(check, key, "%s is empty: %s", key, argument->summary);
		take_steps(steps, key, raw->body, raw->body_count, &step->body);
		return;
	case ARGUMENT_OPEN_FLAGS:
		take_flags(check, &field, raw, step);
		return;
	case ARGUMENT_PATH:
		*(char **)to = checked_path(check, key, take_text_as(check, &field, key, text));
		return;
	case ARGUMENT_ON_FAIL:
		*(enum on_fail *)to = take_choice_as(check, &field, key, text);
		return;
	case ARGUMENT_FD:
	case ARGUMENT_NEW_FD:
	case ARGUMENT_LINE:
		take_text_as(check, &field, key, text);
		return;
	default:
		*(u64 *)to = take_number_as(check, &field, key, text);
	}
}

static void
take_step(struct steps *steps, const struct raw_step *raw, struct step *step)
{
	struct check *check = steps->check;
	const struct operation *operation = step_operation(raw);
	size_t before;

	step->op = OP_MAX;
	if (!operation)
		return; /* reported by the locate pass */
	step->op = operation->code;
	step->line = check_position(check, "").line;
	before = path_push(&check->path, operation->name);
	for (const struct argument *argument = operation->arguments; argument->key; argument++)
		take_argument(steps, argument, raw->op[operation->code], step);
	if (!operation->arguments->key)
		check_note(check, "", "{}", false);
	path_pop(&check->path, before);
}

static void
take_steps(struct steps *steps, const char *key, const struct raw_step *raw, unsigned int count,
	   struct step_list *list)
{
	struct check *check = steps->check;

	steps->count += count;
	if (steps->count > STEPS_MAX || steps->repeats > REPEATS_MAX) {
		check_error(check, key,
			    steps->count > STEPS_MAX ? "more than %d steps"
						     : "repeat is nested deeper than %d levels",
			    steps->count > STEPS_MAX ? STEPS_MAX : REPEATS_MAX);
		return;
	}
	steps->repeats++;
	list->steps = pool_alloc(check->pool, count * sizeof(*list->steps));
	list->steps_count = count;
	for (unsigned int i = 0; i < count; i++) {
		size_t before = path_push(&check->path, key);

		path_push_index(&check->path, i);
		take_step(steps, &raw[i], &list->steps[i]);
		path_pop(&check->path, before);
	}
	steps->repeats--;
}

void
check_steps(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	struct steps steps = { .check = check };

	take_steps(&steps, "prepare", raw->prepare, raw->prepare_count, &workload->prepare);
	take_steps(&steps, "setup", raw->setup, raw->setup_count, &workload->setup);
	take_steps(&steps, "loop", raw->loop, raw->loop_count, &workload->loop);
	if (!raw->loop_count && !check_wrong(check, "loop"))
		check_error(check, "loop", "loop is empty: it holds the measured steps");
	check_names(check, raw, workload);
}
