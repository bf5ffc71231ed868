/*
 * virtual_timing_test.c - what the coherence model charges, on toy-4, by hand
 *
 * toy-4: CPUs 0 and 1 on socket 0, CPUs 2 and 3 on socket 1. Hit 1 ns, atomic
 * 10, PAUSE 10, transfer 50 inside a socket and 100 across, hold 10, an upgrade
 * across sockets two transfers; no jitter, no memory latency, strict order.
 * Every scene starts its CPUs at given times with at().
 */
#include "tests/scene.h"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/measure.h"
#include "machine/policy.h"
#include "machine/rawline.h"

/* What the tasks of one scene share; the words are on lines of their own. */
static struct {
	u64 *word;
	u64 *other;
	u64 done[4];		/* ns, per CPU */
	u64 seen[4];
	int order[8];		/* CPUs in the order in which they got the line */
	int count;
	struct measurement measured;
} scene;

/* Run @body on CPUs 0 .. @tasks - 1 of @spec (NULL: toy-4); it finds out which it is. */
static void
play(const struct machine_spec *spec, int tasks, void (*body)(void *arg))
{
	scene.count = 0;
	harness_boot(&(struct harness){ .spec = spec, .no_pagecache = true });
	scene.word = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	scene.other = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	*scene.word = 0;
	*scene.other = 0;
	harness_run(tasks, body, NULL);
	arena_free(scene.word, CACHE_LINE);
	arena_free(scene.other, CACHE_LINE);
	harness_shutdown();
}

/* --- one transfer ----------------------------------------------------------- */

static void
three_owners(void *arg)
{
	int cpu = smp_processor_id();

	at(1000 * (cpu + 1));
	add(scene.word);
	scene.done[cpu] = clock_ns();
	add(scene.word);
	scene.seen[cpu] = clock_ns();
}

static void
an_rfo_costs_the_published_transfer_and_a_hit_nothing_more(void **state)
{
	play(NULL, 3, three_owners);
	assert_int_equal(scene.done[0], 1010);
	assert_int_equal(scene.done[1], 2000 + 50 + 10);
	assert_int_equal(scene.done[2], 3000 + 100 + 10);
	for (int cpu = 0; cpu < 3; cpu++)
		assert_int_equal(scene.seen[cpu], scene.done[cpu] + 10);
}

static void
ping_pong(void *arg)
{
	int cpu = smp_processor_id();

	at(cpu ? 1500 : 1000);
	for (int i = 0; i < 10; i++) {
		while (load(scene.word) % 2 != (u64)cpu)
			runtime_wait_line(scene.word);
		add(scene.word);
	}
	scene.done[cpu] = clock_ns();
}

/*
 *	1001  CPU 0 has seen 0, adds (1011), sees 1 (1012) and parks
 *	1500  CPU 1 loads: data 1550, seen 1551
 *	1551  CPU 1 upgrades: data 1601, done 1611. CPU 0's spinner wakes at 1551;
 *	      its load is served after the hold at 1611, data 1661, seen 1662
 *	1662  CPU 0 upgrades, and so on: two transfers, a hold and a hit a turn
 */
static void
a_ping_pong_turn_is_two_transfers_a_hold_and_a_hit(void **state)
{
	const u64 turn = 50 + 50 + 10 + 1;

	play(NULL, 2, ping_pong);
	assert_int_equal(scene.done[1], 1611 + 9 * 2 * turn);
	assert_int_equal(scene.done[0], 1611 + turn + 8 * 2 * turn);
}

/* --- loads, upgrades ---------------------------------------------------------- */

static void
get_by_cmpxchg_or_add(void *arg)
{
	static u64 old; /* not on the stack, where it would cost hits of its own */

	if (smp_processor_id() == 0) {
		at(1000);
		add(scene.word);
		add(scene.other);
		return;
	}
	at(2000);
	measure_begin();
	old = load(scene.word);
	assert_true(__atomic_compare_exchange_n(scene.word, &old, old + 1, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED));
	measure_end(&scene.measured);
	scene.done[0] = clock_ns();
	scene.seen[0] = scene.measured.transactions;
	at(3000);
	measure_begin();
	add(scene.other);
	measure_end(&scene.measured);
	scene.done[1] = clock_ns();
	scene.seen[1] = scene.measured.transactions;
}

static void
load_and_cmpxchg_are_two_transactions_and_fetch_add_is_one(void **state)
{
	play(NULL, 2, get_by_cmpxchg_or_add);
	assert_int_equal(scene.seen[0], 2);
	assert_int_equal(scene.done[0], 2000 + (50 + 1) + (50 + 10));
	assert_int_equal(scene.seen[1], 1);
	assert_int_equal(scene.done[1], 3000 + (50 + 10));
	assert_int_equal(scene.measured.events[EVENT_CMPXCHG], 0);
}

static int sharers;

/* CPU 0 writes, CPUs 1 .. sharers load, CPU 0 upgrades. */
static void
share_and_upgrade(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(scene.word);
		at(5000);
		add(scene.word);
		scene.done[0] = clock_ns();
	} else if (cpu <= sharers) {
		at(1000 + 1000 * cpu);
		load(scene.word);
		scene.done[cpu] = clock_ns();
	}
}

static void
an_upgrade_goes_to_the_farthest_sharer_and_twice_across_sockets(void **state)
{
	sharers = 1;
	play(NULL, 4, share_and_upgrade);
	assert_int_equal(scene.done[1], 2000 + 50 + 1);
	assert_int_equal(scene.done[0], 5000 + 50 + 10);

	sharers = 3;
	play(NULL, 4, share_and_upgrade);
	assert_int_equal(scene.done[2], 3000 + 100 + 1);
	/* CPU 3 finds a copy in its own socket. */
	assert_int_equal(scene.done[3], 4000 + 50 + 1);
	assert_int_equal(scene.done[0], 5000 + 2 * 100 + 10);
}

/* --- the hold window ------------------------------------------------------------ */

static bool pause_first;

/* CPU 0 owns the line; CPU 1 takes it at 2000 and again; CPU 0 asks at 2030. */
static void
take_twice(void *arg)
{
	if (smp_processor_id() == 0) {
		at(1000);
		add(scene.word);
		at(2030);
		add(scene.word);
		scene.done[0] = clock_ns();
		return;
	}
	at(2000);
	add(scene.word);
	assert_int_equal(clock_ns(), 2060);
	if (pause_first)
		for (int i = 0; i < 3; i++)
			cpu_relax();
	add(scene.word);
	scene.done[1] = clock_ns();
}

static void
a_retry_within_the_hold_window_wins_and_one_after_pause_queues(void **state)
{
	struct machine_spec spec = toy4;

	spec.hold_ps = 30 * NS;
	pause_first = false;
	play(&spec, 2, take_twice);
	assert_int_equal(scene.done[1], 2070);
	/* Data to CPU 1 at 2050, kept until 2080. */
	assert_int_equal(scene.done[0], 2080 + 50 + 10);

	pause_first = true;
	play(&spec, 2, take_twice);
	assert_int_equal(scene.done[0], 2080 + 50 + 10);
	/* Asked at 2090; data to CPU 0 at 2130, kept until 2160. */
	assert_int_equal(scene.done[1], 2160 + 50 + 10);
}

static enum on_fail on_fail;

/* CPU 0 asks for the line at 2040, between CPU 1's load (data at 2050) and its cmpxchg. */
static void
lose_once(void *arg)
{
	if (smp_processor_id() == 0) {
		at(1000);
		add(scene.word);
		at(2040);
		add(scene.word);
		return;
	}
	at(2000);
	assert_int_equal(raw_cas_loop(scene.word, 1, on_fail), 1);
	scene.done[1] = clock_ns();
}

static u64
end_of_retry(enum on_fail step, int policy)
{
	policy_value[POLICY_cas_retry] = policy;
	on_fail = step;
	play(NULL, 2, lose_once);
	return scene.done[1];
}

/* Nobody else waits, so the second cmpxchg hits: a PAUSE of 10 ns is all the difference. */
static void
a_failed_cas_loop_pauses_as_its_step_or_the_policy_says(void **state)
{
	u64 at_once = end_of_retry(ON_FAIL_POLICY, cas_retry_at_once);

	assert_int_equal(end_of_retry(ON_FAIL_POLICY, cas_retry_pause), at_once + 10);
	assert_int_equal(end_of_retry(ON_FAIL_RETRY, cas_retry_pause), at_once);
	assert_int_equal(end_of_retry(ON_FAIL_PAUSE, cas_retry_at_once), at_once + 10);
}

static void
half_the_transfer_is_the_request_and_overlaps_with_the_one_before(void **state)
{
	struct machine_spec spec = toy4;

	spec.request_share_percent = 50;
	pause_first = false;
	spec.hold_ps = 30 * NS;
	play(&spec, 2, take_twice);
	assert_int_equal(scene.done[1], 2070);
	assert_int_equal(scene.done[0], 2080 + 25 + 10);
}

/* --- arbitration ------------------------------------------------------------------ */

static void
take_and_tell(u64 when)
{
	at(when);
	add(scene.word);
	scene.order[scene.count++] = smp_processor_id();
}

/* CPU 1 is served first; 0, 2 and 3 queue meanwhile. */
static void
queue_up(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(scene.word);
	}
	take_and_tell(cpu == 1 ? 2000 : 2010 + cpu);
}

static void
a_cluster_owns_at_most_run_bound_times_while_another_waits(void **state)
{
	struct machine_spec spec = toy4;

	play(&spec, 4, queue_up);
	assert_int_equal(scene.order[0], 1);
	assert_int_equal(scene.order[1] / 2, 1);
	assert_int_equal(scene.order[2], 0);
	assert_int_equal(scene.order[3] / 2, 1);

	spec.run_bound = 2;
	play(&spec, 4, queue_up);
	assert_int_equal(scene.order[0], 1);
	assert_int_equal(scene.order[1], 0);
	assert_int_equal(scene.order[2] / 2, 1);
	assert_int_equal(scene.order[3] / 2, 1);
}

static bool copies_first;

/* The line is on its way to CPU 1 when CPU 3 asks for it, and then CPU 0 once more. */
static void
follow_a_neighbour(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(scene.word);
		take_and_tell(2010);
	} else if (cpu == 1) {
		at(2000);
		if (copies_first)
			load(scene.word);
		else
			add(scene.word);
	} else if (cpu == 3) {
		take_and_tell(2005);
	}
}

static void
copies_do_not_count_against_the_run_bound(void **state)
{
	copies_first = false;
	play(NULL, 4, follow_a_neighbour);
	assert_int_equal(scene.order[0], 3);
	assert_int_equal(scene.order[1], 0);

	copies_first = true;
	play(NULL, 4, follow_a_neighbour);
	assert_int_equal(scene.order[0], 0);
	assert_int_equal(scene.order[1], 3);
}

static void
flat_fifo_serves_in_order_of_arrival(void **state)
{
	struct machine_spec spec = toy4;
	const int expected[] = { 1, 0, 2, 3 };

	spec.arbitration = ARBITRATE_FLAT_FIFO;
	play(&spec, 4, queue_up);
	for (int i = 0; i < 4; i++)
		assert_int_equal(scene.order[i], expected[i]);
}

/* --- the home rule ------------------------------------------------------------------ */

static void
move_inside_socket_0(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu > 1)
		return;
	at(1000 * (cpu + 1));
	add(scene.word);
	scene.done[cpu] = clock_ns();
}

/* One core per cluster, so that CPU 1's miss leaves its cluster. Home: node 0 or 1. */
static u64
move_with_home(int node)
{
	struct machine_spec spec = toy4;

	spec.clusters_per_socket = 2;
	spec.cores_per_cluster = 1;
	spec.home_rule = true;
	spec.run_bound = 0;
	harness_boot(&(struct harness){ .spec = &spec, .no_pagecache = true });
	scene.word = arena_alloc(CACHE_LINE, CACHE_LINE, node);
	harness_run(4, move_inside_socket_0, NULL);
	arena_free(scene.word, CACHE_LINE);
	harness_shutdown();
	return scene.done[1];
}

static void
with_the_home_rule_a_miss_is_as_far_as_its_lines_home(void **state)
{
	assert_int_equal(move_with_home(0), 2000 + 50 + 10);
	assert_int_equal(move_with_home(1), 2000 + 100 + 10);
}

/* --- stores, spinners ------------------------------------------------------------------ */

static void
store_then_atomic(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(scene.word);
		at(2010);
		scene.seen[0] = load(scene.word);
		scene.done[0] = clock_ns();
		return;
	}
	at(1500);
	add(scene.other);
	at(2000);
	__atomic_store_n(scene.word, 7, __ATOMIC_RELAXED);
	scene.seen[1] = clock_ns();
	add(scene.other);
	scene.done[1] = clock_ns();
}

/* Store: line asked for at 2000, there at 2050, kept until 2060. */
static void
a_store_does_not_stall_but_others_and_atomics_wait_for_its_line(void **state)
{
	play(NULL, 2, store_then_atomic);
	assert_int_equal(scene.seen[1], 2001);
	assert_int_equal(scene.done[1], 2050 + 10);
	assert_int_equal(scene.seen[0], 7);
	assert_int_equal(scene.done[0], 2060 + 50 + 1);
}

static void
without_a_store_buffer_a_store_stalls(void **state)
{
	struct machine_spec spec = toy4;

	spec.store_buffer = 0;
	play(&spec, 2, store_then_atomic);
	assert_int_equal(scene.seen[1], 2000 + 50 + 1);
	assert_int_equal(scene.done[1], 2051 + 10);
}

/* CPUs 1 and 2 spin on the line that CPU 0 writes at 3000. */
static void
spin_for_a_write(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(3000);
		add(scene.word);
	} else {
		at(1000 * cpu);
		smp_cond_load_relaxed(scene.word, VAL);
	}
	scene.done[cpu] = clock_ns();
}

/*
 * A copy on the other socket costs CPU 0 two transfers: data 3200, hold until
 * 3210. Both spinners ask
 * again at 3000; CPU 2, of the socket whose turn it is not, has to wait or not by
 * the run bound: CPU 0's grant began a run in socket 0, so CPU 2 is first.
 *
 *	CPU 2: leaves 3210, data 3310, seen 3311
 *	CPU 1: a copy: leaves 3310, data from CPU 0's socket, 3360, seen 3361
 */
static void
parked_spinners_wake_with_the_write_and_each_pays_its_load(void **state)
{
	play(NULL, 3, spin_for_a_write);
	assert_int_equal(scene.done[0], 3000 + 200 + 10);
	assert_int_equal(scene.done[2], 3311);
	assert_int_equal(scene.done[1], 3361);
}

/* --- sleeping ---------------------------------------------------------------------------- */

static struct task *sleeper;
static u64 wake_when;

static void
sleep_and_wake(void *arg)
{
	if (smp_processor_id() == 0) {
		sleeper = current;
		at(1000);
		runtime_block();
		scene.done[0] = clock_ns();
		return;
	}
	at(wake_when);
	runtime_unblock(sleeper);
	scene.done[1] = clock_ns();
}

static void
waking_costs_the_waker_and_the_woken_their_share(void **state)
{
	struct machine_spec spec = toy4;

	spec.cost_ps[COST_wake] = 100 * NS;
	spec.cost_ps[COST_wake_latency] = 200 * NS;
	spec.cost_ps[COST_idle_enter] = 500 * NS;
	wake_when = 3000;
	play(&spec, 2, sleep_and_wake);
	assert_int_equal(scene.done[1], 3100);
	assert_int_equal(scene.done[0], 3300);

	/* The sleeper is on its way until 1500. */
	wake_when = 1010;
	play(&spec, 2, sleep_and_wake);
	assert_int_equal(scene.done[1], 1110);
	assert_int_equal(scene.done[0], 1700);

	/* A wake-up before the sleep is not lost. */
	wake_when = 900;
	play(&spec, 2, sleep_and_wake);
	assert_int_equal(scene.done[1], 900);
	assert_int_equal(scene.done[0], 1000);
}

/* --- hardware threads ------------------------------------------------------------------------ */

static void
think_beside_a_sibling(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(scene.word);
		runtime_work_ns(1000);
		scene.done[0] = clock_ns();
	} else if (cpu == 1) {
		/* The second thread of core 0 shares its cache. */
		at(1500);
		add(scene.word);
		scene.done[1] = clock_ns();
	}
}

static void
siblings_share_a_cache_and_slow_each_other(void **state)
{
	struct machine_spec spec = toy4;

	spec.cores_per_cluster = 1;
	spec.sockets = 1;
	spec.threads_per_core = 2;
	play(&spec, 2, think_beside_a_sibling);
	assert_int_equal(scene.done[0], 2010);
	assert_int_equal(scene.done[1], 1510);
}

/*
 * Threads of a core, CPUs 0 and 1; 7 ns from one to the other.
 *
 *	1000  CPU 0 adds: 1010				2000  CPU 1 adds: 7 + 10
 *	3000  CPU 0 loads what CPU 1 wrote: 7 + 1; again: 1
 *	4000  CPU 1 adds: CPU 0 has read it, so 7 + 10: 4017
 *	4005  CPU 0 adds: after that, 4017 + 7 + 10
 */
static void
hand_to_a_sibling(void *arg)
{
	if (smp_processor_id() == 0) {
		at(1000);
		add(scene.word);
		at(3000);
		load(scene.word);
		scene.seen[0] = clock_ns();
		load(scene.word);
		scene.seen[1] = clock_ns();
		at(4005);
		add(scene.word);
		scene.done[0] = clock_ns();
	} else {
		at(2000);
		add(scene.word);
		scene.seen[2] = clock_ns();
		at(4000);
		add(scene.word);
		scene.done[1] = clock_ns();
	}
}

static void
siblings_hand_over_what_one_of_them_writes(void **state)
{
	struct machine_spec spec = toy4;

	spec.cores_per_cluster = 1;
	spec.sockets = 1;
	spec.threads_per_core = 2;
	spec.transfer_ps[DISTANCE_SMT] = 7 * NS;
	play(&spec, 2, hand_to_a_sibling);
	assert_int_equal(scene.seen[2], 2017);
	assert_int_equal(scene.seen[0], 3008);
	assert_int_equal(scene.seen[1], 3009);
	assert_int_equal(scene.done[1], 4017);
	assert_int_equal(scene.done[0], 4034);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_rfo_costs_the_published_transfer_and_a_hit_nothing_more),
		cmocka_unit_test(a_ping_pong_turn_is_two_transfers_a_hold_and_a_hit),
		cmocka_unit_test(load_and_cmpxchg_are_two_transactions_and_fetch_add_is_one),
		cmocka_unit_test(an_upgrade_goes_to_the_farthest_sharer_and_twice_across_sockets),
		cmocka_unit_test(a_retry_within_the_hold_window_wins_and_one_after_pause_queues),
		cmocka_unit_test(a_failed_cas_loop_pauses_as_its_step_or_the_policy_says),
		cmocka_unit_test(half_the_transfer_is_the_request_and_overlaps_with_the_one_before),
		cmocka_unit_test(a_cluster_owns_at_most_run_bound_times_while_another_waits),
		cmocka_unit_test(copies_do_not_count_against_the_run_bound),
		cmocka_unit_test(flat_fifo_serves_in_order_of_arrival),
		cmocka_unit_test(with_the_home_rule_a_miss_is_as_far_as_its_lines_home),
		cmocka_unit_test(a_store_does_not_stall_but_others_and_atomics_wait_for_its_line),
		cmocka_unit_test(without_a_store_buffer_a_store_stalls),
		cmocka_unit_test(parked_spinners_wake_with_the_write_and_each_pays_its_load),
		cmocka_unit_test(waking_costs_the_waker_and_the_woken_their_share),
		cmocka_unit_test(siblings_share_a_cache_and_slow_each_other),
		cmocka_unit_test(siblings_hand_over_what_one_of_them_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
