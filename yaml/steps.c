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
#include "yaml/paths.h"
#include "yaml/suggest.h"

#define STEPS_MAX 1000
#define REPEATS_MAX 4 /* nested */

struct steps {
	struct check *check;
	int count;
	int repeats;
	bool verify; /* what is read has to be the pattern of its offset */
};

static void take_steps(struct steps *steps, const char *key, const struct raw_step *raw,
		       unsigned int count, struct step_list *list);

/* Return: the entry of @known called @name, or NULL after an error. */
static const struct flag_name *
take_flag(struct check *check, const struct field *field, const struct flag_name *known,
	  const char *name)
{
	char *text = take_text_as(check, field, "", name);
	struct suggestion suggestion = SUGGESTION(text);
	char hint[128];

	if (!text)
		return NULL;
	for (; known->name; known++) {
		if (!strcmp(known->name, text))
			return known;
		suggest(&suggestion, known->name);
	}
	check_error(check, "", "unknown flag '%.64s'%s", text, suggestion_text(&suggestion, hint));
	return NULL;
}

static void
check_open_flags(struct check *check, const struct field *field, int access_modes, int flags)
{
	if (access_modes > 1)
		check_error(check, field->path, "more than one of rdonly, wronly and rdwr");
	else if ((flags & O_EXCL) && !(flags & O_CREAT))
		check_error(check, field->path, "excl says nothing without creat");
	else if ((flags & O_TRUNC) && (flags & O_ACCMODE) == O_RDONLY)
		check_error(check, field->path, "trunc needs wronly or rdwr");
	else if ((flags & O_DIRECTORY) && (flags & (O_CREAT | O_ACCMODE)))
		check_error(check, field->path, "a directory is opened rdonly, and not created");
	else if ((flags & O_APPEND) && (flags & O_ACCMODE) == O_RDONLY)
		check_error(check, field->path, "append needs wronly or rdwr");
	else if ((flags & O_PATH) && (flags & ~(O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
		check_error(check, field->path,
			    "with path, nothing but directory, nofollow and cloexec says anything");
}

static void
take_flags(struct check *check, const struct field *field, enum argument_type type,
	   const struct raw_args *raw, struct step *step)
{
	const struct flag_name *known = argument_flags(type);
	int access_modes = 0;

	if (!raw->flags_count && !check_wrong(check, field->path))
		check_note(check, pool_printf(check->pool, "%s[0]", field->path), known->name,
			   true);
	for (unsigned int i = 0; i < raw->flags_count; i++) {
		size_t before = path_push(&check->path, field->path);
		const struct flag_name *flag;

		path_push_index(&check->path, i);
		flag = take_flag(check, field, known, raw->flags[i]);
		path_pop(&check->path, before);
		if (!flag)
			return;
		access_modes += flag->mask == O_ACCMODE;
		step->flags |= flag->flag;
	}
	if (type == ARGUMENT_OPEN_FLAGS)
		check_open_flags(check, field, access_modes, step->flags);
}

/* Return: the errno called @raw, as "enoent" or ENOENT, or 0. */
static int
take_errno(struct check *check, const struct field *field, const char *raw)
{
	const char *text = take_text_as(check, field, field->path, raw);
	struct suggestion suggestion = SUGGESTION(text);
	char hint[128];

	if (!text)
		return 0;
	for (int number = 1; number <= ERRNO_MAX; number++) {
		char name[ERRNO_NAME_SIZE];

		if (!errno_name(number, name))
			continue;
		if (!strcasecmp(name, text))
			return number;
		suggest(&suggestion, pool_strdup(check->report->pool, name));
	}
	check_error(check, field->path, "unknown error '%.64s'%s", text,
		    suggestion_text(&suggestion, hint));
	return 0;
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
		.choices = argument_choices(argument->type),
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
	case ARGUMENT_ACCESS_MODE:
		take_flags(check, &field, argument->type, raw, step);
		return;
	case ARGUMENT_PATH:
	case ARGUMENT_NEW_PATH:
		*(char **)to = checked_path(check, key, take_text_as(check, &field, key, text));
		return;
	case ARGUMENT_TARGET:
		*(char **)to = checked_target(check, key, take_text_as(check, &field, key, text));
		return;
	case ARGUMENT_ON_FAIL:
	case ARGUMENT_WHENCE:
		*(int *)to = take_choice_as(check, &field, key, text);
		return;
	case ARGUMENT_ERRNO:
		*(int *)to = take_errno(check, &field, text);
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
	if (step->op == OP_WRITE && steps->verify)
		check_error(check, "",
			    "write does not know its offset, which verify goes by: "
			    "use pwrite");
	if (step->op == OP_OPEN && steps->verify && (step->flags & O_APPEND))
		check_error(check, "flags",
			    "append writes elsewhere than at an offset, which verify goes by");
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
	const char *verify = raw->measure ? raw->measure->verify : NULL;
	struct steps steps = { .check = check, .verify = verify && !strcmp(verify, "true") };

	take_steps(&steps, "prepare", raw->prepare, raw->prepare_count, &workload->prepare);
	take_steps(&steps, "setup", raw->setup, raw->setup_count, &workload->setup);
	take_steps(&steps, "loop", raw->loop, raw->loop_count, &workload->loop);
	if (!raw->loop_count && !check_wrong(check, "loop"))
		check_error(check, "loop", "loop is empty: it holds the measured steps");
	check_names(check, raw, workload);
}
