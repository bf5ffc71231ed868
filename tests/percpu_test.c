/*
 * percpu_test.c - where per-CPU data lies, and whose it is
 */
#include "tests/harness.h"

#include <stdlib.h>

#include "machine/names.h"
#include "machine/percpu.h"
#include "machine/shared/arena_map.h"

#define TASKS 4

static struct percpu counter;

static void
boot(void)
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = TASKS };

	harness_boot(&options);
}

static void
areas_are_zeroed_lines_on_the_cpus_node(void **state)
{
	struct percpu byte;
	struct percpu line;
	int cpu;

	boot();
	byte = alloc_percpu("byte", 1, 1);
	line = alloc_percpu("line", CACHE_LINE, CACHE_LINE);
	assert_true(line.offset > byte.offset);
	assert_int_equal(line.offset % CACHE_LINE, 0);
	for_each_cpu (cpu) {
		const char *data = per_cpu_ptr(line, cpu);

		assert_int_equal((uintptr_t)data % CACHE_LINE, 0);
		assert_int_equal(arena_home(data), cpu_to_node(cpu));
		for (int i = 0; i < CACHE_LINE; i++)
			assert_int_equal(data[i], 0);
	}
	harness_shutdown();
}

static void
no_two_cpus_share_a_line(void **state)
{
	boot();
	for (int a = 0; a < nr_cpu_ids; a++)
		for (int b = 0; b < a; b++)
			assert_true(labs(runtime_percpu_base[a] - runtime_percpu_base[b]) >=
				    PERCPU_BYTES);
	harness_shutdown();
}

static void
count(void *arg)
{
	u64 *mine = this_cpu_ptr(counter);

	for (int i = 0; i < 1000; i++)
		(*mine)++;
}

static void
each_task_has_its_own_copy(void **state)
{
	u64 sum = 0;
	int cpu;

	boot();
	counter = alloc_percpu("counter", sizeof(u64), sizeof(u64));
	harness_run(TASKS, count, NULL);
	for_each_cpu (cpu) {
		const u64 *value = per_cpu_ptr(counter, cpu);

		assert_true(*value == 0 || *value == 1000);
		sum += *value;
	}
	assert_int_equal(sum, 1000 * TASKS);
	harness_shutdown();
}

/* 40 bytes into the second piece: not the byte before it, and not the same on CPU 0. */
static void
a_piece_is_called_by_its_name_and_cpu(void **state)
{
	struct object_name name = { 0 };
	struct percpu piece;
	char *data;

	boot();
	alloc_percpu("byte", 1, 1);
	piece = alloc_percpu("numbers", 100, CACHE_LINE);
	data = per_cpu_ptr(piece, 1);
	assert_true(name_of(data + 40, &name));
	assert_string_equal(name.name, "per-CPU numbers of CPU 1");
	assert_ptr_equal(name.start, data);
	assert_false(name_of(data + 100, &name));
	harness_shutdown();
}

static void
scenario_too_much(void)
{
	boot();
	alloc_percpu("everything", PERCPU_BYTES, CACHE_LINE);
}

static void
running_out_of_the_area_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_too_much, VERDICT_BUG, "bytes asked for"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas_are_zeroed_lines_on_the_cpus_node),
		cmocka_unit_test(no_two_cpus_share_a_line),
		cmocka_unit_test(each_task_has_its_own_copy),
		cmocka_unit_test(a_piece_is_called_by_its_name_and_cpu),
		cmocka_unit_test(running_out_of_the_area_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
