/*
 * shared/panic.h - where a point ends early
 *
 * runtime_set_panic() is here. Each kind's runtime_panic() says where and when
 * in its own words and calls panic_deliver().
 */
#ifndef MACHINE_SHARED_PANIC_H
#define MACHINE_SHARED_PANIC_H

#include <stdarg.h>

#include "machine/bug.h"

/* @where is put in brackets behind the message: task, CPU, seed, time. */
__attribute__((noreturn, cold)) void
panic_deliver(enum verdict verdict, const void *pc1, const void *pc2, const char *where,
	      const char *fmt, va_list arguments);

#endif
