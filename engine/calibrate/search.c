/*
 * search.c - see search.h
 */
#include "engine/calibrate/search.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "engine/calibrate/objective.h"
#include "engine/memory.h"

#define STEPS_MIN 100		/* between the bounds, if the unit is fine enough */
#define GLOBAL_SHARE 2		/* one half of the evaluations goes to DIRECT-L */
#define REPEATS_MAX 20		/* calls for each evaluation: most are of a set that was tried */
#define LOCAL_STEP 0.1		/* Subplex starts with this share of the bounds */
#define LOCAL_TOLERANCE 0.002

struct trial {
	u64 values[FITTABLE_MAX];
	double objective;
	struct machine_spec spec;
};

struct state {
	const struct search *search;
	const struct machine_spec *start;
	struct trial *trials;
	int nr_trials;
	int best;
	int limit;		/* of trials, in the phase at hand */
	nlopt_opt optimiser;
};

u64
search_step(const struct fittable *fittable)
{
	u64 step = 1;

	while (10 * step * STEPS_MIN <= fittable->largest - fittable->smallest)
		step *= 10;
	return step;
}

/* @x in 0..1 between the bounds, in whole steps. */
static u64
value_at(const struct fittable *fittable, double x)
{
	u64 step = search_step(fittable);
	double steps = x * (fittable->largest - fittable->smallest) / step;

	return min(fittable->smallest + (u64)floor(steps + 0.5) * step, fittable->largest);
}

static double
position_of(const struct fittable *fittable, u64 value)
{
	return (double)(value - fittable->smallest) / (fittable->largest - fittable->smallest);
}

/* Run a set that was not tried yet. */
static void
run_trial(struct state *state, struct trial *trial)
{
	const struct search *search = state->search;
	struct evaluator *evaluator = search->evaluator;
	double *errors = xcalloc(evaluator->nr_targets, sizeof(*errors));
	double sum = 0;

	trial->spec = *state->start;
	for (int i = 0; i < search->nr_fitted; i++) {
		double pulled = pull(trial->values[i], search->fitted[i]->published);

		fittable_set(search->fitted[i], &trial->spec, trial->values[i]);
		sum += pulled * pulled;
	}
	evaluate_solve(evaluator, &trial->spec);
	evaluate_errors(evaluator, &trial->spec, search->operations, errors);
	for (int i = 0; i < evaluator->nr_targets; i++)
		sum += errors[i] * errors[i];
	trial->objective = sqrt(sum);
	free(errors);
}

static struct trial *
find_trial(struct state *state, const u64 *values)
{
	size_t size = state->search->nr_fitted * sizeof(*values);

	for (int i = 0; i < state->nr_trials; i++)
		if (!memcmp(state->trials[i].values, values, size))
			return &state->trials[i];
	return NULL;
}

static double
try(struct state *state, const u64 *values)
{
	const struct search *search = state->search;
	struct trial *trial = find_trial(state, values);

	if (trial)
		return trial->objective;
	trial = &state->trials[state->nr_trials];
	memcpy(trial->values, values, search->nr_fitted * sizeof(*values));
	run_trial(state, trial);
	if (search->evaluator->interrupted)
		return OBJECTIVE_FAILED;
	if (trial->objective < state->trials[state->best].objective)
		state->best = state->nr_trials;
	state->nr_trials++;
	if (search->progress)
		search->progress(search->progress_context, state->nr_trials, search->evaluations);
	return trial->objective;
}

static double
objective(unsigned int n, const double *x, double *gradient, void *context)
{
	struct state *state = context;
	u64 values[FITTABLE_MAX];
	double result;

	for (unsigned int i = 0; i < n; i++)
		values[i] = value_at(state->search->fitted[i], x[i]);
	/* NLopt may ask a few times more after it was told to stop. */
	if (nlopt_get_force_stop(state->optimiser))
		return OBJECTIVE_FAILED;
	result = try(state, values);
	if (state->search->evaluator->interrupted || state->nr_trials == state->limit)
		nlopt_force_stop(state->optimiser);
	return result;
}

/* Go on from the best with @algorithm until @limit sets were tried. */
static void
optimise(struct state *state, nlopt_algorithm algorithm, int limit)
{
	const struct search *search = state->search;
	double x[FITTABLE_MAX];
	double found;

	state->limit = limit;
	if (state->nr_trials >= limit || search->evaluator->interrupted)
		return;
	for (int i = 0; i < search->nr_fitted; i++)
		x[i] = position_of(search->fitted[i], state->trials[state->best].values[i]);
	state->optimiser = nlopt_create(algorithm, search->nr_fitted);
	if (!state->optimiser)
		abort();
	nlopt_set_lower_bounds1(state->optimiser, 0);
	nlopt_set_upper_bounds1(state->optimiser, 1);
	nlopt_set_min_objective(state->optimiser, objective, state);
	nlopt_set_initial_step1(state->optimiser, LOCAL_STEP);
	nlopt_set_xtol_abs1(state->optimiser, LOCAL_TOLERANCE);
	nlopt_set_maxeval(state->optimiser, REPEATS_MAX * search->evaluations);
	nlopt_optimize(state->optimiser, x, &found); /* what it found is among the trials */
	nlopt_destroy(state->optimiser);
}

static void
try_start(struct state *state)
{
	u64 values[FITTABLE_MAX];

	for (int i = 0; i < state->search->nr_fitted; i++)
		values[i] = state->search->fitted[i]->value;
	try(state, values);
}

bool
search_run(const struct search *search, struct machine_spec *spec)
{
	struct state state = { .search = search, .start = spec };
	bool complete;

	state.trials = xcalloc(search->evaluations, sizeof(*state.trials));
	state.trials[0].objective = INFINITY;
	try_start(&state);
	if (search->nr_fitted) {
		optimise(&state, NLOPT_GN_DIRECT_L, search->evaluations / GLOBAL_SHARE);
		optimise(&state, NLOPT_LN_SBPLX, search->evaluations);
	}
	complete = !search->evaluator->interrupted;
	if (complete)
		*spec = state.trials[state.best].spec;
	free(state.trials);
	return complete;
}
