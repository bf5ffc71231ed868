/*
 * engine_report_test.c - table, CSV and JSON of one fixed result
 *
 * The result is built by hand from two rows of the published pread64 table and
 * round modelled values, so every printed figure can be checked on paper.
 */
#include "tests/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/memory.h"
#include "engine/report/report.h"
#include "pagecache/events.h"
#include "vfs/events.h"

static int tasks[] = { 1, 24 };
static int columns[] = { 0, 1 };
static u64 row_1[] = { 1343381, 1344401 };
static u64 row_24[] = { 2325998, 4529737 };
static struct published_row rows[] = { { 1, row_1 }, { 24, row_24 } };
static struct variant variants[] = { { .name = "vanilla" }, { .name = "patched" } };
static struct step inner[] = { { .op = OP_WORK, .time_ns = 200 } };
static struct step loop[] = {
	{ .op = OP_PREAD, .bytes = 64 },
	{ .op = OP_REPEAT, .value = 2, .body = { inner, 1 } },
	{ .op = OP_STAT, .path = "/missing", .expect = ENOENT },
	{ .op = OP_ACCESS, .path = "/file", .flags = R_OK | W_OK },
	{ .op = OP_ACCESS, .path = "/file", .flags = F_OK },
	{ .op = OP_RENAME, .path = "/file", .to = "/other" },
};
static struct step setup[] = { { .op = OP_OPEN, .path = "/file", .flags = O_RDWR | O_CREAT } };
static struct workload_file files[] = { { .path = "/file", .size = 4096, .count = 1 } };
static struct workload workload = {
	.name = "pread64",
	.title = "64-byte pread",
	.kernel = "6.15",
	.tasks = tasks,
	.tasks_count = 2,
	.files = files,
	.files_count = 1,
	.setup = { setup, 1 },
	.loop = { loop, ARRAY_SIZE(loop) },
	.variants = variants,
	.variants_count = 2,
	.measure = { .warmup_auto = true, .operations = 8000, .seeds = 3,
		     .host_warmup_ns = 500000000, .host_duration_ns = 1000000000,
		     .host_repeats = 11 },
	.published = { .machine = "e5", .columns = columns, .columns_count = 2, .rows = rows,
		       .rows_count = 2 },
};

static void
add_point(struct run_result *run, int variant, int nr_tasks, u64 rate)
{
	struct point_result *point = &run->points[run->nr_points++];

	*point = (struct point_result){
		.variant = variant,
		.tasks = nr_tasks,
		.status = POINT_OK,
		.nr_rates = 1,
		.rates = xcalloc(1, sizeof(u64)),
		.per_task = xcalloc(nr_tasks, sizeof(u64)),
		.rate = { .median = rate, .min = rate, .max = rate },
		.fairness_permille = 998,
		.cmpxchg_failed = 4100,
	};
	point->rates[0] = rate;
	point->events[EVENT_FOLIO_LOCK] = 64000;
	point->events[EVENT_FOLIO_LOCK_FOUND_LOCKED] = 16000;
	point->events[EVENT_FOLIO_LOCK_SLEPT] = 5100;
	point->lock_found_taken = 2500;
	point->lock_slept = 797;
}

static void
add_line(struct point_result *point)
{
	point->nr_lines = 1;
	point->lines[0] = (struct line_result){
		.object = xstrdup("folio of /file"),
		.field = xstrdup("_refcount"),
		.offset = 52,
		.stall_ps = 61000,
		.stall_share = 6100,
		.time_share = 5000,
		.per_operation = 43049,
		.transactions = { [DISTANCE_SOCKET] = 1, [DISTANCE_REMOTE] = 2 },
		.cmpxchg = 100,
		.cmpxchg_failed = 43,
		.nr_sites = 1,
		.sites = { { .source = xstrdup("pagecache/filemap.c:120"), .transactions = 3,
			     .stall_ps = 61000, .cmpxchg_failed = 43 } },
	};
}

/* vanilla: 0.0 % and 6.2 % off; patched: 0.0 % and 2.9 %. */
static struct run_result
example(void)
{
	struct run_result run = {
		.workload = &workload,
		.machine = "e5",
		.is_virtual = true,
		.seed = 1,
		.nr_inputs = 1,
		.inputs = { { .name = xstrdup("pread64.yaml"), .sha256 = "00ff" } },
	};

	run.points = xcalloc(4, sizeof(*run.points));
	add_point(&run, 0, 1, 1343381);
	add_point(&run, 0, 24, 2182500);
	add_point(&run, 1, 1, 1344401);
	add_point(&run, 1, 24, 4400000);
	add_line(&run.points[1]);
	run_result_finish(&run);
	return run;
}

static char *
rendered(const struct run_result *run, void (*report)(const struct run_result *, FILE *))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report(run, out);
	fclose(out);
	return text;
}

static void
expect(struct run_result *run, void (*report)(const struct run_result *, FILE *),
       const char *wanted)
{
	char *text = rendered(run, report);

	assert_string_equal(text, wanted);
	free(text);
	run_result_clear(run);
}

static void
assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

/* What stands between the rates and the remarks. */
#define CONTENTION                                                                                 \
	" contention: folio locks found taken, slept for; "                                        \
	"transactions per operation on line A\n"                                                   \
	" tasks | vanilla: taken   slept      A | patched: taken   slept      A\n"                 \
	"     1 |          25.0%    8.0%   0.00 |          25.0%    8.0%   0.00\n"                 \
	"    24 |          25.0%    8.0%   4.30 |          25.0%    8.0%   0.00\n"                 \
	" line A        folio of /file (L0): _refcount\n"

static void
table_with_published_columns(void **state)
{
	struct run_result run = example();

	(void)state;
	expect(&run, report_table,
	       "pread64 · 64-byte pread · machine e5 (virtual) · threads · seed 1\n"
	       " tasks |     vanilla      patched    boost |"
	       "  published: vanilla      patched    boost | error\n"
	       "     1 |   1 343 381    1 344 401    +0.1% |"
	       "           1 343 381    1 344 401    +0.1% |  0.0%\n"
	       "    24 |   2 182 500    4 400 000  +101.6% |"
	       "           2 325 998    4 529 737   +94.7% |  4.5%\n"
	       CONTENTION
	       " hottest line  folio of /file (L0): _refcount  61 % of stalls, 43 % of cmpxchg "
	       "failed (vanilla, 24 tasks)\n"
	       " accuracy      mean error 3.1%, worst 6.2% (vanilla, base)\n"
	       " accuracy      mean error 1.4%, worst 2.9% (patched, predicted)\n");
}

/* A row between published ones has its rates and ends there. */
static void
table_with_a_row_that_nobody_published(void **state)
{
	struct run_result run;

	(void)state;
	workload.published.rows = &rows[1];
	workload.published.rows_count = 1;
	run = example();
	workload.published.rows = rows;
	workload.published.rows_count = 2;
	expect(&run, report_table,
	       "pread64 · 64-byte pread · machine e5 (virtual) · threads · seed 1\n"
	       " tasks |     vanilla      patched    boost |"
	       "  published: vanilla      patched    boost | error\n"
	       "     1 |   1 343 381    1 344 401    +0.1%\n"
	       "    24 |   2 182 500    4 400 000  +101.6% |"
	       "           2 325 998    4 529 737   +94.7% |  4.5%\n"
	       CONTENTION
	       " hottest line  folio of /file (L0): _refcount  61 % of stalls, 43 % of cmpxchg "
	       "failed (vanilla, 24 tasks)\n"
	       " accuracy      mean error 6.2%, worst 6.2% (vanilla, base)\n"
	       " accuracy      mean error 2.9%, worst 2.9% (patched, predicted)\n");
}

/* The first published column is the base, whichever variant it is; or all of them are. */
static void
accuracy_says_what_calibration_may_have_seen(void **state)
{
	int patched_first[] = { 1, 0 };
	struct run_result run;

	(void)state;
	workload.published.columns = patched_first;
	run = example();
	assert_int_equal(run.nr_accuracy, 2);
	assert_false(run.accuracy[0].base);
	assert_true(run.accuracy[1].base);
	run_result_clear(&run);
	workload.published.columns = columns;
	workload.published.all_base = true;
	run = example();
	workload.published.all_base = false;
	assert_true(run.accuracy[0].base);
	assert_true(run.accuracy[1].base);
	run_result_clear(&run);
}

static void
forget_folio_locks(struct run_result *run)
{
	for (int i = 0; i < run->nr_points; i++)
		memset(run->points[i].events, 0, sizeof(run->points[i].events));
}

static void
expect_contention(struct run_result *run, const char *wanted)
{
	char *text = rendered(run, report_contention);

	assert_string_equal(text, wanted);
	free(text);
}

/* No folio lock, no columns for it. A point that failed has no cells. Nothing at all: no table. */
static void
contention_of_lines_alone(void **state)
{
	struct run_result run = example();

	(void)state;
	forget_folio_locks(&run);
	run.points[2].status = POINT_FAILED;
	expect_contention(&run, " contention: transactions per operation on line A\n"
				" tasks | vanilla: A | patched: A\n"
				"     1 |       0.00\n"
				"    24 |       4.30 |       0.00\n"
				" line A        folio of /file (L0): _refcount\n");
	run.nr_hot = 0;
	expect_contention(&run, "");
	run_result_clear(&run);
}

/* What is zero is not mentioned; without any lockref there is no line. */
static void
lockrefs_have_a_remark(void **state)
{
	struct run_result run = example();
	struct point_result *point = &run.points[3];
	char *text;

	(void)state;
	point->events[EVENT_LOCKREF] = 1400;
	point->lockref_changes = 40000;
	run.points[1].events[EVENT_LOCKREF] = 5000;
	run.points[1].events[EVENT_LOCKREF_FAILED] = 1075;
	run.points[1].events[EVENT_LOCKREF_SLOW] = 1250;
	run.points[1].events[EVENT_LOCKREF_CAP] = 3;
	run.points[1].events[EVENT_WALK_RESTART] = 2;
	run.points[1].lockref_failed = 2150;
	run.points[1].lockref_changes = 41200;
	text = rendered(&run, report_table);
	assert_contains(text, " lockref       4.12 changes per operation, 21.5% of attempts "
			      "failed, 1 250 took the lock, 3 ran out of retries, "
			      "2 walks restarted (vanilla, 24 tasks)\n"
			      " lockref       4.00 changes per operation (patched, 24 tasks)\n");
	free(text);
	text = rendered(&run, report_json);
	assert_contains(text, "\"lockref\": { \"attempts\": 5000, \"failed\": 1075, "
			      "\"locked\": 1250, \"retries_exhausted\": 3, "
			      "\"failed_share\": 0.215, \"changes_per_op\": 4.12 },\n"
			      "      \"path_walk\": { \"restarts\": 2, \"slow_lookups\": 0 },\n");
	free(text);
	run_result_clear(&run);
}

/* Hottest where it is hottest; what a full list of lines does not mention is not known. */
static void
contention_of_more_lines_than_have_a_column(void **state)
{
	struct run_result run = example();

	(void)state;
	add_line(&run.points[0]);
	run.points[0].lines[0].time_share = 99;
	for (int i = 0; i < RESULT_MAX_LINES; i++)
		run.points[3].lines[i] = (struct line_result){
			.object = xstrdup("line"),
			.line = i,
			.time_share = 6000 - 800 * i,
			.per_operation = 10000,
		};
	run.points[3].nr_lines = RESULT_MAX_LINES;
	free(run.accuracy);
	run.nr_accuracy = 0;
	run_result_finish(&run);
	forget_folio_locks(&run);
	expect_contention(&run, " contention: transactions per operation on lines A, B, C\n"
				" tasks | vanilla: A      B      C | patched: A      B      C\n"
				"     1 |       0.00   0.00   4.30 |       0.00   0.00   0.00\n"
				"    24 |       0.00   0.00   4.30 |       1.00   1.00\n"
				" line A        line (L0)\n line B        line (L1)\n"
				" line C        folio of /file (L0): _refcount\n");
	run_result_clear(&run);
}

/* Another machine: nothing was published for it. A failed point has no figures. */
static void
table_of_another_machine_with_a_failed_point(void **state)
{
	struct run_result run = example();

	(void)state;
	run.nr_accuracy = 0;
	run.shows_published = false;
	run.machine = "host";
	run.is_virtual = false;
	run.nr_hot = 0;
	for (int i = 0; i < 4; i++) {
		run.points[i].has_published = false;
		run.points[i].events[EVENT_FOLIO_LOCK_FOUND_LOCKED] = 0;
	}
	run.points[1].status = POINT_FAILED;
	run.points[2].rate.has_ci = true;
	run.points[2].rate.ci_low = 1300000;
	run.points[2].rate.ci_high = 1400000;
	expect(&run, report_table,
	       "pread64 · 64-byte pread · machine host · threads · seed 1\n"
	       " tasks |     vanilla  95 % interval      patched          95 % interval    boost\n"
	       "     1 |   1 343 381                   1 344 401  1 300 000 - 1 400 000    +0.1%\n"
	       "    24 |      failed                   4 400 000\n");
}

static void
csv_has_one_line_per_point(void **state)
{
	struct run_result run = example();

	(void)state;
	run.points[3].status = POINT_TIMEOUT;
	expect(&run, report_csv,
	       "workload,machine,variant,tasks,status,samples,median,min,max,ci95_low,ci95_high,"
	       "fairness,cmpxchg_failed,folio_lock_attempts,folio_lock_slept,published,error\n"
	       "pread64,e5,vanilla,1,ok,1,1343381,1343381,1343381,,,0.998,0.4100,64000,5100,"
	       "1343381,0.0000\n"
	       "pread64,e5,vanilla,24,ok,1,2182500,2182500,2182500,,,0.998,0.4100,64000,5100,"
	       "2325998,0.0617\n"
	       "pread64,e5,patched,1,ok,1,1344401,1344401,1344401,,,0.998,0.4100,64000,5100,"
	       "1344401,0.0000\n"
	       "pread64,e5,patched,24,timeout,,,,,,,,,,,4529737,\n");
}

static void
json_of_a_point(void **state)
{
	struct run_result run = example();
	char *text = rendered(&run, report_json);

	(void)state;
	assert_contains(text, "{\n  \"schema\": \"engine-result/1\",\n"
			      "  \"engine\": { \"version\": ");
	assert_contains(text, "\"workload\": \"pread64\",\n  \"machine\": \"e5\",\n"
			      "  \"kind\": \"virtual\",\n  \"as\": \"threads\",\n  \"seed\": 1,\n");
	assert_contains(text, "{ \"file\": \"pread64.yaml\", \"sha256\": \"00ff\" }");
	assert_contains(text,
			"      \"variant\": \"vanilla\",\n      \"tasks\": 24,\n"
			"      \"status\": \"ok\",\n"
			"      \"ops_per_sec\": { \"median\": 2182500, \"min\": 2182500, "
			"\"max\": 2182500, \"ci95\": null, \"samples\": [2182500] },\n");
	assert_contains(text, "\"fairness\": 0.998,\n      \"cmpxchg_failed\": 0.41,\n"
			      "      \"folio_lock\": { \"attempts\": 64000, "
			      "\"found_locked\": 16000, \"slept\": 5100, "
			      "\"found_locked_share\": 0.25, \"slept_share\": 0.0797 },\n");
	assert_contains(text, "\"object\": \"folio of /file\",\n          \"line\": 0,\n"
			      "          \"field\": \"_refcount\",\n          \"offset\": 52,\n"
			      "          \"stall_share\": 0.61,\n"
			      "          \"stall_ns\": 61,\n          \"time_share\": 0.5,\n"
			      "          \"transactions_per_op\": 4.3049,\n");
	assert_contains(text, "\"transactions\": { \"cluster\": 0, \"socket\": 1, \"remote\": 2 }");
	assert_contains(text, "{ \"source\": \"pagecache/filemap.c:120\", \"transactions\": 3, "
			      "\"stall_ns\": 61, \"cmpxchg_failed\": 43 }");
	assert_contains(text, "\"published\": 2325998,\n      \"error\": 0.0617\n");
	assert_contains(text, "{ \"variant\": \"vanilla\", \"role\": \"base\", "
			      "\"mean_error\": 0.0309, \"max_error\": 0.0617 }");
	assert_null(strstr(text, "\"host\": {\n    \"cpu\""));
	free(text);
	run_result_clear(&run);
}

static void
json_config_shows_what_ran(void **state)
{
	struct run_result run = example();
	char *text = rendered(&run, report_json);

	(void)state;
	assert_contains(text, "{ \"open\": { \"path\": \"/file\", \"fd\": \"own0\", "
			      "\"flags\": [\"rdwr\", \"creat\"] } }");
	assert_contains(text, "{ \"pread\": { \"fd\": \"own0\", \"bytes\": 64, \"offset\": 0 } },\n"
			      "      { \"repeat\": { \"times\": 2, "
			      "\"do\": [{ \"work\": { \"ns\": 200 } }] } },\n"
			      "      { \"stat\": { \"path\": \"/missing\", "
			      "\"expect\": \"enoent\" } },\n"
			      "      { \"access\": { \"path\": \"/file\", "
			      "\"mode\": [\"read\", \"write\"] } },\n"
			      "      { \"access\": { \"path\": \"/file\", "
			      "\"mode\": [\"exist\"] } },\n"
			      "      { \"rename\": { \"from\": \"/file\", "
			      "\"to\": \"/other\" } }");
	assert_contains(text, "\"size\": 4096, \"count\": 1, \"node\": 0 }");
	assert_contains(text, "\"page_ref\": \"cas-loop\"");
	assert_contains(text, "\"virtual\": { \"warmup\": \"auto\", \"operations\": 8000, "
			      "\"seeds\": 3 }");
	free(text);
	run_result_clear(&run);
}

static void
json_of_a_failed_point_has_a_message_and_no_figures(void **state)
{
	struct run_result run = example();
	char *text;

	(void)state;
	run.points[1].status = POINT_FAILED;
	run.points[1].message = xstrdup("crashed: \"Segmentation fault\"");
	run.points[1].has_published = false;
	text = rendered(&run, report_json);
	assert_contains(text, "      \"tasks\": 24,\n      \"status\": \"failed\",\n"
			      "      \"message\": "
			      "\"crashed: \\\"Segmentation fault\\\"\"\n    },\n");
	free(text);
	run_result_clear(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_with_published_columns),
		cmocka_unit_test(table_with_a_row_that_nobody_published),
		cmocka_unit_test(accuracy_says_what_calibration_may_have_seen),
		cmocka_unit_test(contention_of_lines_alone),
		cmocka_unit_test(lockrefs_have_a_remark),
		cmocka_unit_test(contention_of_more_lines_than_have_a_column),
		cmocka_unit_test(table_of_another_machine_with_a_failed_point),
		cmocka_unit_test(csv_has_one_line_per_point),
		cmocka_unit_test(json_of_a_point),
		cmocka_unit_test(json_config_shows_what_ran),
		cmocka_unit_test(json_of_a_failed_point_has_a_message_and_no_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
