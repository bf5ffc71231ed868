/*
 * race.h - tasks that run in the order of a script (virtual kind)
 *
 * Tn runs on CPU n - 1 of toy-4. See machine/virtual/script.h for stops.
 */
#ifndef TESTS_RACE_H
#define TESTS_RACE_H

#include "machine/runtime.h"
#include "machine/virtual/script.h"
#include "tests/harness.h"

/* CPUs of the tasks. */
enum { T1, T2, T3, T4, RACE_TASKS };

typedef void (*race_body)(void *arg);

/*
 * Run one task for each of @bodies, with @arg, by @stops, every one of which must be
 * met. Context: the machine is booted.
 */
static inline void
race_run(const struct script_stop *stops, int nr_stops, const race_body *bodies, int tasks,
	 void *arg)
{
	struct task *made[RACE_TASKS];

	assert_true(tasks <= RACE_TASKS);
	script_start(stops, nr_stops);
	for (int i = 0; i < tasks; i++) {
		made[i] = runtime_task_create(bodies[i], arg, i, "race");
		assert_non_null(made[i]);
		runtime_task_start(made[i]);
	}
	runtime_join();
	assert_int_equal(script_missed(), 0);
	for (int i = 0; i < tasks; i++)
		runtime_task_destroy(made[i]);
}

/* The same with an array of stops and the bodies one by one. */
#define RACE(stops, arg, ...)                                                                      \
	race_run(stops, ARRAY_SIZE(stops), (const race_body[]){ __VA_ARGS__ },                     \
		 ARRAY_SIZE(((const race_body[]){ __VA_ARGS__ })), arg)

#endif
