/*
 * command_validate.c - `engine validate`: check files, show what they resolve to; nothing runs
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "yaml/load.h"

const struct option validate_options[] = {
	{ "machine", "M", "as for `run`" },
	{ "tasks", "LIST", "as for `run`" },
	{ "set", "PATH=VALUE", "as for `run`; may be repeated" },
	{ "quiet", NULL, "say nothing about files that are right" },
	{ 0 },
};

/* Only a machine file has `topology:` at the top. */
static bool
is_machine_file(const char *path)
{
	static const char key[] = "topology:";
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (file && !found && getline(&line, &room, file) > 0)
		found = !strncmp(line, key, strlen(key));
	free(line);
	if (file)
		fclose(file);
	return found;
}

static bool
validate_machine(const char *path, bool quiet)
{
	struct machine_spec spec;

	if (machine_load(path, &spec, stderr))
		return false;
	if (!quiet)
		machine_print_resolved(path, stdout);
	return true;
}

static bool
validate_workload(const struct workload_source *source, bool quiet)
{
	struct workload *workload = workload_load(source, stderr);

	if (!workload)
		return false;
	if (!quiet)
		workload_print_resolved(source, stdout);
	workload_free(workload);
	return true;
}

enum exit_code
command_validate(const struct arguments *arguments)
{
	bool quiet = arguments_value(arguments, "quiet");
	struct workload_source source = { 0 };
	struct override *overrides = overrides_from(arguments, &source.nr_overrides);
	bool right = source.nr_overrides >= 0;

	for (int i = 0; i < arguments->nr_operands && source.nr_overrides >= 0; i++) {
		source.file = arguments->operands[i];
		source.overrides = overrides;
		if (is_machine_file(source.file))
			right &= validate_machine(source.file, quiet);
		else
			right &= validate_workload(&source, quiet);
	}
	overrides_free(overrides, max(source.nr_overrides, 0));
	return right ? EXIT_DONE : EXIT_USAGE;
}
