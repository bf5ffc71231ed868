/*
 * vfs_race.h - race.h with two initial tasks, which have descriptors
 */
#ifndef TESTS_VFS_RACE_H
#define TESTS_VFS_RACE_H

#include "tests/race.h"
#include "tests/vfs_harness.h"

/*
 * Run @t1(@arg) and @t2(@arg) by @stops, every one of which must be met. Context: after
 * vfs_harness_init(); nobody else has run.
 */
static inline void
vfs_race_run(enum task_kind kind, const struct script_stop *stops, int nr_stops, race_body t1,
	     race_body t2, void *arg)
{
	script_start(stops, nr_stops);
	assert_int_equal(process_create_task(kind, T1, t1, arg), 0);
	assert_int_equal(process_create_task(kind, T2, t2, arg), 0);
	process_start();
	process_join();
	assert_int_equal(script_missed(), 0);
}

#endif
