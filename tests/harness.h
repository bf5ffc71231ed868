/*
 * harness.h - boot a kernel for tests of internals, on the kind the test is built for
 *
 * On the virtual kind the machine is `toy4`: two sockets of two cores, round
 * numbers, no jitter. On the host kind it is this computer. A broken invariant
 * prints its message and ends the test program with the verdict as exit code,
 * unless the test waits for it with harness_expect_panic(). Policies that a test sets
 * are in force until harness_shutdown().
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include "machine/bug.h"
#include "machine/spec.h"

/* cmocka needs these, in this order, before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

extern const struct machine_spec toy4;

struct harness {
	const struct machine_spec *spec;	/* NULL: toy4 */
	int tasks;				/* at most; default 4 */
	u64 memory_bytes;			/* default 8 MiB; 0 with no_pagecache */
	u64 object_bytes;			/* address space for objects; default 64 MiB */
	bool no_pagecache;			/* boot machine/ only */
	bool races;				/* virtual: report data races */
};

/* @options may be NULL. */
void harness_boot(const struct harness *options);

/* Run @body(@arg) in @tasks tasks at once, on the first places, and wait for all. */
void harness_run(int tasks, void (*body)(void *arg), void *arg);

/* The same with one argument each: task i gets @args[i]. */
void harness_run_each(int tasks, void (*body)(void *arg), void **args);
void harness_shutdown(void);

/*
 * Run @scenario (which boots by itself) in a child process. Return: true if it
 * ended in @verdict with a message that contains @text.
 */
bool harness_expect_panic(void (*scenario)(void), enum verdict verdict, const char *text);

/* True on the virtual kind. */
bool harness_is_virtual(void);

/*
 * Tasks for a storm. Host: four per core, since more tasks than cores must be right
 * too, but at most @most. Virtual: one on each CPU of toy4.
 */
int harness_many_tasks(int most);

/*
 * The choices of @family, from the rooms' tables: they count from 0, so a contract
 * test runs over all of them and a new one is tested by existing.
 */
int harness_choices(int family);

/* Return: enum policy_flags of @choice. */
int harness_choice_flags(int family, int choice);

#endif
