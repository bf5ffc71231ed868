/*
 * search.h - the values with which the model is least far off
 *
 * NLopt's DIRECT-L looks over the whole of the bounds, then Subplex goes down
 * from the best that was seen; both are deterministic and need no derivative.
 * Values are whole steps (a figure has no use for its thousandth), so a set that
 * was tried is never run again.
 */
#ifndef ENGINE_CALIBRATE_SEARCH_H
#define ENGINE_CALIBRATE_SEARCH_H

#include "engine/calibrate/evaluate.h"

struct search {
	struct evaluator *evaluator;
	const struct fittable *fitted[FITTABLE_MAX];
	int nr_fitted;
	u64 operations;			/* of each point */
	int evaluations;		/* sets of values to run at most */
	void (*progress)(void *context, int finished, int total);
	void *progress_context;
};

/* Step between the values of @fittable that are tried. */
u64 search_step(const struct fittable *fittable);

/*
 * @spec is the file's and becomes the best that was found, FITTABLE_SOLVED solved.
 * Return: false if interrupted.
 */
bool search_run(const struct search *search, struct machine_spec *spec);

#endif
