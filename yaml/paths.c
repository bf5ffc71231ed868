/*
 * paths.c - see paths.h
 */
#include "yaml/paths.h"

#include <limits.h>
#include <string.h>

#define TASK "${task}"
#define NUMBER "${n}"

/* Length of the variable at @text, or 0. */
static size_t
variable_length(const char *text)
{
	if (!strncmp(text, TASK, strlen(TASK)))
		return strlen(TASK);
	return strncmp(text, NUMBER, strlen(NUMBER)) ? 0 : strlen(NUMBER);
}

enum path_relation
path_relation(const char *path, const char *file)
{
	if (!strcmp(path, "/"))
		return strcmp(file, "/") ? PATH_ABOVE : PATH_SAME;
	while (*file && *path) {
		size_t variable = variable_length(file);
		size_t value = variable_length(path);

		if (variable && !value)
			value = strspn(path, "0123456789");
		if (variable && value) {
			file += variable;
			path += value;
		} else if (*file++ != *path++) {
			return PATH_APART;
		}
	}
	if (!*file && !*path)
		return PATH_SAME;
	if (!*path)
		return *file == '/' ? PATH_ABOVE : PATH_APART;
	return *path == '/' ? PATH_BELOW : PATH_APART;
}

bool
path_is_plain(const char *path)
{
	while (*path) {
		size_t length = strcspn(++path, "/");

		if (!length || (path[0] == '.' && (length == 1 || (length == 2 && path[1] == '.'))))
			return false;
		path += length;
	}
	return true;
}

/* What is wrong with the variables in it, or NULL. */
static const char *
bad_variables(const char *path, bool numbered)
{
	for (const char *p = strstr(path, "${"); p; p = strstr(p + 1, "${")) {
		if (!strncmp(p, TASK, strlen(TASK)))
			continue;
		if (!numbered)
			return TASK " is all that is filled in";
		if (strncmp(p, NUMBER, strlen(NUMBER)))
			return TASK " and " NUMBER " are all that is filled in";
	}
	return NULL;
}

static const char *
bad_path(const char *path)
{
	if (path[0] != '/')
		return "not absolute";
	if (strlen(path) >= PATH_MAX)
		return "too long";
	return bad_variables(path, false);
}

static const char *
bad_file_path(const char *path)
{
	if (path[0] != '/')
		return "not absolute";
	if (!path[1])
		return "a directory";
	if (!path_is_plain(path))
		return "a file's own path has no empty parts, . or ..";
	if (strlen(path) >= PATH_MAX)
		return "too long";
	return bad_variables(path, true);
}

static const char *
bad_target(const char *path)
{
	if (!*path)
		return "empty";
	return strlen(path) >= PATH_MAX ? "too long" : bad_variables(path, false);
}

/* Return: @path, or NULL after an error, or if it was NULL. */
static char *
report(struct check *check, const char *key, char *path, const char *problem)
{
	if (!problem)
		return path;
	check_error(check, key, "path '%.64s': %s", path, problem);
	return NULL;
}

char *
checked_path(struct check *check, const char *key, char *path)
{
	return report(check, key, path, path ? bad_path(path) : NULL);
}

char *
checked_file_path(struct check *check, const char *key, char *path)
{
	return report(check, key, path, path ? bad_file_path(path) : NULL);
}

char *
checked_target(struct check *check, const char *key, char *path)
{
	return report(check, key, path, path ? bad_target(path) : NULL);
}
