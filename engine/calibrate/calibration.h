/*
 * calibration.h - one `engine calibrate`, from its arguments to its tables
 */
#ifndef ENGINE_CALIBRATE_CALIBRATION_H
#define ENGINE_CALIBRATE_CALIBRATION_H

#include "engine/calibrate/search.h"
#include "engine/outfile.h"

/* How far off columns are, in units of 1 / RATIO_ONE. */
struct column_error {
	u64 mean;
	u64 worst;
};

/* Zero-initialise but for arguments and evaluator.kernel; end with calibration_release(). */
struct calibration {
	const struct arguments *arguments;
	char *machine_file;
	struct machine_spec before;	/* as the file says */
	struct machine_spec after;	/* as fitted */
	struct fittables fittables;
	struct search search;
	struct evaluator evaluator;
	struct column_error *base;	/* by target, on `after`, with its own operations */
	bool has_output;
	struct outfile output;
	u64 seed;
	u64 jobs;
	u64 evaluations;
	u64 operations;
};

/* Return: EXIT_DONE; or why it cannot run, after messages on stderr. Nothing runs. */
enum exit_code calibration_prepare(struct calibration *calibration);
void calibration_release(struct calibration *calibration);

/* Fill in `after` and `base`. Return: false if interrupted. */
bool calibration_fit(struct calibration *calibration);

/* Is the figure one whose value this calibration decides? */
bool calibration_decides(const struct calibration *calibration, const struct fittable *fittable);

enum fit_bound { BOUND_NONE, BOUND_SMALLEST, BOUND_LARGEST };

/* Did @fittable end where it could go no further? */
enum fit_bound calibration_bound(const struct calibration *calibration,
				 const struct fittable *fittable);

/* The machine file with the new figures. Return: malloc()ed, or NULL after a message. */
char *calibration_text(const struct calibration *calibration);

/* Write it to -o. Return: EXIT_DONE, or why not, after a message. */
enum exit_code calibration_write(struct calibration *calibration);

/* What was fitted, from what to what. */
void calibration_print_figures(const struct calibration *calibration, FILE *out);

/*
 * Run every column of every workload and print how far off it is. Here the columns
 * that are predictions are read for the first time. Context: after calibration_write().
 */
enum exit_code calibration_reveal(struct calibration *calibration, FILE *out);

#endif
