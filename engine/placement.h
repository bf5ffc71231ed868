/*
 * placement.h - the CPUs that a workload's `place:` means on a machine
 */
#ifndef ENGINE_PLACEMENT_H
#define ENGINE_PLACEMENT_H

#include "engine/exit_code.h"
#include "yaml/workload.h"

/* Does @place say anything, or does the machine file decide? */
static inline bool
placement_given(const struct task_place *place)
{
	return place->cpus || place->pair != DISTANCE_SELF;
}

/*
 * The CPU of the @task-th task; @place says something. @spec: NULL for the host,
 * where CPUs are counted as its kernel does, first threads of cores first.
 * Return: -1 if the machine has no such CPU.
 */
int placement_cpu(const struct task_place *place, const struct machine_spec *spec, int task);

/*
 * Has the machine the CPUs of every @wanted variant (NULL: of all)? Return:
 * EXIT_DONE; or why not, after messages on stderr.
 */
enum exit_code placement_check(const struct workload *workload, const struct machine_spec *spec,
			       const bool *wanted);

#endif
