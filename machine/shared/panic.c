/*
 * shared/panic.c - see shared/panic.h
 */
#include "machine/shared/panic.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/runtime.h"

#define MESSAGE_BYTES 4096

static void (*panic_handler)(void *context, enum verdict verdict, const char *message,
			     const void *pc1, const void *pc2);
static void *panic_context;

void
runtime_set_panic(void (*panic)(void *context, enum verdict verdict, const char *message,
				const void *pc1, const void *pc2),
		  void *context)
{
	panic_handler = panic;
	panic_context = context;
}

void
panic_deliver(enum verdict verdict, const void *pc1, const void *pc2, const char *where,
	      const char *fmt, va_list arguments)
{
	char message[MESSAGE_BYTES];
	int used = vsnprintf(message, sizeof(message), fmt, arguments);

	if (used >= 0 && used < MESSAGE_BYTES)
		snprintf(message + used, sizeof(message) - used, " [%s]", where);
	if (panic_handler)
		panic_handler(panic_context, verdict, message, pc1, pc2);
	fprintf(stderr, "%s\n", message);
	abort();
}
