/*
 * panic.c - ending a point of a run on this computer
 */
#include <stdio.h>

#include "machine/host/host.h"
#include "machine/shared/panic.h"

void
runtime_panic(enum verdict verdict, const void *pc1, const void *pc2, const char *fmt, ...)
{
	const struct task *task = current;
	va_list arguments;
	char where[128];

	snprintf(where, sizeof(where), "task %d '%s' on slot %d, %llu ns, seed %llu, stream %d",
		 task ? task->pid : -1, task ? task->comm : "none", task ? task->cpu : -1,
		 (unsigned long long)runtime_clock_ps() / 1000, (unsigned long long)host.seed,
		 host.stream);
	va_start(arguments, fmt);
	panic_deliver(verdict, pc1, pc2, where, fmt, arguments);
}
