/*
 * runner.c - see runner.h
 */
#include "engine/runner.h"

#include <stdlib.h>

#include "engine/children.h"
#include "engine/memory.h"
#include "engine/point.h"
#include "machine/random.h"

#define NS_PER_MS 1000000

/* One child: a sample of a point. */
struct sample_order {
	struct point_config config;
	struct sample *result;
	size_t sequence;	/* breaks ties: as the workload has them */
};

struct schedule {
	const struct runner_config *config;
	struct sample_order *orders;
	int nr_orders;
};

static int
samples_per_point(const struct runner_config *config)
{
	const struct measure *measure = &config->workload->measure;

	return config->spec ? measure->seeds : measure->host_repeats;
}

static void
plan_point(struct point_result *point, const struct runner_config *config, int variant, int tasks)
{
	point->variant = variant;
	point->tasks = tasks;
	point->nr_samples = samples_per_point(config);
	point->samples = xcalloc(point->nr_samples, sizeof(*point->samples));
}

static void
plan_points(const struct runner_config *config, struct run_result *result)
{
	const struct workload *workload = config->workload;

	result->points = xcalloc((size_t)workload->variants_count * workload->tasks_count,
				 sizeof(*result->points));
	for (u32 i = 0; i < workload->variants_count; i++) {
		if (config->wanted && !config->wanted[i])
			continue;
		for (u32 j = 0; j < workload->tasks_count; j++)
			plan_point(&result->points[result->nr_points++], config, i,
				   workload->tasks[j]);
	}
}

static void
order_samples(struct schedule *schedule, const struct point_result *point)
{
	const struct runner_config *config = schedule->config;

	for (int i = 0; i < point->nr_samples; i++) {
		struct sample_order *order = &schedule->orders[schedule->nr_orders];

		order->sequence = schedule->nr_orders++;
		order->result = &point->samples[i];
		order->config = (struct point_config){
			.kernel = config->kernel,
			.spec = config->spec,
			.workload = config->workload,
			.variant = &config->workload->variants[point->variant],
			.tasks = point->tasks,
			.seed = config->seed,
			.stream = i,
			.races = config->races,
		};
	}
}

/* Most tasks first: the long ones must not be what everybody waits for at the end. */
static int
compare_orders(const void *a, const void *b)
{
	const struct sample_order *x = a;
	const struct sample_order *y = b;

	if (x->config.tasks != y->config.tasks)
		return x->config.tasks < y->config.tasks ? 1 : -1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static void
shuffle(struct schedule *schedule)
{
	u64 state = schedule->config->seed;

	for (int i = schedule->nr_orders - 1; i > 0; i--) {
		int j = splitmix64(&state) % (i + 1);
		struct sample_order swapped = schedule->orders[i];

		schedule->orders[i] = schedule->orders[j];
		schedule->orders[j] = swapped;
	}
}

static void
make_schedule(struct schedule *schedule, const struct run_result *result)
{
	size_t most = (size_t)result->nr_points * samples_per_point(schedule->config);

	schedule->orders = xcalloc(most, sizeof(*schedule->orders));
	for (int i = 0; i < result->nr_points; i++)
		order_samples(schedule, &result->points[i]);
	if (schedule->config->spec)
		qsort(schedule->orders, schedule->nr_orders, sizeof(*schedule->orders),
		      compare_orders);
	else
		shuffle(schedule);
}

static u64
time_limit_ms(const struct runner_config *config)
{
	const struct measure *measure = &config->workload->measure;
	u64 limit = config->limit_ms ? config->limit_ms : RUNNER_LIMIT_MS;

	if (!config->spec)
		limit += (measure->host_warmup_ns + measure->host_duration_ns) / NS_PER_MS;
	return limit;
}

static void
run_order(const void *context, int result_fd)
{
	const struct sample_order *order = context;

	point_run(&order->config, result_fd);
}

static void
child_done(void *context, int finished)
{
	const struct schedule *schedule = context;

	if (schedule->config->progress)
		schedule->config->progress(schedule->config->progress_context, finished,
					   schedule->nr_orders);
}

/* Return: false if interrupted. */
static bool
carry_out(struct schedule *schedule)
{
	const struct runner_config *config = schedule->config;
	struct job *jobs = xcalloc(schedule->nr_orders, sizeof(*jobs));
	struct children_config children = {
		.parallel = config->spec ? config->jobs : 1,
		.done = child_done,
		.context = schedule,
	};
	bool complete;

	for (int i = 0; i < schedule->nr_orders; i++)
		jobs[i] = (struct job){
			.run = run_order,
			.context = &schedule->orders[i],
			.limit_ms = time_limit_ms(config),
			.result = schedule->orders[i].result,
		};
	complete = children_run(&children, jobs, schedule->nr_orders);
	free(jobs);
	return complete;
}

void
runner_run(const struct runner_config *config, struct run_result *result)
{
	struct schedule schedule = { .config = config };

	plan_points(config, result);
	make_schedule(&schedule, result);
	result->interrupted = !carry_out(&schedule);
	free(schedule.orders);
	for (int i = 0; i < result->nr_points; i++)
		point_result_finish(&result->points[i]);
	run_result_finish(result);
}
