/*
 * boot.h - bringing the machine room up and down
 */
#ifndef MACHINE_BOOT_H
#define MACHINE_BOOT_H

#include "machine/runtime.h"

/* Boot the runtime, then locks, RCU and slabs. Return: 0 or -errno. */
int machine_boot(const struct runtime_config *config);

/* Context: no task runs. BUG if a task, callback or arena object is left. */
void machine_shutdown(void);

#endif
