/*
 * tasks.h - all tasks of the machine
 */
#ifndef MACHINE_VIRTUAL_TASKS_H
#define MACHINE_VIRTUAL_TASKS_H

#include "machine/names.h"
#include "machine/virtual/cpu.h"

void tasks_boot(void);

/* Frees kernel threads that ended, or sleep for ever. */
void tasks_shutdown(void);

/* The list of all tasks, oldest first; the boot task is not on it. */
struct runtime_task *tasks_first(void);

/* Namer of what the runtime keeps in the arena: tasks and their stacks. */
bool tasks_name(const void *address, struct object_name *name);

#endif
