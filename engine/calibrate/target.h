/*
 * target.h - a workload as calibration may see it: its base and nothing else
 *
 * The base is the first column of the published table, or all columns of a table
 * of micro-measurements (`base: all`). Others are predictions: target_load_base()
 * drops them right after reading the file, so no code between loading and writing
 * the machine file has them to look at.
 */
#ifndef ENGINE_CALIBRATE_TARGET_H
#define ENGINE_CALIBRATE_TARGET_H

#include "engine/exit_code.h"
#include "engine/options.h"
#include "machine/spec.h"
#include "yaml/workload.h"

struct target {
	char *file;
	struct workload *workload;	/* its tasks are those of the published rows */
	int *tasks;
	bool *wanted;			/* by variant: those of the published columns */
	bool solves;			/* its one-task rate depends on FITTABLE_SOLVED */
};

/*
 * Load @file, which must publish rates of @spec's machine. Return: EXIT_DONE; or
 * EXIT_USAGE after messages. target_clear() either way.
 */
enum exit_code target_load_base(struct target *target, const struct command *command,
				const char *file, const struct machine_spec *spec);

/* The same with all columns: for after the result is written. */
enum exit_code target_load_all(struct target *target, const struct command *command,
			       const char *file, const struct machine_spec *spec);
void target_clear(struct target *target);

/* Cut everything but the base out of @published. */
void forget_predictions(struct published *published);

/* "column vanilla", or "columns cluster, remote, smt". Return: malloc()ed. */
char *target_columns(const struct target *target);

bool target_has_one_task(const struct target *target);

#endif
