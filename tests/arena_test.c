/*
 * arena_test.c - where things lie in the arena, and that it is the same in every run
 */
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/arena.h"
#include "machine/names.h"
#include "machine/random.h"
#include "machine/rawline.h"
#include "machine/shared/arena_map.h"
#include "machine/task.h"

#define SLOTS 64
#define STEPS 20000

static void
boot(void)
{
	struct harness options = { .no_pagecache = true, .races = true };

	harness_boot(&options);
}

static void
objects_lie_on_their_node(void **state)
{
	boot();
	for (int node = 0; node < nr_node_ids; node++) {
		void *object = arena_alloc(200, 1, node);

		assert_true(arena_contains(object));
		assert_int_equal(arena_home(object), node);
		assert_int_equal(arena_node(object), node);
		assert_int_equal((uintptr_t)object % CACHE_LINE, 0);
		arena_free(object, 200);
	}
	assert_false(arena_contains(state));
	harness_shutdown();
}

static void
bytes_in_use_are_the_ones_asked_for(void **state)
{
	size_t before;
	void *a;
	void *b;

	boot();
	before = arena_bytes_in_use();
	a = arena_alloc(100, 1, 0);
	b = arena_alloc(5000, 64, 0);
	assert_int_equal(arena_bytes_in_use() - before, 5100);
	arena_free(a, 100);
	arena_free(b, 5000);
	assert_int_equal(arena_bytes_in_use(), before);
	harness_shutdown();
}

static void
mappings_are_zeroed_pages_on_their_node(void **state)
{
	char *map;
	char *next;

	boot();
	map = arena_map(3 * ARENA_PAGE + 1, nr_node_ids - 1);
	next = arena_map(1, 0);
	assert_int_equal((uintptr_t)map % ARENA_PAGE, 0);
	assert_int_equal(next - map, 4 * ARENA_PAGE);
	assert_int_equal(arena_home(map + 4 * ARENA_PAGE - 1), nr_node_ids - 1);
	for (size_t i = 0; i < 4 * ARENA_PAGE; i++)
		assert_int_equal(map[i], 0);
	arena_set_home(map + ARENA_PAGE, ARENA_PAGE, 0);
	assert_int_equal(arena_home(map + ARENA_PAGE), 0);
	assert_int_equal(arena_home(map + 2 * ARENA_PAGE), nr_node_ids - 1);
	harness_shutdown();
}

/* Allocate and free in a random order; fold every offset into one number. */
static u64
walk(void)
{
	struct random_stream stream;
	struct {
		void *object;
		size_t size;
	} slots[SLOTS] = { 0 };
	u64 folded = 0;

	random_init(&stream, 1, "arena walk");
	for (int step = 0; step < STEPS; step++) {
		u64 i = random_below(&stream, SLOTS);

		if (slots[i].object) {
			arena_free(slots[i].object, slots[i].size);
			slots[i].object = NULL;
			continue;
		}
		slots[i].size = 1 + random_below(&stream, 1ull << random_below(&stream, 17));
		slots[i].object = __arena_alloc(slots[i].size, 1,
						random_below(&stream, nr_node_ids));
		folded = folded * 31 + arena_offset(slots[i].object);
	}
	for (int i = 0; i < SLOTS; i++)
		if (slots[i].object)
			arena_free(slots[i].object, slots[i].size);
	return folded;
}

/* The walk in a process of its own, whose memory was shifted by @shift bytes before. */
static u64
walk_in_child(size_t shift)
{
	u64 folded = 0;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	if (!fork()) {
		void *volatile before = malloc(shift);

		boot();
		folded = walk();
		harness_shutdown();
		free(before);
		_exit(write(fds[1], &folded, sizeof(folded)) != sizeof(folded));
	}
	assert_int_equal(read(fds[0], &folded, sizeof(folded)), sizeof(folded));
	wait(NULL);
	close(fds[0]);
	close(fds[1]);
	return folded;
}

static void
equal_calls_give_equal_offsets(void **state)
{
	u64 first = walk_in_child(1);

	assert_true(first != 0);
	for (size_t shift = 100; shift < 10000000; shift *= 100)
		assert_true(walk_in_child(shift) == first);
}

static void
scenario_leak(void)
{
	boot();
	arena_alloc(128, 64, 0);
	harness_shutdown();
}

static void
what_is_left_at_shutdown_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(scenario_leak, VERDICT_BUG,
					 "128 bytes of the arena leaked"));
}

static void
use_raw_line(void *arg)
{
	u64 *line = raw_line_create(0, "ref");
	struct object_name name;

	BUG_ON(raw_load(line), "a new line holds %llu", (unsigned long long)*line);
	raw_store(line, 5);
	BUG_ON(raw_fetch_add(line, 2) != 5, "fetch_add");
	BUG_ON(raw_cmpxchg(line, 5, 9), "cmpxchg took a wrong value for right");
	BUG_ON(!raw_cmpxchg(line, 7, 9), "cmpxchg");
	BUG_ON(raw_cas_loop(line, 1, ON_FAIL_PAUSE), "failed without a rival");
	BUG_ON(raw_load(line) != 10, "%llu", (unsigned long long)raw_load(line));
	BUG_ON(!name_of(line, &name) || strcmp(name.name, "line ref"), "no name");
	raw_line_destroy(line);
}

static void
a_raw_line_is_a_word_with_a_name(void **state)
{
	boot();
	harness_run(1, use_raw_line, NULL);
	harness_shutdown();
}

#ifdef POISON
static void
poison_covers_exactly_its_bytes(void **state)
{
	char *object;

	boot();
	object = arena_alloc(256, 64, 0);
	arena_poison(object + 60, 70, "freed");
	assert_false(arena_is_poisoned(object + 52, 8));
	assert_true(arena_is_poisoned(object + 53, 8));
	assert_true(arena_is_poisoned(object + 129, 1));
	assert_false(arena_is_poisoned(object + 130, 64));
	assert_string_equal(arena_poison_what(object + 100), "freed");
	arena_unpoison(object + 60, 70);
	for (int i = 0; i < 256; i++)
		assert_false(arena_is_poisoned(object + i, 1));
	arena_free(object, 256);
	harness_shutdown();
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_lie_on_their_node),
		cmocka_unit_test(bytes_in_use_are_the_ones_asked_for),
		cmocka_unit_test(mappings_are_zeroed_pages_on_their_node),
		cmocka_unit_test(equal_calls_give_equal_offsets),
		cmocka_unit_test(what_is_left_at_shutdown_is_a_bug),
		cmocka_unit_test(a_raw_line_is_a_word_with_a_name),
#ifdef POISON
		cmocka_unit_test(poison_covers_exactly_its_bytes),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
