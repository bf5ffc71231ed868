/*
 * evaluate.c - see evaluate.h
 */
#include "engine/calibrate/evaluate.h"

#include <stdlib.h>

#include "engine/calibrate/objective.h"
#include "engine/calibrate/secant.h"
#include "engine/memory.h"
#include "engine/runner.h"

#define PS_PER_SECOND 1000000000000ull
#define SOLVED_STEP 100		/* ps */
#define SOLVED_TOLERANCE 0.0002
#define REACTS_SHARE 100	/* one call in this many iterations is none */

static void
run(struct evaluator *evaluator, const struct workload *workload, const bool *wanted,
    const struct machine_spec *spec, struct run_result *result)
{
	const struct runner_config config = {
		.kernel = evaluator->kernel,
		.spec = spec,
		.workload = workload,
		.wanted = wanted,
		.seed = evaluator->seed,
		.jobs = evaluator->jobs,
	};

	*result = (struct run_result){
		.workload = workload,
		.machine = spec->name,
		.is_virtual = true,
		.seed = evaluator->seed,
	};
	runner_run(&config, result);
	evaluator->interrupted |= result->interrupted;
}

void
evaluate_target(struct evaluator *evaluator, const struct target *target,
		const struct machine_spec *spec, u64 operations, struct run_result *result)
{
	struct workload view = *target->workload;

	if (operations != EVALUATE_OWN)
		view.measure.operations = operations;
	run(evaluator, &view, target->wanted, spec, result);
	result->workload = target->workload;
}

/* Time of one iteration of one task in the first column. Return: 0 if it failed. */
static u64
one_task_ps(struct evaluator *evaluator, const struct target *target,
	    const struct machine_spec *spec)
{
	struct workload view = *target->workload;
	const struct point_result *point;
	struct run_result result;
	u64 rate;

	view.tasks_count = 1;
	run(evaluator, &view, target->wanted, spec, &result);
	point = run_result_find(&result, view.published.columns[0], 1);
	rate = point->status == POINT_OK ? point->rate.median : 0;
	run_result_clear(&result);
	return rate ? PS_PER_SECOND / rate : 0;
}

void
evaluate_find_solvers(struct evaluator *evaluator, const struct machine_spec *spec)
{
	struct machine_spec slower = *spec;
	u64 more = PS_PER_SECOND / 1000000;
	bool any = false;

	if (!evaluator->solved)
		return;
	fittable_set(evaluator->solved, &slower, evaluator->solved->value + more);
	for (int i = 0; i < evaluator->nr_targets; i++) {
		struct target *target = &evaluator->targets[i];

		if (!target_has_one_task(target))
			continue;
		target->solves = one_task_ps(evaluator, target, &slower) >
				 one_task_ps(evaluator, target, spec) + more / REACTS_SHARE;
		any |= target->solves;
	}
	if (!any)
		evaluator->solved = NULL;
}

struct solving {
	struct evaluator *evaluator;
	struct machine_spec spec;
};

/* Mean relative error of the one-task times with the solved cost at @cost. */
static double
one_task_error(void *context, u64 cost)
{
	struct solving *solving = context;
	struct evaluator *evaluator = solving->evaluator;
	double sum = 0;
	int n = 0;

	fittable_set(evaluator->solved, &solving->spec, cost);
	for (int i = 0; i < evaluator->nr_targets && !evaluator->interrupted; i++) {
		const struct target *target = &evaluator->targets[i];
		double published;

		if (!target->solves)
			continue;
		published = (double)PS_PER_SECOND / target->workload->published.rows[0].values[0];
		sum += one_task_ps(evaluator, target, &solving->spec) / published - 1;
		n++;
	}
	return n ? sum / n : 0;
}

void
evaluate_solve(struct evaluator *evaluator, struct machine_spec *spec)
{
	struct solving solving = { .evaluator = evaluator, .spec = *spec };
	struct secant secant = {
		.function = one_task_error,
		.context = &solving,
		.step = SOLVED_STEP,
		.tolerance = SOLVED_TOLERANCE,
	};

	if (!evaluator->solved)
		return;
	secant.smallest = evaluator->solved->smallest;
	secant.largest = evaluator->solved->largest;
	fittable_set(evaluator->solved, spec, secant_root(&secant, evaluator->solved->value));
}

static double
base_error(const struct run_result *result)
{
	double *errors = xcalloc(result->nr_points, sizeof(*errors));
	double error;

	for (int i = 0; i < result->nr_points; i++) {
		const struct point_result *point = &result->points[i];

		errors[i] = point->status == POINT_OK
				    ? ratio_error(point->rate.median, point->published)
				    : OBJECTIVE_FAILED;
	}
	error = rms(errors, result->nr_points);
	free(errors);
	return error;
}

void
evaluate_errors(struct evaluator *evaluator, const struct machine_spec *spec, u64 operations,
		double *errors)
{
	for (int i = 0; i < evaluator->nr_targets; i++) {
		struct run_result result;

		errors[i] = OBJECTIVE_FAILED;
		if (evaluator->interrupted)
			continue;
		evaluate_target(evaluator, &evaluator->targets[i], spec, operations, &result);
		errors[i] = base_error(&result);
		run_result_clear(&result);
	}
}
