/*
 * placement.c - see placement.h
 */
#include "engine/placement.h"

#include <stdio.h>

#include "engine/host_info.h"

static const char *const pair_name[DISTANCE_MAX] = {
	[DISTANCE_SMT] = "of threads of one core",
	[DISTANCE_CLUSTER] = "of cores of one cluster",
	[DISTANCE_SOCKET] = "of clusters of one socket",
	[DISTANCE_REMOTE] = "of sockets",
};

/* The first CPU that is so far from CPU 0. Return: -1 if there is none. */
static int
partner(const struct machine_spec *spec, enum distance distance)
{
	int cores_per_socket = spec->clusters_per_socket * spec->cores_per_cluster;

	switch (distance) {
	case DISTANCE_SMT:
		return spec->threads_per_core > 1 ? spec->sockets * cores_per_socket : -1;
	case DISTANCE_CLUSTER:
		return spec->cores_per_cluster > 1 ? 1 : -1;
	case DISTANCE_SOCKET:
		return spec->clusters_per_socket > 1 ? spec->cores_per_cluster : -1;
	case DISTANCE_REMOTE:
		return spec->sockets > 1 ? cores_per_socket : -1;
	case DISTANCE_SELF:
	case DISTANCE_MAX:
		break;
	}
	return -1;
}

int
placement_cpu(const struct task_place *place, const struct machine_spec *spec, int task)
{
	int cpus = spec ? machine_spec_cpus(spec) : host_cores();

	if (place->cpus)
		return place->cpus[task] < cpus ? place->cpus[task] : -1;
	if (!spec)
		return -1;
	return task ? partner(spec, place->pair) : 0;
}

/* Return: true if every CPU is there; else after a message. */
static bool
check_place(const struct task_place *place, const struct machine_spec *spec)
{
	const char *machine = spec ? spec->name : "the host";
	u32 cpus = place->cpus ? place->cpus_count : 2;

	for (u32 i = 0; i < cpus; i++) {
		if (placement_cpu(place, spec, i) >= 0)
			continue;
		if (place->cpus)
			fprintf(stderr, "%s: %s has no CPU %d\n", place->position, machine,
				place->cpus[i]);
		else if (spec)
			fprintf(stderr, "%s: %s has no pair %s\n", place->position, machine,
				pair_name[place->pair]);
		else
			fprintf(stderr, "%s: on the host, name the two CPUs: place: [0, 1]\n",
				place->position);
		return false;
	}
	return true;
}

enum exit_code
placement_check(const struct workload *workload, const struct machine_spec *spec,
		const bool *wanted)
{
	const struct task_place *last = NULL;
	bool good = true;

	for (u32 i = 0; i < workload->variants_count; i++) {
		const struct task_place *place = &workload->variants[i].place;

		/* Variants without one of their own share a place, and one message is enough. */
		if (!placement_given(place) || (wanted && !wanted[i]) ||
		    (last && last->position == place->position))
			continue;
		good &= check_place(place, spec);
		last = place;
	}
	if (good)
		return EXIT_DONE;
	return spec ? EXIT_USAGE : EXIT_UNSUPPORTED;
}
