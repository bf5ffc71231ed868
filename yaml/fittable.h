/*
 * fittable.h - the figures of a machine file that calibration may move
 *
 * A figure with `fit: [smallest, largest]` is one. What was published for it
 * stays known when it has been moved: `published:`, or else the value itself if
 * it has a `source:`.
 */
#ifndef YAML_FITTABLE_H
#define YAML_FITTABLE_H

#include <stdio.h>

#include "machine/spec.h"
#include "yaml/value.h"

#define FITTABLE_MAX 64
#define FITTABLE_SOLVED "costs.syscall" /* follows from one-task rates */

/* A number of struct machine_spec. */
struct spec_member {
	size_t offset;
	size_t size;		/* of a u64 or an int */
};

struct fittable {
	char path[48];		/* in the file: "transfer.cluster" */
	enum unit unit;
	struct spec_member member;
	struct spec_member followers[2];	/* were left out and take its value; size 0: none */
	u64 value;		/* what the file says */
	u64 smallest;
	u64 largest;
	u64 published;		/* 0: nothing was */
};

/* All of a file, in the order in which the figures are checked. */
struct fittables {
	struct fittable entries[FITTABLE_MAX];
	int count;
};

/*
 * machine_load() with what may be fitted. FITTABLE_SOLVED is listed without a `fit:`
 * too: it may be anything that the file could say. Return: 0, or -1 after errors.
 */
int machine_load_fittables(const char *file, struct machine_spec *spec,
			   struct fittables *fittables, FILE *errors);

/* Return: the one of @path, or NULL. */
const struct fittable *fittables_find(const struct fittables *fittables, const char *path);

u64 fittable_get(const struct fittable *fittable, const struct machine_spec *spec);

/* @spec becomes what it would be if the file said @value there. */
void fittable_set(const struct fittable *fittable, struct machine_spec *spec, u64 value);

/*
 * For the check pass: list the figure at @path (more than FITTABLE_MAX are none of
 * our files'); @follower was left out and is what @path is, if that can be fitted.
 */
struct fittable *fittables_add(struct fittables *fittables, const char *path, enum unit unit);
void fittables_follow(struct fittables *fittables, const char *path, const char *follower);

#endif
