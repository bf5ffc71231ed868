/*
 * locate.c - see locate.h
 */
#include "engine/locate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/memory.h"
#include "yaml/suggest.h"

#define SUFFIX ".yaml"

static bool
has_suffix(const char *text)
{
	size_t length = strlen(text);

	return length > strlen(SUFFIX) && !strcmp(text + length - strlen(SUFFIX), SUFFIX);
}

static void
add_file(void *context, const char *path)
{
	struct file_list *list = context;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = (list->count + 1) * sizeof(char *);

	list->paths = xrealloc(list->paths, size);
	list->names = xrealloc(list->names, size);
	list->paths[list->count] = xstrdup(path);
	list->names[list->count] = xstrndup(name, strlen(name) - strlen(SUFFIX));
	list->count++;
}

struct file_list
file_list_shipped(enum shipped what)
{
	struct file_list list = { 0 };

	shipped_each(what, add_file, &list);
	return list;
}

void
file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->paths[i]);
		free(list->names[i]);
	}
	free(list->paths);
	free(list->names);
	memset(list, 0, sizeof(*list));
}

const char *
file_list_find(const struct file_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], name))
			return list->paths[i];
	return NULL;
}

static void
unknown_workload(const char *name)
{
	struct file_list list = file_list_shipped(SHIPPED_WORKLOADS);
	struct suggestion suggestion = SUGGESTION(name);
	char hint[128];

	for (size_t i = 0; i < list.count; i++)
		suggest(&suggestion, list.names[i]);
	fprintf(stderr, "engine: no workload '%s'%s\n", name, suggestion_text(&suggestion, hint));
	file_list_free(&list);
}

char *
locate_workload(const char *argument)
{
	struct stat status;
	bool exists = !stat(argument, &status);
	char *file;

	if (exists && !S_ISDIR(status.st_mode))
		return xstrdup(argument);
	if (has_suffix(argument)) {
		fprintf(stderr, "engine: %s: %s\n", argument, strerror(exists ? EISDIR : ENOENT));
		return NULL;
	}
	file = workload_find(argument);
	if (!file)
		unknown_workload(argument);
	return file;
}
