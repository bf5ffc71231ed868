/*
 * target.c - see target.h
 */
#include "engine/calibrate/target.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "yaml/load.h"

void
forget_predictions(struct published *published)
{
	u32 known = 0;

	while (known < published->columns_count && published_is_base(published, known))
		known++;
	for (u32 i = 0; i < published->rows_count; i++)
		memset(published->rows[i].values + known, 0,
		       (published->columns_count - known) * sizeof(*published->rows[i].values));
	published->columns_count = known;
}

static enum exit_code
check_published(const struct target *target, const struct command *command,
		const struct machine_spec *spec)
{
	const struct published *published = &target->workload->published;

	if (!published->machine || published->boost || !published->rows_count)
		return usage_error(command, "%s publishes no rates to fit to", target->file);
	if (strcmp(published->machine, spec->name))
		return usage_error(command, "%s is published for %s, not for %s", target->file,
				   published->machine, spec->name);
	for (u32 i = 0; i < published->rows_count; i++)
		if (published->rows[i].tasks > machine_spec_cpus(spec))
			return usage_error(command, "%s: a row of %d tasks, but %s has %d CPUs",
					   target->file, published->rows[i].tasks, spec->name,
					   machine_spec_cpus(spec));
	return EXIT_DONE;
}

/* Run what was published: its rows, its columns. */
static void
narrow(struct target *target)
{
	struct workload *workload = target->workload;
	const struct published *published = &workload->published;

	target->tasks = xcalloc(published->rows_count, sizeof(*target->tasks));
	for (u32 i = 0; i < published->rows_count; i++)
		target->tasks[i] = published->rows[i].tasks;
	workload->tasks = target->tasks;
	workload->tasks_count = published->rows_count;
	target->wanted = xcalloc(workload->variants_count, sizeof(*target->wanted));
	for (u32 i = 0; i < published->columns_count; i++)
		target->wanted[published->columns[i]] = true;
}

static struct workload *
load(const char *file)
{
	const struct workload_source source = { .file = file };

	return workload_load(&source, stderr);
}

static struct workload *
load_blind(const char *file)
{
	struct workload *workload = load(file);

	if (workload)
		forget_predictions(&workload->published);
	return workload;
}

static enum exit_code
begin(struct target *target, const struct command *command, const struct machine_spec *spec)
{
	enum exit_code code;

	if (!target->workload)
		return EXIT_USAGE;
	code = check_published(target, command, spec);
	if (code == EXIT_DONE)
		narrow(target);
	return code;
}

enum exit_code
target_load_base(struct target *target, const struct command *command, const char *file,
		 const struct machine_spec *spec)
{
	*target = (struct target){ .file = xstrdup(file), .workload = load_blind(file) };
	return begin(target, command, spec);
}

enum exit_code
target_load_all(struct target *target, const struct command *command, const char *file,
		const struct machine_spec *spec)
{
	*target = (struct target){ .file = xstrdup(file), .workload = load(file) };
	return begin(target, command, spec);
}

void
target_clear(struct target *target)
{
	if (target->workload)
		workload_free(target->workload);
	free(target->tasks);
	free(target->wanted);
	free(target->file);
	memset(target, 0, sizeof(*target));
}

char *
target_columns(const struct target *target)
{
	const struct workload *workload = target->workload;
	const struct published *published = &workload->published;
	char *text = xstrdup(published->columns_count > 1 ? "columns" : "column");

	for (u32 i = 0; i < published->columns_count; i++) {
		char *longer = xasprintf("%s%s %s", text, i ? "," : "",
					 workload->variants[published->columns[i]].name);

		free(text);
		text = longer;
	}
	return text;
}

bool
target_has_one_task(const struct target *target)
{
	return target->workload->published.rows[0].tasks == 1; /* rows ascend */
}
