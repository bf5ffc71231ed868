/*
 * engine_probe_test.c - from readings to a machine file, without measuring anything
 *
 * Topologies are hwloc's synthetic ones; readings and figures are made by hand.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/memory.h"
#include "engine/probe/batch.h"
#include "engine/probe/entries.h"
#include "engine/probe/machine_file.h"
#include "engine/probe/text.h"
#include "yaml/load.h"

#define NS FS_PER_NS

/* Threads of @synthetic, without the operating system's number @without unless it is -1. */
static void
read_synthetic(const char *synthetic, int without, struct layout *layout)
{
	hwloc_topology_t topology;
	hwloc_bitmap_t set;

	assert_int_equal(hwloc_topology_init(&topology), 0);
	assert_int_equal(hwloc_topology_set_synthetic(topology, synthetic), 0);
	assert_int_equal(hwloc_topology_load(topology), 0);
	if (without >= 0) {
		set = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
		hwloc_bitmap_clr(set, without);
		assert_int_equal(hwloc_topology_restrict(topology, set, 0), 0);
		hwloc_bitmap_free(set);
	}
	layout_read(topology, layout);
	hwloc_topology_destroy(topology);
}

static void
assert_widths(const struct layout *layout, int sockets, int clusters, int cores, int threads)
{
	assert_int_equal(layout->width[LEVEL_SOCKET], sockets);
	assert_int_equal(layout->width[LEVEL_CLUSTER], clusters);
	assert_int_equal(layout->width[LEVEL_CORE], cores);
	assert_int_equal(layout->width[LEVEL_THREAD], threads);
}

static enum distance
distance_of(const struct layout *layout, int a, int b)
{
	return layout_distance(&layout->cpus[a], &layout->cpus[b]);
}

/* Threads 0-1 are a core, 0-3 a cluster, 0-7 a socket. */
static void
distances_follow_cores_caches_and_packages(void **state)
{
	struct layout layout;

	(void)state;
	read_synthetic("pack:2 l3:2 core:2 pu:2", -1, &layout);
	assert_widths(&layout, 2, 2, 2, 2);
	assert_int_equal(layout_cpus(&layout), 16);
	assert_int_equal(distance_of(&layout, 0, 1), DISTANCE_SMT);
	assert_int_equal(distance_of(&layout, 0, 2), DISTANCE_CLUSTER);
	assert_int_equal(distance_of(&layout, 1, 3), DISTANCE_CLUSTER);
	assert_int_equal(distance_of(&layout, 0, 4), DISTANCE_SOCKET);
	assert_int_equal(distance_of(&layout, 3, 7), DISTANCE_SOCKET);
	assert_int_equal(distance_of(&layout, 0, 8), DISTANCE_REMOTE);
	assert_int_equal(distance_of(&layout, 7, 8), DISTANCE_REMOTE);
	layout_clear(&layout);
}

static void
a_socket_without_several_caches_is_one_cluster(void **state)
{
	struct layout layout;

	(void)state;
	read_synthetic("pack:2 core:3 pu:1", -1, &layout);
	assert_widths(&layout, 2, 1, 3, 1);
	assert_int_equal(distance_of(&layout, 0, 2), DISTANCE_CLUSTER);
	assert_int_equal(distance_of(&layout, 2, 3), DISTANCE_REMOTE);
	layout_clear(&layout);
	read_synthetic("pack:1 l3:1 core:4 pu:1", -1, &layout);
	assert_widths(&layout, 1, 1, 4, 1);
	assert_int_equal(distance_of(&layout, 0, 3), DISTANCE_CLUSTER);
	layout_clear(&layout);
}

/* A container without sysfs: hwloc knows of threads only. */
static void
bare_threads_are_cores_of_one_cluster(void **state)
{
	struct layout layout;

	(void)state;
	read_synthetic("pu:3", -1, &layout);
	assert_widths(&layout, 1, 1, 3, 1);
	assert_int_equal(distance_of(&layout, 0, 2), DISTANCE_CLUSTER);
	layout_clear(&layout);
}

static void
unequal_groups_count_as_the_largest(void **state)
{
	struct layout layout;

	(void)state;
	read_synthetic("pack:2 core:2 pu:2", 7, &layout);
	assert_int_equal(layout.nr_cpus, 7);
	assert_widths(&layout, 2, 1, 2, 2);
	assert_int_equal(layout_cpus(&layout), 8);
	layout_clear(&layout);
}

static void
all_pairs_of_a_small_machine_are_chosen(void **state)
{
	struct layout layout;
	struct pairs pairs;

	(void)state;
	read_synthetic("pack:1 core:4 pu:1", -1, &layout);
	pairs_choose(&layout, 6, &pairs);
	assert_int_equal(pairs.count, 6); /* 4 * 3 / 2 */
	assert_true(pairs.complete);
	assert_int_equal(pairs.pair[5].a, 2);
	assert_int_equal(pairs.pair[5].b, 3);
	pairs_clear(&pairs);
	layout_clear(&layout);
}

/*
 * 8 CPUs: 12 pairs inside sockets, of which the first and the seventh, and 16
 * between them, of which the first and the ninth, are evenly spread.
 */
static void
pairs_of_a_large_machine_are_evenly_spread(void **state)
{
	const int expected[][2] = { { 0, 1 }, { 0, 4 }, { 2, 4 }, { 4, 5 } };
	struct layout layout;
	struct pairs pairs;

	(void)state;
	read_synthetic("pack:2 core:4 pu:1", -1, &layout);
	pairs_choose(&layout, 2, &pairs);
	assert_int_equal(pairs.count, 4);
	assert_false(pairs.complete);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pairs.pair[i].a, expected[i][0]);
		assert_int_equal(pairs.pair[i].b, expected[i][1]);
	}
	pairs_clear(&pairs);
	layout_clear(&layout);
}

static void
one_cpu_has_no_pairs(void **state)
{
	struct layout layout;
	struct pairs pairs;

	(void)state;
	read_synthetic("pu:1", -1, &layout);
	pairs_choose(&layout, 4, &pairs);
	assert_int_equal(pairs.count, 0);
	assert_int_equal(pairs_reduce(&pairs, NULL, DISTANCE_CLUSTER), 0);
	pairs_clear(&pairs);
	layout_clear(&layout);
}

/* Pairs in order: (0,1) near, (0,2) (0,3) (1,2) (1,3) far, (2,3) near. One far one failed. */
static void
a_class_is_the_median_of_its_pairs(void **state)
{
	const u64 figures[] = { 40, 100, 104, 0, 96, 50 };
	struct layout layout;
	struct pairs pairs;

	(void)state;
	read_synthetic("pack:2 core:2 pu:1", -1, &layout);
	pairs_choose(&layout, 6, &pairs);
	assert_int_equal(pairs_reduce(&pairs, figures, DISTANCE_CLUSTER), 45);
	assert_int_equal(pairs_reduce(&pairs, figures, DISTANCE_REMOTE), 100);
	assert_int_equal(pairs_reduce(&pairs, figures, DISTANCE_SMT), 0);
	assert_int_equal(pairs_reduce(&pairs, figures, DISTANCE_SOCKET), 0);
	pairs_clear(&pairs);
	layout_clear(&layout);
}

static void
figures_are_written_to_three_digits(void **state)
{
	char text[TEXT_SIZE];

	(void)state;
	assert_string_equal(text_time(text, 379600), "380ps");
	assert_string_equal(text_time(text, 2114000), "2.11ns");
	assert_string_equal(text_time(text, 999600000), "1us");
	assert_string_equal(text_time(text, 57349 * NS), "57.3us");
	assert_string_equal(text_clock(text, 305500), "3.27GHz"); /* 1 / 305.5 ps */
	assert_string_equal(text_cycles(text, 379600, 305500), "1.24");
}

static void
a_quartile_has_a_quarter_below_it(void **state)
{
	u64 samples[] = { 8, 1, 7, 2, 6, 3, 5, 4 };

	(void)state;
	assert_int_equal(lower_quartile(samples, 8), 3);
	assert_int_equal(lower_quartile(samples, 1), 1);
	assert_int_equal(lower_quartile(samples, 0), 0);
}

/* A probe of two cores in which nothing has been measured yet. */
static void
make_probe(struct probe *probe)
{
	memset(probe, 0, sizeof(*probe));
	read_synthetic("pack:1 core:2 pu:1", -1, &probe->layout);
	pairs_choose(&probe->layout, 4, &probe->pairs);
	probe->counts = xcalloc(1, sizeof(*probe->counts));
	probe->gauges = xcalloc(PROBE_VISITS * GAUGE_MAX, sizeof(*probe->gauges));
	probe->hand_overs = xcalloc(PROBE_VISITS, sizeof(*probe->hand_overs));
}

static void
clear_probe(struct probe *probe)
{
	free(probe->counts);
	free(probe->gauges);
	free(probe->hand_overs);
	pairs_clear(&probe->pairs);
	layout_clear(&probe->layout);
}

static void
set_gauge(struct probe *probe, enum gauge gauge, u64 fs)
{
	for (int visit = 0; visit < PROBE_VISITS; visit++)
		probe->gauges[visit * GAUGE_MAX + gauge] = fs;
}

/* 30 ns = 4 x 2 ns + 5 ns + 34 x 0.5 ns, where the copy's load is one of 35 hits. */
static void
a_hit_is_what_is_left_of_a_read(void **state)
{
	struct figures figures;
	struct probe probe;

	(void)state;
	make_probe(&probe);
	*probe.counts = (struct access_counts){ .hits = 35, .atomics = 4 };
	set_gauge(&probe, GAUGE_READ, 30 * NS);
	set_gauge(&probe, GAUGE_ADD, 2 * NS);
	set_gauge(&probe, GAUGE_COPY, 5 * NS);
	figures_compute(&probe, &figures);
	assert_int_equal(figures.samples[FIGURE_HIT], PROBE_SAMPLES);
	assert_int_equal(figures.summary[FIGURE_HIT].median, NS / 2);
	assert_int_equal(figures.summary[FIGURE_COPY].median, 9 * NS / 2);
	assert_int_equal(figures.samples[FIGURE_SWITCH], 0);
	set_gauge(&probe, GAUGE_READ, 13 * NS);
	figures_compute(&probe, &figures);
	assert_int_equal(figures.samples[FIGURE_HIT], 0); /* nothing is left */
	clear_probe(&probe);
}

/* What the kernel's calls cost beyond entering it. */
static void
costs_are_beyond_the_system_call(void **state)
{
	struct figures figures;
	struct probe probe;

	(void)state;
	make_probe(&probe);
	set_gauge(&probe, GAUGE_SYSCALL, 100 * NS);
	set_gauge(&probe, GAUGE_READ, 30 * NS);
	set_gauge(&probe, GAUGE_HOST_READ, 300 * NS);
	set_gauge(&probe, GAUGE_FSTAT, 10 * NS);
	set_gauge(&probe, GAUGE_HOST_FSTAT, 250 * NS);
	set_gauge(&probe, GAUGE_WAKE_CALL, 900 * NS);
	set_gauge(&probe, GAUGE_WAKE_HOP, 2500 * NS);
	set_gauge(&probe, GAUGE_YIELD, 700 * NS);
	set_gauge(&probe, GAUGE_INTERRUPT, 1100 * NS);
	figures_compute(&probe, &figures);
	assert_int_equal(figures.summary[FIGURE_SECURITY].median, 170 * NS);
	assert_int_equal(figures.summary[FIGURE_GETATTR].median, 140 * NS);
	assert_int_equal(figures.summary[FIGURE_WAKE].median, 800 * NS);
	assert_int_equal(figures.summary[FIGURE_WAKE_LATENCY].median, 1600 * NS);
	assert_int_equal(figures.summary[FIGURE_SWITCH].median, 600 * NS);
	assert_int_equal(figures.summary[FIGURE_IPI].median, 1000 * NS);
	clear_probe(&probe);
}

/* Visits 0, 11, 22 and 33 are the first sample. One good visit is enough. */
static void
a_busy_neighbour_spoils_visits_but_no_sample(void **state)
{
	struct figures figures;
	struct probe probe;

	(void)state;
	make_probe(&probe);
	set_gauge(&probe, GAUGE_SYSCALL, 180 * NS);
	for (int visit = 11; visit < 22; visit++)
		probe.gauges[visit * GAUGE_MAX + GAUGE_SYSCALL] = 100 * NS;
	for (int visit = 0; visit < PROBE_VISITS; visit++)
		probe.hand_overs[visit] = visit % 11 < 2 ? 0 : (visit + 50) * NS;
	figures_compute(&probe, &figures);
	assert_int_equal(figures.summary[GAUGE_SYSCALL].median, 100 * NS);
	assert_int_equal(figures.summary[GAUGE_SYSCALL].max, 100 * NS);
	/* Two samples without a visit; the others are 52 to 60. */
	assert_int_equal(figures.samples[FIGURE_DISTANCE + DISTANCE_CLUSTER], 9);
	assert_int_equal(figures.summary[FIGURE_DISTANCE + DISTANCE_CLUSTER].median, 56 * NS);
	assert_int_equal(figure_of_pair(&probe, 0), 56 * NS);
	clear_probe(&probe);
}

static char *
print_entries(const struct entries *entries, char *const *comments)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	machine_file_print(entries, comments, out);
	fclose(out);
	return text;
}

static void
entries_become_a_mapping_by_their_groups(void **state)
{
	char *const comments[] = { "one", "two", NULL };
	const struct entries entries = {
		.count = 5,
		.entry = {
			{ .path = "name", .value = "small" },
			{ .path = "topology.sockets", .value = "2" },
			{ .path = "hold", .key = "mean", .value = "5ns", .more = "spread: 25%",
			  .source = "a guess" },
			{ .path = "costs.syscall", .key = "cost", .value = "1ns", .source = "x" },
			{ .path = "costs.wake", .key = "cost", .value = "2ns", .source = "y" },
		},
	};
	char *text = print_entries(&entries, comments);

	(void)state;
	assert_string_equal(text, "# one\n"
				  "# two\n"
				  "name: small\n"
				  "topology:\n"
				  "  sockets: 2\n"
				  "hold: { mean: 5ns, spread: 25%, source: \"a guess\" }\n"
				  "costs:\n"
				  "  syscall: { cost: 1ns, source: \"x\" }\n"
				  "  wake: { cost: 2ns, source: \"y\" }\n");
	free(text);
}

/* Load the file that @entries make. */
static void
load_entries(const struct entries *entries, struct machine_spec *spec)
{
	char *const comments[] = { NULL };
	char path[] = "/tmp/engine-probe-XXXXXX";
	char *text = print_entries(entries, comments);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(machine_load(path, spec, stderr), 0);
	unlink(path);
	free(text);
}

static const struct entry *
find_entry(const struct entries *entries, const char *path)
{
	for (int i = 0; i < entries->count; i++)
		if (!strcmp(entries->entry[i].path, path))
			return &entries->entry[i];
	fail_msg("no entry %s", path);
	return NULL;
}

static void
set_figure(struct figures *figures, int figure, u64 median, u64 low, u64 high)
{
	figures->samples[figure] = 11;
	figures->summary[figure] = (struct summary){
		.median = median, .has_ci = true, .ci_low = low, .ci_high = high
	};
}

/* Two sockets, of which only a pair inside one could be measured, and a nasty name. */
static void
a_file_with_few_figures_is_right_and_says_what_is_missing(void **state)
{
	const int width[LEVEL_MAX] = { 1, 2, 3, 4, 2 };
	const struct host_facts host = { "Weird \"CPU\" \\ @ 3GHz: x", "AuthenticAMD", width };
	const struct access_counts counts = { .hits = 32, .atomics = 4 };
	struct figures figures = { 0 };
	struct machine_spec spec;
	struct entries entries;

	(void)state;
	set_figure(&figures, GAUGE_CYCLE, 400000, 390000, 500000);
	set_figure(&figures, FIGURE_DISTANCE + DISTANCE_CLUSTER, 25 * NS, 24 * NS, 27 * NS);
	entries_make(&host, &counts, &figures, &entries);
	load_entries(&entries, &spec);
	assert_int_equal(spec.sockets, 2);
	assert_int_equal(spec.clusters_per_socket, 3);
	assert_int_equal(spec.cores_per_cluster, 4);
	assert_int_equal(spec.threads_per_core, 2);
	assert_true(spec.clock_hz == 2500000000);
	assert_int_equal(spec.protocol, PROTOCOL_MOESI);
	assert_true(spec.home_rule);
	assert_int_equal(spec.transfer_ps[DISTANCE_CLUSTER], 25000);
	assert_int_equal(spec.transfer_ps[DISTANCE_SOCKET], 25000);
	assert_int_equal(spec.transfer_ps[DISTANCE_REMOTE], 25000);
	assert_int_equal(spec.atomic_ps, 5000);
	assert_string_equal(find_entry(&entries, "transfer.cluster")->source,
			    "engine probe, median of 11, interval 24ns..27ns: half a round trip "
			    "by cmpxchg");
	assert_null(find_entry(&entries, "transfer.cluster")->lack);
	assert_string_equal(find_entry(&entries, "clock")->source,
			    "engine probe, median of 11, interval 2GHz..2.56GHz: dependent "
			    "additions, one a cycle");
	assert_string_equal(find_entry(&entries, "transfer.remote")->source,
			    "not measured: no two sockets to measure; as transfer.socket");
	assert_non_null(find_entry(&entries, "transfer.remote")->lack);
	entries_clear(&entries);
}

static void
a_file_with_all_figures_holds_them(void **state)
{
	const int width[LEVEL_MAX] = { 1, 1, 1, 2, 1 };
	const struct host_facts host = { "Small", "GenuineIntel", width };
	const struct access_counts counts = { .hits = 32, .atomics = 4 };
	struct figures figures = { 0 };
	struct machine_spec spec;
	struct entries entries;

	(void)state;
	for (int i = 0; i < FIGURE_MAX; i++)
		set_figure(&figures, i, (i + 1) * NS, i * NS, (i + 2) * NS);
	entries_make(&host, &counts, &figures, &entries);
	load_entries(&entries, &spec);
	assert_int_equal(spec.protocol, PROTOCOL_MESIF);
	assert_false(spec.home_rule);
	assert_int_equal(spec.hit_ps, (FIGURE_HIT + 1) * 1000);
	assert_int_equal(spec.atomic_ps, (GAUGE_ADD + 1) * 1000);
	assert_int_equal(spec.pause_ps, (GAUGE_PAUSE + 1) * 1000);
	assert_int_equal(spec.fence_ps, (GAUGE_FENCE + 1) * 1000);
	assert_int_equal(spec.transfer_ps[DISTANCE_REMOTE],
			 (FIGURE_DISTANCE + DISTANCE_REMOTE + 1) * 1000);
	assert_int_equal(spec.cost_ps[COST_syscall], (GAUGE_SYSCALL + 1) * 1000);
	assert_int_equal(spec.cost_ps[COST_wake], (FIGURE_WAKE + 1) * 1000);
	assert_int_equal(spec.cost_ps[COST_wake_latency], (FIGURE_WAKE_LATENCY + 1) * 1000);
	assert_int_equal(spec.cost_ps[COST_copy_start], (FIGURE_COPY + 1) * 1000);
	for (int i = 0; i < entries.count; i++)
		assert_null(entries.entry[i].lack);
	entries_clear(&entries);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_follow_cores_caches_and_packages),
		cmocka_unit_test(a_socket_without_several_caches_is_one_cluster),
		cmocka_unit_test(bare_threads_are_cores_of_one_cluster),
		cmocka_unit_test(unequal_groups_count_as_the_largest),
		cmocka_unit_test(all_pairs_of_a_small_machine_are_chosen),
		cmocka_unit_test(pairs_of_a_large_machine_are_evenly_spread),
		cmocka_unit_test(one_cpu_has_no_pairs),
		cmocka_unit_test(a_class_is_the_median_of_its_pairs),
		cmocka_unit_test(figures_are_written_to_three_digits),
		cmocka_unit_test(a_quartile_has_a_quarter_below_it),
		cmocka_unit_test(a_hit_is_what_is_left_of_a_read),
		cmocka_unit_test(costs_are_beyond_the_system_call),
		cmocka_unit_test(a_busy_neighbour_spoils_visits_but_no_sample),
		cmocka_unit_test(entries_become_a_mapping_by_their_groups),
		cmocka_unit_test(a_file_with_few_figures_is_right_and_says_what_is_missing),
		cmocka_unit_test(a_file_with_all_figures_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
