/*
 * virtual_protocol_test.c - where a line comes from, by protocol, on toy-4
 *
 * As virtual_timing_test.c: CPUs 0 and 1 on socket 0, 2 and 3 on socket 1; hit
 * 1 ns, atomic 10, transfer 50 inside a socket and 100 across.
 */
#include "tests/scene.h"

#include "machine/arena.h"

static struct {
	u64 *word;		/* two lines, a pair of 128 bytes, home on node 0 */
	u64 done[4];		/* ns, per CPU */
} scene;

static void
play(const struct machine_spec *spec, void (*body)(void *arg))
{
	harness_boot(&(struct harness){ .spec = spec, .no_pagecache = true });
	scene.word = arena_alloc(2 * CACHE_LINE, 2 * CACHE_LINE, 0);
	scene.word[0] = 0;
	scene.word[8] = 0;
	harness_run(4, body, NULL);
	arena_free(scene.word, 2 * CACHE_LINE);
	harness_shutdown();
}

/* --- copies ------------------------------------------------------------------------ */

/* CPUs 0 and 2, one of each socket, have copies; 1 and 3 ask for theirs together. */
static void
copy_twice(void *arg)
{
	static const u64 start[] = { 1000, 3000, 2000, 3000 };
	int cpu = smp_processor_id();

	at(start[cpu]);
	load(scene.word);
	scene.done[cpu] = clock_ns();
}

static void
copies_leave_one_after_the_other_and_travel_together(void **state)
{
	struct machine_spec spec = toy4;

	play(&spec, copy_twice);
	assert_int_equal(scene.done[1], 3000 + 50 + 1);
	assert_int_equal(scene.done[3], 3000 + 50 + 1);

	spec.copy_occupancy_ps = 20 * NS;
	play(&spec, copy_twice);
	assert_int_equal(scene.done[1], 3000 + 50 + 1);
	assert_int_equal(scene.done[3], 3000 + 20 + 50 + 1);
}

/* --- memory ------------------------------------------------------------------------ */

static void
touch_first(void *arg)
{
	int cpu = smp_processor_id();

	at(1000);
	if (cpu == 0)
		load(&scene.word[0]);
	if (cpu == 2)
		load(&scene.word[8]);
	scene.done[cpu] = clock_ns();
}

static void
the_first_touch_comes_from_memory_at_the_lines_home(void **state)
{
	struct machine_spec spec = toy4;

	spec.dram_local_ps = 80 * NS;
	spec.dram_remote_ps = 130 * NS;
	play(&spec, touch_first);
	assert_int_equal(scene.done[0], 1000 + 80 + 1);
	assert_int_equal(scene.done[2], 1000 + 130 + 1);
}

/* --- copies ------------------------------------------------------------------------- */

/* CPU 3 writes; CPU 0 loads from it; CPU 1 and then CPU 2 find copies. */
static void
write_and_load(void *arg)
{
	static const u64 when[] = { 2000, 3000, 4000, 1000 };
	int cpu = smp_processor_id();

	at(when[cpu]);
	if (cpu == 3)
		add(scene.word);
	else
		load(scene.word);
	scene.done[cpu] = clock_ns();
}

static void
mesif_takes_a_copy_from_the_nearest_holder(void **state)
{
	play(NULL, write_and_load);
	assert_int_equal(scene.done[0], 2000 + 100 + 1);
	assert_int_equal(scene.done[1], 3000 + 50 + 1);
	assert_int_equal(scene.done[2], 4000 + 50 + 1);
}

/* One core per cluster, so that CPU 1 has no copy in its own: the owner, CPU 3, answers it. */
static void
moesi_takes_a_copy_from_the_owner(void **state)
{
	struct machine_spec spec = toy4;

	spec.protocol = PROTOCOL_MOESI;
	spec.clusters_per_socket = 2;
	spec.cores_per_cluster = 1;
	play(&spec, write_and_load);
	assert_int_equal(scene.done[0], 2000 + 100 + 1);
	assert_int_equal(scene.done[1], 3000 + 100 + 1);
	assert_int_equal(scene.done[2], 4000 + 50 + 1);
}

/* CPU 3 wrote and CPU 2 has a copy: CPU 0, of the other socket, is answered by memory. */
static void
write_and_load_across(void *arg)
{
	static const u64 when[] = { 3000, 4000, 2000, 1000 };
	int cpu = smp_processor_id();

	at(when[cpu]);
	if (cpu == 3)
		add(scene.word);
	else
		load(scene.word);
	scene.done[cpu] = clock_ns();
}

static void
mesi_takes_a_copy_of_another_socket_from_memory(void **state)
{
	struct machine_spec spec = toy4;

	spec.protocol = PROTOCOL_MESI;
	spec.dram_local_ps = 80 * NS;
	spec.dram_remote_ps = 130 * NS;
	play(&spec, write_and_load_across);
	assert_int_equal(scene.done[2], 2000 + 50 + 1);
	assert_int_equal(scene.done[0], 3000 + 80 + 1);
	assert_int_equal(scene.done[1], 4000 + 50 + 1);
}

/* --- a failed cmpxchg ------------------------------------------------------------------ */

static void
fail_to_exchange(void *arg)
{
	static u64 expected;
	int cpu = smp_processor_id();

	expected = 99;
	if (cpu == 0) {
		at(1000);
		add(scene.word);
		at(3000);
		add(scene.word);
		scene.done[0] = clock_ns();
	} else if (cpu == 1) {
		at(2000);
		assert_false(__atomic_compare_exchange_n(scene.word, &expected, 5, false,
							 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
		scene.done[1] = clock_ns();
	}
}

static void
a_failed_cmpxchg_takes_the_line_or_only_a_copy(void **state)
{
	struct machine_spec spec = toy4;

	play(&spec, fail_to_exchange);
	assert_int_equal(scene.done[1], 2000 + 50 + 10);
	assert_int_equal(scene.done[0], 3000 + 50 + 10);

	/* As a load: a hit's time, and CPU 0 keeps a copy but has to upgrade it all the same. */
	spec.failed_cas_writes = false;
	play(&spec, fail_to_exchange);
	assert_int_equal(scene.done[1], 2000 + 50 + 1);
	assert_int_equal(scene.done[0], 3000 + 50 + 10);
}

/* --- pairs of lines --------------------------------------------------------------------- */

/* CPU 0 owns both lines of a pair; CPU 1 takes the first; CPU 0 writes the second. */
static void
take_one_of_a_pair(void *arg)
{
	int cpu = smp_processor_id();

	if (cpu == 0) {
		at(1000);
		add(&scene.word[0]);
		add(&scene.word[8]);
		at(3000);
		add(&scene.word[8]);
		scene.done[0] = clock_ns();
	} else if (cpu == 1) {
		at(2000);
		add(&scene.word[0]);
	}
}

static void
the_adjacent_line_prefetch_makes_128_bytes_share(void **state)
{
	struct machine_spec spec = toy4;

	play(&spec, take_one_of_a_pair);
	assert_int_equal(scene.done[0], 3000 + 10);
	spec.adjacent_line_prefetch = true;
	play(&spec, take_one_of_a_pair);
	assert_int_equal(scene.done[0], 3000 + 50 + 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_leave_one_after_the_other_and_travel_together),
		cmocka_unit_test(the_first_touch_comes_from_memory_at_the_lines_home),
		cmocka_unit_test(mesif_takes_a_copy_from_the_nearest_holder),
		cmocka_unit_test(moesi_takes_a_copy_from_the_owner),
		cmocka_unit_test(mesi_takes_a_copy_of_another_socket_from_memory),
		cmocka_unit_test(a_failed_cmpxchg_takes_the_line_or_only_a_copy),
		cmocka_unit_test(the_adjacent_line_prefetch_makes_128_bytes_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
