/*
 * watch.h - those who look at every single access
 *
 * The trace, the race check and the script. While there is one of them, no
 * access takes the fast path; nor does a CPU's while an interrupt is on its way.
 */
#ifndef MACHINE_VIRTUAL_WATCH_H
#define MACHINE_VIRTUAL_WATCH_H

#include "machine/virtual/access.h"
#include "machine/virtual/cpu.h"

/* Recompute whether anybody watches. */
void watch_changed(void);
void watch_shutdown(void);

/* The same for @cpu alone, which has got an interrupt or none any more. */
void watch_cpu(struct cpu *cpu);

/* The running CPU performs @access now. Context: model.watched. */
void watch_access(const struct access *access);
void watch_fence(int order);

#endif
