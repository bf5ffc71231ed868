/*
 * locate.h - shipped files by name, and what a command's FILE|NAME means
 */
#ifndef ENGINE_LOCATE_H
#define ENGINE_LOCATE_H

#include "yaml/load.h"

struct file_list {
	char **paths;
	char **names;	/* without folder and ".yaml" */
	size_t count;
};

/* The shipped workloads or machines, sorted as the folders are. Free with file_list_free(). */
struct file_list file_list_shipped(enum shipped what);
void file_list_free(struct file_list *list);

/* Return: the path of what is called @name, or NULL. */
const char *file_list_find(const struct file_list *list, const char *name);

/*
 * The file that @argument means: a path, or the name of a shipped workload.
 * Return: malloc()ed, or NULL after a message on stderr.
 */
char *locate_workload(const char *argument);

#endif
