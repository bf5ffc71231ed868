/*
 * yaml_machine_test.c - right machine files become the specs they describe
 */
#include "tests/yaml_text.h"

#include "yaml/fittable.h"

#define NS 1000ull

#define TINY(topology, more)                                                                       \
	"name: tiny\ntopology: " topology "\nclock: 1GHz\nprotocol: mesi\nhit: 1ns\natomic: 2ns\n" \
	"transfer: { cluster: 50ns, socket: 60ns, remote: 70ns }\n" more

static struct machine_spec
text_machine(const char *text)
{
	struct machine_spec spec;
	char path[64];
	int error = machine_load(text_file(text, path), &spec, stderr);

	unlink(path);
	assert_int_equal(error, 0);
	return spec;
}

static struct machine_spec
shipped_machine(const char *name)
{
	char *file = machine_find(name, "workloads/pread64.yaml");
	struct machine_spec spec;

	assert_non_null(file);
	assert_int_equal(machine_load(file, &spec, stderr), 0);
	free(file);
	return spec;
}

static void
toy4_is_the_machine_to_do_sums_with(void **state)
{
	struct machine_spec spec = shipped_machine("toy-4");

	(void)state;
	assert_string_equal(spec.name, "toy-4");
	assert_int_equal(machine_spec_cpus(&spec), 4);
	assert_int_equal(spec.sockets, 2);
	assert_int_equal(spec.clock_hz, 1000000000);
	assert_int_equal(spec.protocol, PROTOCOL_MESIF);
	assert_int_equal(spec.hit_ps, 1 * NS);
	assert_int_equal(spec.atomic_ps, 10 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_SMT], 0);
	assert_int_equal(spec.transfer_ps[DISTANCE_CLUSTER], 50 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_SOCKET], 50 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_REMOTE], 100 * NS);
	assert_int_equal(spec.upgrade_remote, 2);
	assert_int_equal(spec.hold_ps, 10 * NS);
	assert_int_equal(spec.hold_spread_percent, 25);
	assert_int_equal(spec.run_bound, 1);
	assert_int_equal(spec.jitter, JITTER_NONE);
	assert_int_equal(spec.smt_slowdown_percent, 100);
	assert_int_equal(spec.cost_ps[COST_syscall], 100 * NS);
	assert_int_equal(spec.cost_ps[COST_wake], 1000 * NS);
}

static void
e5_and_epyc_have_their_published_transfers(void **state)
{
	struct machine_spec e5 = shipped_machine("e5-2690v3-2s");
	struct machine_spec epyc = shipped_machine("epyc9654-2s");

	(void)state;
	assert_int_equal(machine_spec_cpus(&e5), 24);
	assert_int_equal(e5.transfer_ps[DISTANCE_CLUSTER], 48 * NS);
	assert_int_equal(e5.transfer_ps[DISTANCE_REMOTE], 130 * NS);
	assert_int_equal(e5.atomic_ps, 6500);
	assert_false(e5.home_rule);
	assert_int_equal(machine_spec_cpus(&epyc), 384);
	assert_int_equal(epyc.clusters_per_socket, 12);
	assert_int_equal(epyc.protocol, PROTOCOL_MOESI);
	assert_int_equal(epyc.transfer_ps[DISTANCE_CLUSTER], 27 * NS);
	assert_int_equal(epyc.transfer_ps[DISTANCE_SOCKET], 99 * NS);
	assert_int_equal(epyc.transfer_ps[DISTANCE_REMOTE], 192 * NS);
	assert_true(epyc.home_rule);
	assert_int_equal(epyc.jitter, JITTER_EXPONENTIAL);
}

static void
figures_may_be_plain_or_say_where_they_come_from(void **state)
{
	struct machine_spec spec = text_machine(TINY(
		"{ sockets: 1, cores_per_cluster: 2 }",
		"pause: 3ns\nfence: { cost: 4ns, source: a book }\nrun_bound: { value: 5 }\n"
		"hold: { mean: 1.5ns, calibrated: by hand, fit: [1ns, 2ns] }\nsmt_slowdown: 170%\n"
		"store_buffer: 0\nhome_rule: { value: true, source: a book }\n"));

	(void)state;
	assert_int_equal(spec.pause_ps, 3 * NS);
	assert_int_equal(spec.fence_ps, 4 * NS);
	assert_int_equal(spec.run_bound, 5);
	assert_int_equal(spec.hold_ps, 1500);
	assert_int_equal(spec.smt_slowdown_percent, 170);
	assert_int_equal(spec.store_buffer, 0);
	assert_true(spec.home_rule);
	assert_true(spec.failed_cas_writes);
	assert_int_equal(spec.placement, PLACE_CORES_FIRST);
	assert_int_equal(spec.jitter, JITTER_EXPONENTIAL);
	assert_int_equal(spec.cost_ps[COST_ipi], 0);
}

static void
topology_may_be_an_hwloc_string(void **state)
{
	struct machine_spec full = text_machine(TINY("\"pack:2 l3:3 core:4 pu:2\"", ""));
	struct machine_spec flat = text_machine(TINY("\"core:4 pu:1\"", ""));

	(void)state;
	assert_int_equal(full.sockets, 2);
	assert_int_equal(full.clusters_per_socket, 3);
	assert_int_equal(full.cores_per_cluster, 4);
	assert_int_equal(full.threads_per_core, 2);
	assert_int_equal(flat.sockets, 1);
	assert_int_equal(flat.clusters_per_socket, 1);
	assert_int_equal(flat.cores_per_cluster, 4);
}

static void
the_largest_machine_has_1024_cpus(void **state)
{
	struct machine_spec counts =
		text_machine(TINY("{ sockets: 4, clusters_per_socket: 8, cores_per_cluster: 16, "
				  "threads_per_core: 2 }",
				  ""));
	struct machine_spec string = text_machine(TINY("\"pack:8 l3:8 core:8 pu:2\"", ""));

	(void)state;
	assert_int_equal(machine_spec_cpus(&counts), 1024);
	assert_int_equal(machine_spec_cpus(&string), 1024);
}

/* Every line of a modelled real machine says where its figure is from. */
static void
every_figure_has_an_origin(void **state)
{
	const char *const names[] = { "e5-2690v3-2s", "epyc9654-2s" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *file = machine_find(names[i], NULL);
		char *text, *line, *rest;
		int figures = 0;
		int origins = 0;
		size_t length;
		FILE *out;

		if (!file)
			file = machine_find(names[i], "workloads/pread64.yaml");
		out = open_memstream(&text, &length);
		machine_print_resolved(file, out);
		fclose(out);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			line += strspn(line, " ");
			figures += !strncmp(line, "cost:", 5) || !strncmp(line, "value:", 6) ||
				   !strncmp(line, "mean:", 5) || !strncmp(line, "sockets:", 8);
			origins +=
				!strncmp(line, "source:", 7) || !strncmp(line, "calibrated:", 11);
			origins -= !strncmp(line, "published:", 10); /* has both */
		}
		assert_true(figures >= 30);
		assert_int_equal(origins, figures);
		free(text);
		free(file);
	}
}

#define FIT(value, low, high) "{ value: " value ", source: a book, fit: [" low ", " high "] }"
#define FIT_TIME FIT("3ns", "1ns", "5ns")

/* One figure of each kind, and every one that is a number. */
static const char all_fittable[] =
	"name: tiny\ntopology: { sockets: 1, cores_per_cluster: 2 }\nprotocol: mesi\n"
	"clock: " FIT("1GHz", "1GHz", "2GHz") "\nhit: " FIT_TIME "\natomic: " FIT_TIME "\n"
	"pause: " FIT_TIME "\nfence: " FIT_TIME "\n"
	"transfer: { cluster: " FIT_TIME ", socket: " FIT_TIME ", remote: " FIT_TIME
	", upgrade_remote: " FIT("2", "1", "3") " }\n"
	"dram: { local: " FIT_TIME ", remote: " FIT_TIME " }\n"
	"run_bound: " FIT("1", "0", "8") "\nrequest_share: " FIT("10%", "0%", "50%") "\n"
	"hold: " FIT_TIME "\nstore_buffer: " FIT("8", "0", "16") "\n"
	"smt_slowdown: " FIT("150%", "100%", "200%") "\nrun_ahead: " FIT_TIME "\n"
	"costs: { syscall: " FIT_TIME ", switch: " FIT_TIME ", wake: " FIT_TIME
	", wake_latency: " FIT_TIME ", idle_enter: " FIT_TIME ", ipi: " FIT_TIME
	", grace_period: " FIT_TIME
	", copy_start: " FIT_TIME ", copy_per_64B: " FIT_TIME ", alloc: " FIT_TIME
	", path_name: " FIT_TIME ", file: " FIT_TIME ", security: " FIT_TIME
	", getattr: " FIT_TIME " }\n";

static struct machine_spec
text_fittables(const char *text, struct fittables *fittables)
{
	struct machine_spec spec;
	char path[64];
	int error = machine_load_fittables(text_file(text, path), &spec, fittables, stderr);

	unlink(path);
	assert_int_equal(error, 0);
	return spec;
}

/* Setting a figure changes the spec, and getting it reads what the file says. */
static void
every_number_may_be_fitted(void **state)
{
	struct fittables fittables;
	struct machine_spec spec = text_fittables(all_fittable, &fittables);

	(void)state;
	assert_int_equal(fittables.count, 17 + COST_MAX);
	for (int i = 0; i < fittables.count; i++) {
		const struct fittable *fittable = &fittables.entries[i];
		struct machine_spec changed = spec;

		assert_int_equal(fittable_get(fittable, &spec), fittable->value);
		assert_int_equal(fittable->published, fittable->value);
		assert_true(fittable->smallest < fittable->largest);
		fittable_set(fittable, &changed, fittable->largest);
		assert_int_equal(fittable_get(fittable, &changed), fittable->largest);
		assert_memory_not_equal(&changed, &spec, sizeof(spec));
	}
}

/* As the loader does it: what was left out costs what the nearer distance does. */
static void
a_distance_that_was_left_out_follows_the_nearer_one(void **state)
{
	struct fittables fittables;
	struct machine_spec spec = text_fittables(
		"name: tiny\ntopology: { sockets: 1, cores_per_cluster: 2 }\nclock: 1GHz\n"
		"protocol: mesi\nhit: 1ns\natomic: 2ns\n"
		"transfer: { cluster: { cost: 50ns, fit: [40ns, 60ns] } }\n",
		&fittables);

	(void)state;
	assert_int_equal(fittables.count, 1);
	fittable_set(&fittables.entries[0], &spec, 45 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_CLUSTER], 45 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_SOCKET], 45 * NS);
	assert_int_equal(spec.transfer_ps[DISTANCE_REMOTE], 45 * NS);
	assert_int_equal(fittables.entries[0].published, 0);
}

/* A calibrated figure keeps what its source says; the solved cost needs no `fit:`. */
static void
calibrated_figures_know_what_was_published(void **state)
{
	struct fittables fittables;
	const struct fittable *pause;
	const struct fittable *solved;

	(void)state;
	text_fittables(TINY("{ sockets: 1, cores_per_cluster: 2 }",
			    "pause: { cost: 4ns, published: 3ns, source: a, calibrated: b, "
			    "fit: [1ns, 9ns] }\ncosts: { syscall: 100ns }\n"),
		       &fittables);
	pause = fittables_find(&fittables, "pause");
	solved = fittables_find(&fittables, FITTABLE_SOLVED);
	assert_int_equal(fittables.count, 2);
	assert_int_equal(pause->value, 4 * NS);
	assert_int_equal(pause->published, 3 * NS);
	assert_int_equal(solved->value, 100 * NS);
	assert_true(solved->largest > 1000000 * NS);
	assert_null(fittables_find(&fittables, "hit"));
}

/* What a model is off by is for its readers: nothing that runs on the file sees it. */
static void
recorded_errors_are_no_part_of_the_spec(void **state)
{
	const char records[] =
		"accuracy:\n  - { workload: pread64, column: vanilla, error: 4.9% }\n"
		"  - { workload: pread64, column: patched, error: 308% }\n";
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	char with[512];
	char path[64];
	struct machine_spec plain = text_machine(TINY("\"core:4 pu:1\"", ""));
	struct machine_spec recorded;

	(void)state;
	snprintf(with, sizeof(with), "%s%s", TINY("\"core:4 pu:1\"", ""), records);
	recorded = text_machine(with);
	assert_memory_equal(&recorded, &plain, sizeof(plain));
	machine_print_resolved(text_file(with, path), out);
	fclose(out);
	unlink(path);
	assert_non_null(strstr(text, "error: 4.9%"));
	assert_non_null(strstr(text, "error: 308%"));
	free(text);
}

static void
load_shipped(void *context, const char *file)
{
	struct machine_spec spec;

	++*(int *)context;
	assert_int_equal(machine_load(file, &spec, stderr), 0);
	assert_non_null(strstr(file, spec.name));
}

static void
every_shipped_machine_loads(void **state)
{
	int count = 0;

	(void)state;
	shipped_each(SHIPPED_MACHINES, load_shipped, &count);
	assert_true(count >= 3);
}

static void
machines_are_found_by_name_or_path(void **state)
{
	char *name = machine_find("toy-4", "tests/bad/empty.yaml");
	char *path = machine_find("workloads/machines/toy-4.yaml", NULL);

	(void)state;
	assert_non_null(name);
	assert_string_equal(path, "workloads/machines/toy-4.yaml");
	assert_null(machine_find("toy-5", "workloads/pread64.yaml"));
	assert_null(machine_find("workloads/machines/toy-5.yaml", NULL));
	free(name);
	free(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toy4_is_the_machine_to_do_sums_with),
		cmocka_unit_test(e5_and_epyc_have_their_published_transfers),
		cmocka_unit_test(figures_may_be_plain_or_say_where_they_come_from),
		cmocka_unit_test(topology_may_be_an_hwloc_string),
		cmocka_unit_test(the_largest_machine_has_1024_cpus),
		cmocka_unit_test(every_figure_has_an_origin),
		cmocka_unit_test(every_number_may_be_fitted),
		cmocka_unit_test(a_distance_that_was_left_out_follows_the_nearer_one),
		cmocka_unit_test(calibrated_figures_know_what_was_published),
		cmocka_unit_test(recorded_errors_are_no_part_of_the_spec),
		cmocka_unit_test(every_shipped_machine_loads),
		cmocka_unit_test(machines_are_found_by_name_or_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
