/*
 * load.h - from a YAML file to a checked structure, or to all of its errors
 *
 * Three passes (locate, load, check). Errors come as "file:line:col: message",
 * every one of them, in file order; nothing is returned then.
 */
#ifndef YAML_LOAD_H
#define YAML_LOAD_H

#include <stdio.h>

#include "machine/spec.h"
#include "yaml/workload.h"

/* One `--set path=value`, or an option that is short for one. */
struct override {
	const char *path;
	const char *value;
	const char *option;		/* "--tasks", for messages; NULL: --set */
};

struct workload_source {
	const char *file;		/* path of the YAML file */
	const struct override *overrides;
	int nr_overrides;
};

/*
 * Load @source->file. Errors go to @errors, one per line.
 * Return: the workload (free it with workload_free()), or NULL.
 */
struct workload *workload_load(const struct workload_source *source, FILE *errors);
void workload_free(struct workload *workload);

/*
 * Every value of the resolved file with where it came from (default, line of
 * the file, --set), as `engine validate` shows it.
 */
void workload_print_resolved(const struct workload_source *source, FILE *out);

/* The same for a machine file. Return: 0, or -1 after writing errors. */
int machine_load(const char *file, struct machine_spec *spec, FILE *errors);
void machine_print_resolved(const char *file, FILE *out);

/*
 * Find the file of the machine that is called @name: in machines/ beside
 * @workload_file, then in the source tree, then in share/. A @name that ends in
 * ".yaml" is a path. Return: a malloc()ed path, or NULL if there is none.
 */
char *machine_find(const char *name, const char *workload_file);

/*
 * The same for a workload that is called @name: itself if it ends in ".yaml", or
 * @name.yaml in workloads/ or workloads/micro/ of the source tree or share/.
 */
char *workload_find(const char *name);

/* Folders that hold shipped files. Call @each with the path of every YAML file in them. */
enum shipped { SHIPPED_WORKLOADS, SHIPPED_MACHINES };

void shipped_each(enum shipped what, void (*each)(void *context, const char *file), void *context);

#endif
