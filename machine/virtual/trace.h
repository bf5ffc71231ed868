/*
 * trace.h - seeing every modelled access, for tests
 */
#ifndef MACHINE_VIRTUAL_TRACE_H
#define MACHINE_VIRTUAL_TRACE_H

#include "machine/virtual/access.h"

/*
 * Call @callback for every access of a modelled CPU, in the order in which they
 * are performed; NULL: no more. Context: boot code or a task.
 */
typedef void (*trace_callback)(void *context, int cpu, const struct access *access);
void trace_accesses(trace_callback callback, void *context);

#endif
