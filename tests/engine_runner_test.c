/*
 * engine_runner_test.c - points in children: figures, failures, order, interruption
 *
 * Runs against tests/fake_kernel.c, whose rates can be worked out by hand and
 * which fails in every way a kernel can. Whatever one point does, the others
 * must come back whole.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/runner.h"
#include "engine/symbolise.h"
#include "tests/fake_kernel.h"

#define POINTS 3

static int tasks[POINTS] = { 1, 2, 4 };
static struct step setup_steps[] = { { .op = OP_OPEN, .line = 7, .path = "/file" } };
static struct step loop_steps[] = { { .op = OP_PREAD, .line = 9, .bytes = 64 } };
static struct variant variants[] = { { .name = "vanilla" } };
static struct workload workload = {
	.name = "fake",
	.title = "a fake",
	.machine = "toy",
	.kernel = "6.15",
	.tasks = tasks,
	.tasks_count = POINTS,
	.setup = { setup_steps, 1 },
	.loop = { loop_steps, 1 },
	.private_slots = 1,
	.variants = variants,
	.variants_count = 1,
	.measure = { .warmup_auto = true, .operations = 100, .seeds = 2,
		     .host_warmup_ns = 1000000, .host_duration_ns = 100000000, .host_repeats = 6 },
};
static const struct machine_spec spec = { .name = "toy" };

static struct runner_config
virtual_config(void)
{
	return (struct runner_config){
		.kernel = &fake_virtual,
		.spec = &spec,
		.workload = &workload,
		.seed = 1,
		.jobs = 2,
	};
}

static struct run_result
run(const struct runner_config *config)
{
	struct run_result result = { .workload = &workload, .machine = "toy", .is_virtual = true };

	runner_run(config, &result);
	assert_int_equal(result.nr_points, POINTS);
	for (int i = 0; i < POINTS; i++)
		assert_int_equal(result.points[i].tasks, tasks[i]);
	return result;
}

/* N tasks complete N iterations per us, and each gets its share. */
static void
a_virtual_rate_is_operations_over_window(void **state)
{
	struct runner_config config = virtual_config();
	struct run_result result;

	(void)state;
	fake_fault = FAKE_FAULTLESS;
	result = run(&config);
	for (int i = 0; i < POINTS; i++) {
		const struct point_result *point = &result.points[i];

		assert_int_equal(point->status, POINT_OK);
		assert_int_equal(point->nr_rates, 2);
		assert_int_equal(point->rate.median, 1000000ull * tasks[i]);
		assert_int_equal(point->rate.min, point->rate.max);
		assert_int_equal(point->per_task[0], 2 * 100 / tasks[i]);
		assert_int_equal(point->fairness_permille, 1000);
		assert_int_equal(point->cmpxchg_failed, 4000);
	}
	assert_int_equal(run_result_exit_code(&result), EXIT_DONE);
	run_result_clear(&result);
}

/* Both samples saw the same line: one entry with the sums, at its source line. */
static void
lines_of_all_samples_are_merged(void **state)
{
	struct runner_config config = virtual_config();
	struct run_result result;
	const struct line_result *line;

	(void)state;
	fake_fault = FAKE_FAULTLESS;
	result = run(&config);
	line = &result.points[0].lines[0];
	assert_int_equal(result.points[0].nr_lines, 1);
	assert_string_equal(line->object, "folio of /file");
	assert_int_equal(line->line, 0);
	assert_int_equal(line->stall_ps, 1000);
	assert_int_equal(line->transactions[DISTANCE_REMOTE], 4);
	assert_int_equal(line->per_operation, RATIO_ONE * 4 / 200); /* of twice 100 operations */
	assert_int_equal(line->cmpxchg_failed, 8);
	assert_int_equal(line->nr_sites, 1);
	assert_int_equal(strncmp(line->sites[0].source, "engine/point.c:", 15), 0);
	run_result_clear(&result);
	symbolise_done();
}

static void
host_repeats_give_a_median_with_an_interval(void **state)
{
	struct runner_config config = virtual_config();
	struct run_result result;

	(void)state;
	fake_fault = FAKE_FAULTLESS;
	config.kernel = &fake_host;
	config.spec = NULL;
	result = run(&config);
	for (int i = 0; i < POINTS; i++) {
		const struct point_result *point = &result.points[i];

		assert_int_equal(point->status, POINT_OK);
		assert_int_equal(point->nr_rates, 6);
		assert_true(point->rate.has_ci);
		assert_true(point->rate.ci_low <= point->rate.median);
		assert_true(point->rate.median <= point->rate.ci_high);
		assert_true(point->rate.min > 0);
	}
	run_result_clear(&result);
}

struct expectation {
	enum fake_fault fault;
	enum point_status status;
	enum exit_code code;
	const char *message;	/* what it begins with */
};

/* The point with two tasks fails as said; its neighbours are whole. */
static void
expect_failure(const struct expectation *wanted)
{
	struct runner_config config = virtual_config();
	struct run_result result;
	const struct point_result *failed;

	fake_fault = wanted->fault;
	fake_fault_tasks = 2;
	config.limit_ms = 3000; /* enough for the others on a busy host */
	result = run(&config);
	failed = &result.points[1];
	assert_int_equal(failed->status, wanted->status);
	assert_string_equal(failed->message ? failed->message : "", wanted->message);
	assert_int_equal(failed->nr_rates, 0);
	assert_int_equal(run_result_exit_code(&result), wanted->code);
	assert_int_equal(result.points[0].rate.median, 1000000);
	assert_int_equal(result.points[2].rate.median, 4000000);
	run_result_clear(&result);
}

static void
one_bad_point_costs_that_point(void **state)
{
	static const struct expectation wanted[] = {
		{ FAKE_CRASH, POINT_FAILED, EXIT_INTERNAL, "crashed: Segmentation fault" },
		{ FAKE_QUIT, POINT_FAILED, EXIT_INTERNAL, "ended without a proper result" },
		{ FAKE_HANG, POINT_TIMEOUT, EXIT_POINT_FAILED, "no result after 3 s" },
		{ FAKE_NO_MEMORY, POINT_FAILED, EXIT_RESOURCE, "boot: Cannot allocate memory" },
		{ FAKE_READ_ERROR, POINT_FAILED, EXIT_POINT_FAILED,
		  "pread (line 9), task 0: Input/output error" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		expect_failure(&wanted[i]);
}

/* A panic names the source line of the address that came with it. */
static void
a_panic_is_reported_with_its_place(void **state)
{
	static const enum fake_fault faults[] = { FAKE_PANIC, FAKE_LEAK };
	static const char *const messages[] = { "BUG_ON(refs < 0): refs=-1 (tests/fake_kernel.c:",
						"1 page leaked (tests/fake_kernel.c:" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct runner_config config = virtual_config();
		struct run_result result;

		fake_fault = faults[i];
		fake_fault_tasks = 2;
		result = run(&config);
		assert_int_equal(result.points[1].status, POINT_FAILED);
		assert_int_equal(strncmp(result.points[1].message, messages[i],
					 strlen(messages[i])), 0);
		assert_int_equal(run_result_exit_code(&result), EXIT_BUG);
		assert_int_equal(result.points[2].status, POINT_OK);
		run_result_clear(&result);
	}
	symbolise_done();
}

/* The pattern at 5 is the top byte of 5 * 0x9e3779b97f4a7c15 = 0x1715609f7c746c69 mod 2^64. */
static void
wrong_contents_are_found_when_verifying(void **state)
{
	static const struct expectation found = {
		FAKE_WRONG_BYTE, POINT_FAILED, EXIT_BUG,
		"pread (line 9), task 0: byte at offset 5 is 0xe8, not 0x17",
	};
	struct runner_config config = virtual_config();
	struct run_result result;

	(void)state;
	fake_fault = FAKE_WRONG_BYTE;
	fake_fault_tasks = 2;
	result = run(&config);
	assert_int_equal(result.points[1].status, POINT_OK);
	run_result_clear(&result);
	workload.measure.verify = true;
	expect_failure(&found);
	workload.measure.verify = false;
}

static void
interrupt(void *context, int finished, int total)
{
	(void)context;
	(void)total;
	if (finished == 2)
		kill(getpid(), SIGINT);
}

/* Largest points first: both samples of four tasks are done when the signal comes. */
static void
an_interrupted_run_keeps_what_it_has(void **state)
{
	struct runner_config config = virtual_config();
	struct run_result result;

	(void)state;
	fake_fault = FAKE_FAULTLESS;
	config.jobs = 1;
	config.progress = interrupt;
	result = run(&config);
	assert_true(result.interrupted);
	assert_int_equal(result.points[2].status, POINT_OK);
	assert_int_equal(result.points[0].status, POINT_SKIPPED);
	assert_string_equal(result.points[0].message, "interrupted");
	assert_int_equal(run_result_exit_code(&result), EXIT_INTERRUPTED);
	run_result_clear(&result);
}

static void
the_most_specific_exit_code_wins(void **state)
{
	(void)state;
	assert_int_equal(exit_code_merge(EXIT_DONE, EXIT_POINT_FAILED), EXIT_POINT_FAILED);
	assert_int_equal(exit_code_merge(EXIT_POINT_FAILED, EXIT_BUG), EXIT_BUG);
	assert_int_equal(exit_code_merge(EXIT_DEADLOCK, EXIT_INTERRUPTED), EXIT_DEADLOCK);
	assert_int_equal(exit_code_merge(EXIT_INTERRUPTED, EXIT_POINT_FAILED), EXIT_INTERRUPTED);
	assert_int_equal(exit_code_merge(EXIT_DEADLOCK, EXIT_BUG), EXIT_BUG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_virtual_rate_is_operations_over_window),
		cmocka_unit_test(lines_of_all_samples_are_merged),
		cmocka_unit_test(host_repeats_give_a_median_with_an_interval),
		cmocka_unit_test(one_bad_point_costs_that_point),
		cmocka_unit_test(a_panic_is_reported_with_its_place),
		cmocka_unit_test(wrong_contents_are_found_when_verifying),
		cmocka_unit_test(an_interrupted_run_keeps_what_it_has),
		cmocka_unit_test(the_most_specific_exit_code_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
