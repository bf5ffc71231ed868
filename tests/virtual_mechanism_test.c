/*
 * virtual_mechanism_test.c - every mechanism of the model on and off, by hand (see scene.h)
 *
 * What virtual_timing_test.c and virtual_protocol_test.c leave: each scene is
 * played with the machine file's switch in several positions.
 */
#include "tests/scene.h"

#include <string.h>

#include "machine/arena.h"
#include "machine/atomic.h"
#include "machine/cpu_relax.h"

#define ORDER_MAX 64

static struct {
	u64 *word;
	u64 *other;
	u64 done[8];		/* ns, per CPU */
	int order[ORDER_MAX];	/* CPUs in the order in which they got the word */
	int count;
} scene;

/* Number of the CPU that runs: a look at `current` would be charged. */
static int cpu_number[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static void
play_at_home(const struct machine_spec *spec, int tasks, int node, void (*body)(void *arg))
{
	void *args[8];

	for (int i = 0; i < tasks; i++)
		args[i] = &cpu_number[i];
	memset(&scene, 0, sizeof(scene));
	harness_boot(&(struct harness){ .spec = spec, .tasks = tasks, .no_pagecache = true });
	scene.word = arena_alloc(CACHE_LINE, CACHE_LINE, node);
	scene.other = arena_alloc(CACHE_LINE, CACHE_LINE, node);
	*scene.word = 0;
	*scene.other = 0;
	harness_run_each(tasks, body, args);
	arena_free(scene.word, CACHE_LINE);
	arena_free(scene.other, CACHE_LINE);
	harness_shutdown();
}

static void
play(const struct machine_spec *spec, int tasks, void (*body)(void *arg))
{
	play_at_home(spec, tasks, 0, body);
}

static void
take_and_tell(int cpu)
{
	add(scene.word);
	assert_true(scene.count < ORDER_MAX);
	scene.order[scene.count++] = cpu;
}

static void
assert_order(const int *expected, int count)
{
	assert_int_equal(scene.count, count);
	for (int i = 0; i < count; i++)
		assert_int_equal(scene.order[i], expected[i]);
}

/* --- one server per line: idle against contended ------------------------------------------ */

/* CPU 1 asks at 2000, CPU 0 at 2030, and each twice more as soon as it is done. */
static void
contend(void *arg)
{
	int cpu = *(int *)arg;

	if (cpu == 0) {
		at(1000);
		add(scene.word);
	}
	at(cpu ? 2000 : 2030);
	for (int i = 0; i < 3; i++)
		add(scene.word);
	scene.done[cpu] = clock_ns();
}

/*
 * CPU 1's first transfer is idle: data 2050, done and hold over at 2060. From then
 * on the next one has asked before the line is free, and each of the five others
 * takes the data's way and the hold: 50 - 20 + 10 at a request share of 40 %.
 */
static void
a_contended_line_costs_the_datas_way_and_the_hold(void **state)
{
	struct machine_spec spec = toy4;

	spec.request_share_percent = 40;
	play(&spec, 2, contend);
	assert_int_equal(scene.done[1], 2060 + 4 * (30 + 10));
	assert_int_equal(scene.done[0], 2060 + 5 * (30 + 10));

	/* Off: nothing overlaps. */
	spec.request_share_percent = 0;
	play(&spec, 2, contend);
	assert_int_equal(scene.done[1], 2060 + 4 * (50 + 10));
	assert_int_equal(scene.done[0], 2060 + 5 * (50 + 10));

	/*
	 * All of it is the request's way, and the owner goes on until that is over: CPU 0
	 * until 2050, then CPU 1 until CPU 0's request of 2050 is there.
	 */
	spec.request_share_percent = 100;
	play(&spec, 2, contend);
	assert_int_equal(scene.done[1], 2050 + 3 * 10);
	assert_int_equal(scene.done[0], 2050 + 50 + 10);
}

/* --- the hold ----------------------------------------------------------------------------- */

/* The line is at CPU 1 from 2050 on; CPU 0 wants it back at 2030. */
static void
take_back(void *arg)
{
	int cpu = *(int *)arg;

	at(cpu ? 2000 : 1000);
	add(scene.word);
	if (cpu)
		return;
	at(2030);
	add(scene.word);
	scene.done[0] = clock_ns();
}

static void
an_owner_keeps_the_line_for_its_hold_or_an_atomic(void **state)
{
	struct machine_spec spec = toy4;

	spec.hold_ps = 35 * NS;
	play(&spec, 2, take_back);
	assert_int_equal(scene.done[0], 2050 + 35 + 50 + 10);
	spec.hold_ps = 0;
	play(&spec, 2, take_back);
	assert_int_equal(scene.done[0], 2050 + 10 + 50 + 10);
}

#define HOLDS 50

static u64 owned_ps[HOLDS]; /* from the data's coming to CPU 1 until it leaves for CPU 0 */

/* As take_back(), every 10 us; with a spread, clocks do not stay at whole nanoseconds. */
static void
take_back_often(void *arg)
{
	int cpu = *(int *)arg;

	for (int i = 0; i < HOLDS; i++) {
		u64 when = 10000 * i + (cpu ? 2000 : 1000);

		runtime_work_ns(when - runtime_clock_ps() / NS);
		add(scene.word);
		if (cpu) {
			owned_ps[i] = runtime_clock_ps() - 10 * NS;
			continue;
		}
		runtime_work_ns(when + 1030 - runtime_clock_ps() / NS);
		add(scene.word);
		owned_ps[i] = runtime_clock_ps() - (10 + 50) * NS - owned_ps[i];
	}
}

static void
a_hold_is_spread_evenly_around_its_mean(void **state)
{
	struct machine_spec spec = toy4;
	u64 shortest = 50 * NS;
	u64 longest = 30 * NS;

	spec.hold_ps = 40 * NS;
	play(&spec, 2, take_back_often);
	for (int i = 0; i < HOLDS; i++)
		assert_int_equal(owned_ps[i], 40 * NS);

	spec.hold_spread_percent = 25;
	play(&spec, 2, take_back_often);
	for (int i = 0; i < HOLDS; i++) {
		assert_in_range(owned_ps[i], 30 * NS, 50 * NS);
		shortest = min(shortest, owned_ps[i]);
		longest = max(longest, owned_ps[i]);
	}
	assert_true(shortest < 35 * NS && longest > 45 * NS);
}

/* --- the retry of a failed cmpxchg --------------------------------------------------------- */

static int failures;

/* CPU 1's guess is wrong at 2000; CPU 0 asks for the line at 2030 and changes the word. */
static void
guess_and_retry(void *arg)
{
	static u64 expected; /* not on the stack, where it would cost hits of its own */

	if (*(int *)arg == 0) {
		at(1000);
		add(scene.word);
		at(2030);
		add(scene.word);
		scene.done[0] = clock_ns();
		return;
	}
	at(2000);
	expected = 99;
	failures = 0;
	while (!__atomic_compare_exchange_n(scene.word, &expected, expected + 1, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		failures++;
		for (int i = 0; i < 3; i++)
			cpu_relax();
	}
	scene.done[1] = clock_ns();
}

/* CPU 1's first cmpxchg: data 2050, done 2060, line kept until 2080. */
static void
a_retry_at_once_succeeds_and_one_after_pause_fails_again(void **state)
{
	struct machine_spec spec = toy4;

	spec.hold_ps = 30 * NS;
	spec.pause_ps = 0;
	play(&spec, 2, guess_and_retry);
	assert_int_equal(failures, 1);
	assert_int_equal(scene.done[1], 2060 + 10);
	assert_int_equal(scene.done[0], 2080 + 50 + 10);

	/*
	 *	2080  the line leaves for CPU 0, whose addition is done at 2140
	 *	2090  CPU 1 retries: data at 2160 + 50, fails at 2220; line kept until 2240
	 *	2250  nobody else has asked: the second retry hits
	 */
	spec.pause_ps = 10 * NS;
	play(&spec, 2, guess_and_retry);
	assert_int_equal(failures, 2);
	assert_int_equal(scene.done[0], 2140);
	assert_int_equal(scene.done[1], 2220 + 30 + 10);
}

/* --- upgrades and the home rule --------------------------------------------------------------- */

/* CPU 0 writes, the others load, CPU 0 writes again. */
static void
share_and_write(void *arg)
{
	int cpu = *(int *)arg;

	at(1000 + 100 * cpu);
	if (cpu)
		load(scene.word);
	else
		add(scene.word);
	if (cpu)
		return;
	at(5000);
	add(scene.word);
	scene.done[0] = clock_ns();
}

static void
an_upgrade_across_sockets_costs_what_the_file_says(void **state)
{
	struct machine_spec spec = toy4;

	for (int transfers = 1; transfers <= 3; transfers++) {
		spec.upgrade_remote = transfers;
		/* The number of copies does not matter, but where they are. */
		play(&spec, 2, share_and_write);
		assert_int_equal(scene.done[0], 5000 + 50 + 10);
		play(&spec, 3, share_and_write);
		assert_int_equal(scene.done[0], 5000 + transfers * 100 + 10);
		play(&spec, 4, share_and_write);
		assert_int_equal(scene.done[0], 5000 + transfers * 100 + 10);
	}
}

/* Two clusters of two cores in each socket: CPUs 0 and 1, 2 and 3, then socket 1. */
static struct machine_spec
four_clusters(void)
{
	struct machine_spec spec = toy4;

	spec.clusters_per_socket = 2;
	return spec;
}

/* CPU 0 owns the line; CPU 1 is served first; CPU 0 of its cluster and CPU 2 of another wait. */
static void
wait_in_two_clusters(void *arg)
{
	static const u64 when[] = { 2010, 2000, 2020 };
	int cpu = *(int *)arg;

	if (cpu == 0) {
		at(1000);
		add(scene.word);
	}
	at(when[cpu]);
	take_and_tell(cpu);
	scene.done[cpu] = clock_ns();
}

/*
 * CPU 1's data is there at 2050, and the line leaves it at 2060. CPU 2's miss goes
 * through the line's home, and CPU 0's does once the line has left its cluster.
 */
static void
the_home_rule_has_two_groups_of_waiters(void **state)
{
	const int bound_first[] = { 1, 2, 0 };
	const int local_first[] = { 1, 0, 2 };
	struct machine_spec spec = four_clusters();

	spec.home_rule = true;
	spec.run_bound = 0;
	play(&spec, 3, wait_in_two_clusters);
	assert_order(bound_first, 3);
	assert_int_equal(scene.done[2], 2060 + 50 + 10);
	assert_int_equal(scene.done[0], 2120 + 50 + 10);

	/* Its home on the other socket: as far as that. */
	play_at_home(&spec, 3, 1, wait_in_two_clusters);
	assert_order(bound_first, 3);
	assert_int_equal(scene.done[2], 2060 + 100 + 10);
	assert_int_equal(scene.done[0], 2170 + 100 + 10);

	spec.run_bound = 2;
	play_at_home(&spec, 3, 1, wait_in_two_clusters);
	assert_order(local_first, 3);
	assert_int_equal(scene.done[0], 2060 + 50 + 10);
	assert_int_equal(scene.done[2], 2120 + 100 + 10);

	/* One queue for all still goes through the home. */
	spec.arbitration = ARBITRATE_FLAT_FIFO;
	play_at_home(&spec, 3, 1, wait_in_two_clusters);
	assert_order(local_first, 3);
	assert_int_equal(scene.done[0], 2060 + 50 + 10);
	assert_int_equal(scene.done[2], 2120 + 100 + 10);

	spec.home_rule = false;
	play_at_home(&spec, 3, 1, wait_in_two_clusters);
	assert_int_equal(scene.done[0], 2060 + 50 + 10);
	assert_int_equal(scene.done[2], 2120 + 50 + 10);
}

/* --- arbitration ------------------------------------------------------------------------------ */

/* CPU 0 owns the line; CPU 7 is served first, and the others ask in this order meanwhile. */
static void
ask_backwards(void *arg)
{
	int cpu = *(int *)arg;

	if (cpu == 0) {
		at(1000);
		add(scene.word);
		return;
	}
	at(2000 + 7 - cpu);
	take_and_tell(cpu);
}

static void
fifo_serves_a_cluster_in_order_of_arrival(void **state)
{
	const int expected[] = { 7, 6, 5, 4, 3, 2, 1 };
	struct machine_spec spec = toy4;

	spec.sockets = 1;
	spec.cores_per_cluster = 8;
	spec.arbitration = ARBITRATE_FIFO;
	play(&spec, 8, ask_backwards);
	assert_order(expected, 7);

	/* Off: somebody overtakes. */
	spec.arbitration = ARBITRATE_RANDOM;
	play(&spec, 8, ask_backwards);
	assert_int_equal(scene.count, 7);
	assert_memory_not_equal(scene.order, expected, sizeof(expected));
}

/*
 * CPU 0 owns the line and CPU 2 is served before the others have asked; from then on
 * both sockets always have somebody who waits.
 */
static void
storm(void *arg)
{
	static const u64 when[] = { 1000, 1002, 1001, 1003 };
	int cpu = *(int *)arg;

	at(when[cpu]);
	for (int i = 0; i < ORDER_MAX / 4; i++)
		take_and_tell(cpu);
}

/* How often the line went to the socket where it was, while all four were at it. */
static int
grants_in_a_row(enum arbitration arbitration, int run_bound)
{
	struct machine_spec spec = toy4;
	int again = 0;

	spec.arbitration = arbitration;
	spec.run_bound = run_bound;
	play(&spec, 4, storm);
	assert_int_equal(scene.count, ORDER_MAX);
	for (int i = 2; i < ORDER_MAX / 4; i++)
		again += scene.order[i] / 2 == scene.order[i - 1] / 2;
	return again;
}

static void
the_run_bound_makes_clusters_take_turns(void **state)
{
	/* One grant each, in turn. */
	assert_int_equal(grants_in_a_row(ARBITRATE_RANDOM, 1), 0);
	assert_int_equal(grants_in_a_row(ARBITRATE_FIFO, 1), 0);
	/* Off: nearest first, until nobody of the socket is left. */
	assert_int_equal(grants_in_a_row(ARBITRATE_RANDOM, 1000000), ORDER_MAX / 4 - 2);
	/* One queue: the run bound is nothing to it, and one of three others is near. */
	assert_in_range(grants_in_a_row(ARBITRATE_FLAT_RANDOM, 1), 1, ORDER_MAX / 4 - 3);
	assert_int_equal(grants_in_a_row(ARBITRATE_FLAT_RANDOM, 1),
			 grants_in_a_row(ARBITRATE_FLAT_RANDOM, 1000000));
}

/* --- stores and fences ------------------------------------------------------------------ */

static u64 after[4]; /* ns: CPU 1's clock after each step */

static void
store_twice_and_fence(void *arg)
{
	if (*(int *)arg == 0) {
		at(1000);
		add(scene.word);
		add(scene.other);
		return;
	}
	at(2000);
	store(scene.word, 5);
	after[0] = clock_ns();
	store(scene.other, 6);
	after[1] = clock_ns();
	smp_mb();
	after[2] = clock_ns();
	smp_mb();
	after[3] = clock_ns();
}

static void
a_full_store_buffer_stalls_and_a_fence_drains_it(void **state)
{
	struct machine_spec spec = toy4;

	/* Both lines are asked for at once: 2000 and 2001. */
	spec.fence_ps = 7 * NS;
	spec.store_buffer = 2;
	play(&spec, 2, store_twice_and_fence);
	assert_int_equal(after[0], 2001);
	assert_int_equal(after[1], 2002);
	assert_int_equal(after[2], 2051 + 7);
	assert_int_equal(after[3], 2058 + 7);

	/* One entry: it is free again when the first line is there. */
	spec.store_buffer = 1;
	play(&spec, 2, store_twice_and_fence);
	assert_int_equal(after[0], 2001);
	assert_int_equal(after[1], 2050 + 1);
	assert_int_equal(after[2], 2100 + 7);

	/* Off: each store waits for its own line, and a fence has nothing to drain. */
	spec.store_buffer = 0;
	spec.fence_ps = 0;
	play(&spec, 2, store_twice_and_fence);
	assert_int_equal(after[0], 2050 + 1);
	assert_int_equal(after[1], 2101 + 1);
	assert_int_equal(after[3], 2102);
}

/* --- hardware threads, think time -------------------------------------------------------- */

static struct task *sleeper;

/* CPUs 0 and 1 are threads of one core. CPU 1 sleeps from the end of its thinking on. */
static void
think_beside_a_sibling(void *arg)
{
	int cpu = *(int *)arg;
	u64 begun = clock_ns(); /* the same for both */

	if (cpu) {
		sleeper = current;
		runtime_work_ns(900);
		runtime_block();
		return;
	}
	runtime_work_ns(1000);
	scene.done[0] = clock_ns() - begun;
	runtime_work_ns(1000);
	scene.done[1] = clock_ns() - begun;
	runtime_unblock(sleeper);
}

static void
siblings_slow_each_others_thinking_while_both_execute(void **state)
{
	struct machine_spec spec = toy4;

	spec.sockets = 1;
	spec.cores_per_cluster = 1;
	spec.threads_per_core = 2;
	spec.smt_slowdown_percent = 170;
	play(&spec, 2, think_beside_a_sibling);
	assert_int_equal(scene.done[0], 1700);
	assert_int_equal(scene.done[1], 1700 + 1000);

	spec.smt_slowdown_percent = 100;
	play(&spec, 2, think_beside_a_sibling);
	assert_int_equal(scene.done[0], 1000);
	assert_int_equal(scene.done[1], 2000);
}

#define THOUGHTS 1000

static u64 thought_ps[2];

static void
think_often(void *arg)
{
	u64 begun = runtime_clock_ps();

	for (int i = 0; i < THOUGHTS; i++)
		runtime_work_ns(1000);
	thought_ps[*(int *)arg] = runtime_clock_ps() - begun;
}

/* The mean of a thousand exponential times is within 10 % of theirs, three standard errors. */
static void
think_time_varies_around_its_mean_and_differently_on_each_cpu(void **state)
{
	struct machine_spec spec = toy4;

	play(&spec, 2, think_often);
	assert_int_equal(thought_ps[0], THOUGHTS * 1000 * NS);
	assert_int_equal(thought_ps[1], THOUGHTS * 1000 * NS);

	spec.jitter = JITTER_EXPONENTIAL;
	play(&spec, 2, think_often);
	assert_int_not_equal(thought_ps[0], thought_ps[1]);
	for (int cpu = 0; cpu < 2; cpu++)
		assert_in_range(thought_ps[cpu], THOUGHTS * 900 * NS, THOUGHTS * 1100 * NS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_contended_line_costs_the_datas_way_and_the_hold),
		cmocka_unit_test(an_owner_keeps_the_line_for_its_hold_or_an_atomic),
		cmocka_unit_test(a_hold_is_spread_evenly_around_its_mean),
		cmocka_unit_test(a_retry_at_once_succeeds_and_one_after_pause_fails_again),
		cmocka_unit_test(an_upgrade_across_sockets_costs_what_the_file_says),
		cmocka_unit_test(the_home_rule_has_two_groups_of_waiters),
		cmocka_unit_test(fifo_serves_a_cluster_in_order_of_arrival),
		cmocka_unit_test(the_run_bound_makes_clusters_take_turns),
		cmocka_unit_test(a_full_store_buffer_stalls_and_a_fence_drains_it),
		cmocka_unit_test(siblings_slow_each_others_thinking_while_both_execute),
		cmocka_unit_test(think_time_varies_around_its_mean_and_differently_on_each_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
