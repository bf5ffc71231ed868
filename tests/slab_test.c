/*
 * slab_test.c - where objects come from, what they hold, and who notices a leak
 */
#include "tests/harness.h"

#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "machine/arena.h"
#include "machine/names.h"
#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/slab.h"

#define TASKS 4
#define OBJECTS 300

struct thing {
	u64 value;
	u64 made;		/* by the constructor */
	char more[100];
};

static struct kmem_cache *cache;
static int constructed;

static void
boot(unsigned int flags, void (*ctor)(void *object))
{
	struct harness options = { .no_pagecache = true, .races = true, .tasks = TASKS };

	harness_boot(&options);
	cache = kmem_cache_create("thing", sizeof(struct thing), flags, ctor);
	assert_non_null(cache);
}

static void
shut_down(void)
{
	kmem_cache_destroy(cache);
	harness_shutdown();
}

/* Fill many objects, each with its own number, and see that none was overwritten. */
static void
fill_and_check(void *arg)
{
	struct thing *things[OBJECTS];

	for (u64 i = 0; i < OBJECTS; i++) {
		things[i] = kmem_cache_alloc(cache);
		BUG_ON(!things[i], "no memory for object %llu", (unsigned long long)i);
		BUG_ON((uintptr_t)things[i] % CACHE_LINE, "%p is not a line's", (void *)things[i]);
		BUG_ON(arena_node(things[i]) != cpu_to_node(smp_processor_id()), "from node %d",
		       arena_node(things[i]));
		memset(things[i], current->pid, sizeof(*things[i]));
		things[i]->value = i;
	}
	for (u64 i = 0; i < OBJECTS; i++) {
		BUG_ON(things[i]->value != i || things[i]->more[99] != (char)current->pid,
		       "object %llu was overwritten", (unsigned long long)i);
		kmem_cache_free(cache, things[i]);
	}
}

static void
objects_are_disjoint_lines_of_the_cpus_node(void **state)
{
	boot(0, NULL);
	harness_run(TASKS, fill_and_check, NULL);
	assert_int_equal(kmem_cache_in_use(cache), 0);
	shut_down();
}

static void
memory_is_used_again(void **state)
{
	size_t bytes;

	boot(0, NULL);
	harness_run(1, fill_and_check, NULL);
	bytes = arena_bytes_in_use();
	for (int i = 0; i < 5; i++)
		harness_run(1, fill_and_check, NULL);
	assert_int_equal(arena_bytes_in_use(), bytes);
	shut_down();
}

static void
check_zero(void *arg)
{
	for (int round = 0; round < 50; round++) {
		struct thing *thing = kmem_cache_alloc(cache);

		BUG_ON(thing->value || thing->more[50], "not zero in round %d", round);
		memset(thing, 0xff, sizeof(*thing));
		kmem_cache_free(cache, thing);
	}
}

static void
slab_zero_clears_every_object(void **state)
{
	boot(SLAB_ZERO, NULL);
	harness_run(1, check_zero, NULL);
	shut_down();
}

static void
construct(void *object)
{
	struct thing *thing = object;

	thing->made = 42;
	constructed++;
}

static void
check_made(void *arg)
{
	for (int round = 0; round < 1000; round++) {
		struct thing *thing = kmem_cache_alloc(cache);

		BUG_ON(thing->made != 42, "made is %llu", (unsigned long long)thing->made);
		kmem_cache_free(cache, thing);
		if (round % 100 == 0)
			rcu_barrier(); /* with poisoning, reuse waits for that */
	}
}

static void
the_constructor_runs_once_per_memory(void **state)
{
	constructed = 0;
	boot(SLAB_TYPESAFE_BY_RCU, construct);
	harness_run(1, check_made, NULL);
	assert_in_range(constructed, 1, 999);
	shut_down();
}

static struct thing *passed[TASKS * OBJECTS];

static void
allocate_for_another(void *arg)
{
	struct thing **first = arg;

	for (int i = 0; i < OBJECTS; i++)
		first[i] = kmem_cache_alloc(cache);
}

static void
free_for_another(void *arg)
{
	struct thing **first = arg;

	for (int i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, first[i]);
}

/* Objects that other CPUs free go home to their node and are handed out there again. */
static void
objects_freed_elsewhere_go_home(void **state)
{
	void *own[TASKS];
	void *others[TASKS];

	boot(0, NULL);
	for (int i = 0; i < TASKS; i++) {
		own[i] = &passed[i * OBJECTS];
		others[i] = &passed[(i + 2) % TASKS * OBJECTS];
	}
	harness_run_each(TASKS, allocate_for_another, own);
	assert_int_equal(kmem_cache_in_use(cache), TASKS * OBJECTS);
	harness_run_each(TASKS, free_for_another, others);
	assert_int_equal(kmem_cache_in_use(cache), 0);
	harness_run(TASKS, fill_and_check, NULL);
	shut_down();
}

static void
leak_three(void *arg)
{
	for (int i = 0; i < 3; i++)
		BUG_ON(!kmem_cache_alloc(cache), "no memory");
}

static void
scenario_leak(void)
{
	boot(0, NULL);
	harness_run(1, leak_three, NULL);
	shut_down();
}

static void
a_leak_is_a_bug_with_its_count(void **state)
{
	assert_true(harness_expect_panic(scenario_leak, VERDICT_BUG,
					 "3 objects of thing are still in use"));
}

static void
zero_with_constructor(void)
{
	boot(SLAB_ZERO, construct);
}

static void
zero_and_typesafe(void)
{
	boot(SLAB_ZERO | SLAB_TYPESAFE_BY_RCU, NULL);
}

/* Clearing would undo the constructor, or take what a late reader relies on. */
static void
objects_with_a_past_are_not_cleared(void **state)
{
	assert_true(harness_expect_panic(zero_with_constructor, VERDICT_BUG, "thing would lose"));
	assert_true(harness_expect_panic(zero_and_typesafe, VERDICT_BUG, "thing would lose"));
}

static void
allocate_one(void *arg)
{
	*(void **)arg = kmem_cache_alloc(cache);
}

static void
reports_know_the_struct_and_its_start(void **state)
{
	struct object_name name;
	struct thing *thing;
	int outside;

	boot(0, NULL);
	harness_run(1, allocate_one, &thing);
	assert_true(name_of(&thing->more[3], &name));
	assert_string_equal(name.name, "thing");
	assert_string_equal(name.type, "thing");
	assert_ptr_equal(name.start, thing);
	assert_false(name_of(&outside, &name));
	assert_true(name_of(cache, &name));
	assert_string_equal(name.name, "kmem_cache thing");
	kmem_cache_free(cache, thing);
	shut_down();
}

#if defined(POISON) && defined(MACHINE_VIRTUAL)

static void
read_freed(void *arg)
{
	struct thing *thing = kmem_cache_alloc(cache);

	kmem_cache_free(cache, thing);
	READ_ONCE(thing->value);
}

static void
scenario_use_after_free(void)
{
	boot(0, NULL);
	harness_run(1, read_freed, NULL);
}

/* The reader of a type-safe object may look at it until the grace period is over. */
static void
read_type_safe(void *arg)
{
	struct thing *thing = kmem_cache_alloc(cache);

	rcu_read_lock();
	kmem_cache_free(cache, thing);
	READ_ONCE(thing->value);
	rcu_read_unlock();
	rcu_barrier();
	READ_ONCE(thing->value);
}

static void
scenario_after_the_grace_period(void)
{
	boot(SLAB_TYPESAFE_BY_RCU, NULL);
	harness_run(1, read_type_safe, NULL);
}

static void
a_use_after_free_is_caught_and_named(void **state)
{
	assert_true(harness_expect_panic(scenario_use_after_free, VERDICT_BUG,
					 "use after free of thing"));
	assert_true(harness_expect_panic(scenario_after_the_grace_period, VERDICT_BUG,
					 "use after free of thing"));
}

#elif defined(POISON) && defined(__SANITIZE_ADDRESS__)

static void
free_and_look(void *arg)
{
	struct thing *thing = kmem_cache_alloc(cache);

	BUG_ON(__asan_address_is_poisoned(thing), "poisoned while in use");
	kmem_cache_free(cache, thing);
	BUG_ON(!__asan_address_is_poisoned(&thing->value), "not poisoned");
}

static void
a_use_after_free_is_caught_and_named(void **state)
{
	boot(0, NULL);
	harness_run(1, free_and_look, NULL);
	shut_down();
}

#else

static void
a_use_after_free_is_caught_and_named(void **state)
{
	skip();
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_disjoint_lines_of_the_cpus_node),
		cmocka_unit_test(memory_is_used_again),
		cmocka_unit_test(slab_zero_clears_every_object),
		cmocka_unit_test(the_constructor_runs_once_per_memory),
		cmocka_unit_test(objects_freed_elsewhere_go_home),
		cmocka_unit_test(a_leak_is_a_bug_with_its_count),
		cmocka_unit_test(objects_with_a_past_are_not_cleared),
		cmocka_unit_test(reports_know_the_struct_and_its_start),
		cmocka_unit_test(a_use_after_free_is_caught_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
