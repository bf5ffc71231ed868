/*
 * shared/globals.c - what both kinds define alike, outside the arena
 *
 * Each of them is written by boot only.
 */
#include "machine/kernel.h"
#include "machine/percpu.h"
#include "machine/policy.h"

struct kernel kernel;
int policy_value[POLICY_MAX];
int nr_cpu_ids;
int nr_node_ids;
