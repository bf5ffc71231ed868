/*
 * engine_calibrate_test.c - the parts of a calibration, against values worked out by hand
 *
 * What they do together, and that it is blind, is shown in tests/cli/cli.sh.
 */
#include "tests/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/calibrate/objective.h"
#include "engine/calibrate/search.h"
#include "engine/calibrate/secant.h"
#include "engine/calibrate/target.h"
#include "yaml/edit.h"

#define NS 1000ull

static void
assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-9);
}

/* 400 for 100 is (400 - 100) / 200, and the other way round its opposite. */
static void
twice_too_much_is_as_bad_as_half(void **state)
{
	(void)state;
	assert_near(ratio_error(400, 100), 1.5);
	assert_near(ratio_error(100, 400), -1.5);
	assert_near(ratio_error(7, 7), 0);
	assert_near(ratio_error(0, 100), OBJECTIVE_FAILED);
}

static void
errors_are_taken_together_by_their_squares(void **state)
{
	const double errors[] = { 0.03, -0.04, 0, 0 };

	(void)state;
	assert_near(rms(errors, 4), 0.025);
	assert_near(rms(errors, 1), 0.03);
}

/* 400 where 100 was published is 1.5, ten deviations of 0.15, of 0.02 each. */
static void
a_published_figure_pulls_and_no_other_does(void **state)
{
	(void)state;
	assert_near(pull(400, 100), 0.2);
	assert_near(pull(100, 100), 0);
	assert_near(pull(400, 0), 0);
}

struct line {
	double slope;
	double zero;
	int calls;
};

static double
straight(void *context, u64 x)
{
	struct line *line = context;

	line->calls++;
	return line->slope * ((double)x - line->zero);
}

static double
curved(void *context, u64 x)
{
	(void)context;
	return (double)x * x / 1e6 - 9;
}

static struct secant
secant_of(double (*function)(void *context, u64 x), void *context)
{
	return (struct secant){
		.function = function,
		.context = context,
		.smallest = 0,
		.largest = 1000 * NS,
		.step = 100,
		.tolerance = 1e-6,
	};
}

/* Two points make a line; the third call finds the function to be zero there. */
static void
a_secant_finds_a_straight_line_s_zero_in_three_calls(void **state)
{
	struct line line = { .slope = 1e-6, .zero = 414 * NS };
	struct secant secant = secant_of(straight, &line);

	(void)state;
	assert_int_equal(secant_root(&secant, 100 * NS), 414 * NS);
	assert_int_equal(line.calls, 3);
	assert_int_equal(secant_root(&secant, 414 * NS), 414 * NS);
}

static void
a_secant_follows_a_curve(void **state)
{
	struct secant secant = secant_of(curved, NULL);

	(void)state;
	secant.tolerance = 1e-2;
	assert_int_equal(secant_root(&secant, 10 * NS), 3 * NS);
}

static void
a_secant_stays_inside_its_bounds(void **state)
{
	struct line above = { .slope = 1e-6, .zero = 5000 * NS };
	struct line below = { .slope = 1e-6, .zero = -5.0 * NS };
	struct line flat = { .slope = 0, .zero = 0 };
	struct secant secant = secant_of(straight, &above);

	(void)state;
	assert_int_equal(secant_root(&secant, 100 * NS), 1000 * NS);
	secant.context = &below;
	assert_int_equal(secant_root(&secant, 100 * NS), 0);
	secant = secant_of(straight, &flat);
	secant.tolerance = -1; /* 0 is not good enough, and nothing else comes */
	assert_int_equal(secant_root(&secant, 100 * NS), 100 * NS);
}

static void
expect_edit(const char *text, const struct figure_edit *edit, const char *expected)
{
	char *edited = figure_edit(text, edit);

	assert_string_equal(edited, expected);
	free(edited);
}

static void
a_plain_figure_becomes_a_mapping(void **state)
{
	const struct figure_edit edit = { "costs.wake", "1.5us", NULL, "from a table" };

	(void)state;
	expect_edit("costs:\n  wake: 1us # measured\n  ipi: 2us\n", &edit,
		    "costs:\n  wake: { cost: 1.5us, calibrated: \"from a table\" } # measured\n"
		    "  ipi: 2us\n");
}

static void
a_figure_on_one_line_gets_its_origin_behind_the_value(void **state)
{
	const struct figure_edit edit = { "hold", "6.1ns", "7ns", "from a table" };

	(void)state;
	expect_edit("hold: { mean: 7ns, fit: [3ns, 9ns], source: a book } # why\n", &edit,
		    "hold: { mean: 6.1ns, published: 7ns, calibrated: \"from a table\", "
		    "fit: [3ns, 9ns], source: a book } # why\n");
}

/* Umlauts: libyaml counts characters, the text has bytes. */
static void
a_figure_in_a_block_gets_lines_of_its_own(void **state)
{
	const struct figure_edit edit = { "transfer.remote", "118ns", "120ns", "from a table" };

	(void)state;
	expect_edit("about: f\xc3\xbcnf \xe2\x82\xac\ntransfer:\n  cluster: 5ns\n  remote:\n"
		    "    cost: 120ns   # idle\n    fit: [1ns, 200ns]\n    source: \"a book\"\n",
		    &edit,
		    "about: f\xc3\xbcnf \xe2\x82\xac\ntransfer:\n  cluster: 5ns\n  remote:\n"
		    "    cost: 118ns   # idle\n    published: 120ns\n"
		    "    calibrated: \"from a table\"\n    fit: [1ns, 200ns]\n"
		    "    source: \"a book\"\n");
}

static void
an_earlier_origin_is_replaced_wherever_it_stands(void **state)
{
	const struct figure_edit edit = { "hit", "2ns", "3ns", "new" };

	(void)state;
	expect_edit("hit: { calibrated: 'old', cost: \"1ns\", published: 3ns }\natomic: 1ns\n",
		    &edit,
		    "hit: { calibrated: \"new\", cost: 2ns, published: 3ns }\natomic: 1ns\n");
	expect_edit("hit:\n  calibrated: |\n    old\n    words\n  cost: 1ns\n  source: a\n", &edit,
		    "hit:\n  calibrated: \"new\"\n  cost: 2ns\n  published: 3ns\n  source: a\n");
}

static void
a_figure_that_is_not_there_is_not_edited(void **state)
{
	const struct figure_edit edit = { "costs.wake", "1us", NULL, "x" };

	(void)state;
	assert_null(figure_edit("costs:\n  ipi: 2us\n", &edit));
	assert_null(figure_edit("costs: { wake: [1us] }\n", &edit));
	assert_null(figure_edit("costs: {\n", &edit));
}

static void
expect_cleared(const char *text, const char *expected)
{
	char *edited = accuracy_clear(text);

	assert_string_equal(edited, expected);
	free(edited);
}

/* The records go, whatever their layout; comments that are not theirs stay. */
static void
records_of_old_figures_are_cleared(void **state)
{
	(void)state;
	expect_cleared("hit: 1ns\naccuracy:\n  - { workload: a, column: b, error: 1% }\n"
		       "  - { workload: a, column: c, error: 2% } # far\n# next\natomic: 1ns\n",
		       "hit: 1ns\naccuracy: [] # far\n# next\natomic: 1ns\n");
	expect_cleared("accuracy:\n- workload: a\n  column: b\n  error: 1%\n\n# next\nhit: 1ns\n",
		       "accuracy: []\n\n# next\nhit: 1ns\n");
	expect_cleared("{ accuracy: [{ workload: a, column: b, error: 1% }], hit: 1ns }",
		       "{ accuracy: [], hit: 1ns }");
	expect_cleared("accuracy:\nhit: 1ns\n", "accuracy: []\nhit: 1ns\n");
	expect_cleared("hit: 1ns # one\n", "hit: 1ns # one\n");
	assert_null(accuracy_clear("hit: {\n"));
}

/* The other columns are gone, not hidden: their numbers too. */
static void
predictions_are_forgotten(void **state)
{
	int columns[] = { 0, 1, 2 };
	u64 first[] = { 10, 11, 12 };
	u64 second[] = { 20, 21, 22 };
	struct published_row rows[] = { { 1, first }, { 2, second } };
	struct published published = { .columns = columns, .columns_count = 3, .rows = rows,
				       .rows_count = 2 };

	(void)state;
	forget_predictions(&published);
	assert_int_equal(published.columns_count, 1);
	assert_int_equal(first[0], 10);
	assert_int_equal(second[0], 20);
	assert_int_equal(first[1] | first[2] | second[1] | second[2], 0);
}

/* `base: all`: a micro-measurement has a column for each distance and predicts none. */
static void
a_base_of_all_columns_is_kept(void **state)
{
	int columns[] = { 0, 1 };
	u64 values[] = { 10, 11 };
	struct published_row rows[] = { { 2, values } };
	struct published published = { .columns = columns, .columns_count = 2, .rows = rows,
				       .rows_count = 1, .all_base = true };
	struct variant variants[] = { { .name = "cluster" }, { .name = "remote" } };
	struct workload workload = { .variants = variants, .published = published };
	struct target target = { .workload = &workload };
	char *names = target_columns(&target);

	(void)state;
	assert_string_equal(names, "columns cluster, remote");
	forget_predictions(&published);
	assert_int_equal(published.columns_count, 2);
	assert_int_equal(values[0], 10);
	assert_int_equal(values[1], 11);
	free(names);
}

static void
steps_are_a_hundredth_of_the_bounds_or_finer(void **state)
{
	struct fittable fittable = { .smallest = 39 * NS, .largest = 57 * NS };

	(void)state;
	assert_int_equal(search_step(&fittable), 100);
	fittable = (struct fittable){ .smallest = 300, .largest = 1500 };
	assert_int_equal(search_step(&fittable), 10);
	fittable = (struct fittable){ .smallest = 0, .largest = 8 };
	assert_int_equal(search_step(&fittable), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_too_much_is_as_bad_as_half),
		cmocka_unit_test(errors_are_taken_together_by_their_squares),
		cmocka_unit_test(a_published_figure_pulls_and_no_other_does),
		cmocka_unit_test(a_secant_finds_a_straight_line_s_zero_in_three_calls),
		cmocka_unit_test(a_secant_follows_a_curve),
		cmocka_unit_test(a_secant_stays_inside_its_bounds),
		cmocka_unit_test(a_plain_figure_becomes_a_mapping),
		cmocka_unit_test(a_figure_on_one_line_gets_its_origin_behind_the_value),
		cmocka_unit_test(a_figure_in_a_block_gets_lines_of_its_own),
		cmocka_unit_test(an_earlier_origin_is_replaced_wherever_it_stands),
		cmocka_unit_test(a_figure_that_is_not_there_is_not_edited),
		cmocka_unit_test(records_of_old_figures_are_cleared),
		cmocka_unit_test(predictions_are_forgotten),
		cmocka_unit_test(a_base_of_all_columns_is_kept),
		cmocka_unit_test(steps_are_a_hundredth_of_the_bounds_or_finer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
