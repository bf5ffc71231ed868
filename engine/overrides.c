/*
 * overrides.c - options that change the workload: all of them are `--set` in short
 */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/memory.h"
#include "yaml/load.h"

/* "path=value". Return: false after a message on stderr. */
static bool
split_set(const struct arguments *arguments, const char *text, struct override *override)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text) {
		usage_error(arguments->command, "--set wants path=value, not '%s'", text);
		return false;
	}
	override->path = xstrndup(text, equals - text);
	override->value = xstrdup(equals + 1);
	return true;
}

/* Return: false after a message on stderr; *@used says if @given was one of ours. */
static bool
take(const struct arguments *arguments, const struct given *given, struct override *override,
     bool *used)
{
	const char *name = given->option->name;

	*used = true;
	if (!strcmp(name, "set"))
		return split_set(arguments, given->value, override);
	if (!strcmp(name, "machine")) {
		override->option = "--machine";
		override->path = xstrdup("machine");
		override->value = xstrdup(given->value);
	} else if (!strcmp(name, "tasks")) {
		override->option = "--tasks";
		override->path = xstrdup("tasks");
		override->value = xasprintf("[%s]", given->value);
	} else {
		*used = false;
	}
	return true;
}

struct override *
overrides_from(const struct arguments *arguments, int *count)
{
	struct override *overrides = xcalloc(arguments->nr_given, sizeof(*overrides));
	int taken = 0;

	for (int i = 0; i < arguments->nr_given; i++) {
		bool used;

		if (!take(arguments, &arguments->given[i], &overrides[taken], &used)) {
			overrides_free(overrides, taken);
			*count = -1;
			return NULL;
		}
		taken += used;
	}
	*count = taken;
	return overrides;
}

void
overrides_free(struct override *overrides, int count)
{
	for (int i = 0; i < count; i++) {
		free((char *)overrides[i].path);
		free((char *)overrides[i].value);
	}
	free(overrides);
}
