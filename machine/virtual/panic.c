/*
 * panic.c - ending a point of a run on the modelled machine
 */
#include <stdio.h>

#include "machine/shared/panic.h"
#include "machine/virtual/cpu.h"
#include "machine/virtual/model.h"

void
runtime_panic(enum verdict verdict, const void *pc1, const void *pc2, const char *fmt, ...)
{
	const struct task *task = runtime_current;
	u64 now = running_cpu ? running_cpu->now : model.clock;
	va_list arguments;
	char where[160];

	snprintf(where, sizeof(where),
		 "task %d '%s' on CPU %d at %llu.%03llu ns, seed %llu, stream %d",
		 task ? task->pid : -1, task ? task->comm : "none", task ? task->cpu : -1,
		 (unsigned long long)now / 1000, (unsigned long long)now % 1000,
		 (unsigned long long)model.seed, model.stream);
	va_start(arguments, fmt);
	panic_deliver(verdict, pc1, pc2, where, fmt, arguments);
}
