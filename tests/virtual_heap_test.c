/*
 * virtual_heap_test.c - the event heap against a sorted list
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>

#include "machine/random.h"
#include "machine/virtual/heap.h"

#define EVENTS 1000

static void
an_empty_heap_is_never(void **state)
{
	struct event_heap heap;

	heap_init(&heap, 64);
	assert_true(heap_next_time(&heap) == EVENT_NEVER);
	heap_push(&heap, heap_event(&heap, 5, EVENT_RESUME, 3));
	assert_int_equal(heap_next_time(&heap), 5);
	assert_int_equal(event_index(heap_pop(&heap)), 3);
	assert_true(heap_next_time(&heap) == EVENT_NEVER);
	heap_free(&heap);
}

static void
events_come_out_by_time_and_equal_times_by_sequence(void **state)
{
	struct random_stream random;
	struct event_heap heap;
	struct event before = { 0 };

	random_init(&random, 1, "heap test");
	heap_init(&heap, 64);
	for (u32 i = 0; i < EVENTS; i++)
		heap_push(&heap, heap_event(&heap, random_below(&random, 50), EVENT_ARRIVE, i));
	for (int i = 0; i < EVENTS; i++) {
		struct event event = heap_pop(&heap);

		assert_int_equal(event_kind(event), EVENT_ARRIVE);
		if (i)
			assert_true(event_before(before, event));
		before = event;
	}
	assert_int_equal(heap.count, 0);
	heap_free(&heap);
}

/* Push and pop in one must do what a push and then a pop do. */
static void
push_pop_is_push_and_pop(void **state)
{
	struct random_stream random;
	struct event_heap one, two;

	random_init(&random, 2, "heap test");
	heap_init(&one, 64);
	heap_init(&two, 64);
	for (u32 i = 0; i < EVENTS; i++) {
		u64 time = random_below(&random, 50);
		struct event a, b;

		if (i % 8 == 0) {
			heap_push(&one, heap_event(&one, time, EVENT_RESUME, i));
			heap_push(&two, heap_event(&two, time, EVENT_RESUME, i));
			continue;
		}
		a = heap_push_pop(&one, heap_event(&one, time, EVENT_RESUME, i));
		heap_push(&two, heap_event(&two, time, EVENT_RESUME, i));
		b = heap_pop(&two);
		assert_int_equal(a.time, b.time);
		assert_int_equal(a.order, b.order);
	}
	heap_free(&one);
	heap_free(&two);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_heap_is_never),
		cmocka_unit_test(events_come_out_by_time_and_equal_times_by_sequence),
		cmocka_unit_test(push_pop_is_push_and_pop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
