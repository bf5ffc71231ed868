/*
 * paths.h - paths in a workload: what they may look like, how two of them lie
 *
 * ${task} stands for the number of the task, ${n} (in a file that is made many
 * times) for the number of the file: for any number, when two are compared.
 */
#ifndef YAML_PATHS_H
#define YAML_PATHS_H

#include "yaml/check.h"

enum path_relation {
	PATH_APART,
	PATH_SAME,
	PATH_ABOVE,	/* a directory that the other one lies in */
	PATH_BELOW,
};

/* What a path is compared to, ${n} and ${task} included. Return: where @path lies of @file. */
enum path_relation path_relation(const char *path, const char *file);

/* Has it parts that say nothing by themselves: ".", "..", empty ones? */
bool path_is_plain(const char *path);

/*
 * The text of @key, which is a path of an operation: absolute, with ${task} at
 * most. Or that of a file that is made: it names something, plainly, and may
 * hold ${n}. Or what a link leads to: anything. Return: NULL if it is wrong.
 */
char *checked_path(struct check *check, const char *key, char *path);
char *checked_file_path(struct check *check, const char *key, char *path);
char *checked_target(struct check *check, const char *key, char *path);

#endif
