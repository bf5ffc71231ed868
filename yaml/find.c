/*
 * find.c - where shipped workloads and machines lie
 *
 * The program is run from a source tree (build/engine, build/asan/engine) or
 * installed (bin/engine with share/engine/workloads). Both are found by going
 * up from the program's own place, so neither needs a path that was fixed when
 * it was built.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "yaml/load.h"
#include "yaml/pool.h"

#define LEVELS_UP 4

static const char *const places_below[] = { "workloads", "share/engine/workloads" };

/* Return: the workloads folder in @pool, or NULL. */
static char *
workloads_folder(struct pool *pool)
{
	char program[4096] = "";
	char *slash;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return NULL;
	for (int level = 0; level < LEVELS_UP && (slash = strrchr(program, '/')); level++) {
		*slash = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(places_below); i++) {
			char *folder = pool_printf(pool, "%s/%s", program, places_below[i]);
			char *machines = pool_printf(pool, "%s/machines", folder);

			if (!access(machines, R_OK | X_OK))
				return folder;
		}
	}
	return NULL;
}

static bool
is_path(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".yaml");
}

/* Return: "@folder/@name.yaml", malloc()ed, if it can be read; else NULL. */
static char *
file_in(const char *folder, const char *below, const char *name)
{
	char *file;

	if (asprintf(&file, "%s/%s%s.yaml", folder, below, name) < 0)
		abort();
	if (!access(file, R_OK))
		return file;
	free(file);
	return NULL;
}

char *
machine_find(const char *name, const char *workload_file)
{
	const char *slash = workload_file ? strrchr(workload_file, '/') : NULL;
	struct pool pool = { 0 };
	char *beside =
		slash ? pool_printf(&pool, "%.*s", (int)(slash - workload_file), workload_file)
		      : pool_strdup(&pool, ".");
	char *folder = workloads_folder(&pool);
	char *file = NULL;

	if (is_path(name)) {
		file = access(name, R_OK) ? NULL : strdup(name);
	} else {
		file = file_in(beside, "machines/", name);
		if (!file && folder)
			file = file_in(folder, "machines/", name);
	}
	pool_free(&pool);
	return file;
}

char *
workload_find(const char *name)
{
	struct pool pool = { 0 };
	char *folder = workloads_folder(&pool);
	char *file = NULL;

	if (is_path(name)) {
		file = access(name, R_OK) ? NULL : strdup(name);
	} else if (folder) {
		file = file_in(folder, "", name);
		if (!file)
			file = file_in(folder, "micro/", name);
	}
	pool_free(&pool);
	return file;
}

static int
is_yaml(const struct dirent *entry)
{
	return is_path(entry->d_name);
}

static void
each_in(const char *folder, void (*each)(void *context, const char *file), void *context)
{
	struct dirent **entries;
	struct pool pool = { 0 };
	int count = scandir(folder, &entries, is_yaml, alphasort);

	for (int i = 0; i < count; i++) {
		each(context, pool_printf(&pool, "%s/%s", folder, entries[i]->d_name));
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	pool_free(&pool);
}

void
shipped_each(enum shipped what, void (*each)(void *context, const char *file), void *context)
{
	struct pool pool = { 0 };
	char *folder = workloads_folder(&pool);

	if (folder && what == SHIPPED_MACHINES) {
		each_in(pool_printf(&pool, "%s/machines", folder), each, context);
	} else if (folder) {
		each_in(folder, each, context);
		each_in(pool_printf(&pool, "%s/micro", folder), each, context);
	}
	pool_free(&pool);
}
