/*
 * sleep.h - waking for the runtime's own purposes
 */
#ifndef MACHINE_VIRTUAL_SLEEP_H
#define MACHINE_VIRTUAL_SLEEP_H

#include "machine/virtual/cpu.h"
#include "machine/virtual/model.h"

/* Wake @task at @time, at nobody's cost; not lost if it does not sleep yet. */
void wake_at(struct runtime_task *task, u64 time);

#endif
