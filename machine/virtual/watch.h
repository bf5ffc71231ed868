/*
 * watch.h - those who look at every single access
 *
 * The trace, the race check and the script. While there is one of them, no
 * access takes the fast path.
 */
#ifndef MACHINE_VIRTUAL_WATCH_H
#define MACHINE_VIRTUAL_WATCH_H

#include "machine/virtual/access.h"

/* Recompute whether anybody watches. */
void watch_changed(void);
void watch_shutdown(void);

/* The running CPU performs @access now. Context: model.watched. */
void watch_access(const struct access *access);
void watch_fence(int order);

#endif
