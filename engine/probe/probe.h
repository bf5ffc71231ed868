/*
 * probe.h - one measurement of this computer, from its options to its figures
 *
 * The parent starts no thread and boots no kernel: what is measured is measured
 * in visits, one child process each, that leave their readings in memory that
 * both share (visit.c). Eleven samples of four visits; the visits of a sample are
 * spread over the whole time and the least counts, because a neighbour who is
 * busy for a second (the other hardware thread of a virtual machine's core, say)
 * must not decide. Figures are medians over the samples.
 */
#ifndef ENGINE_PROBE_PROBE_H
#define ENGINE_PROBE_PROBE_H

#include <hwloc.h>

#include "engine/exit_code.h"
#include "engine/probe/gauge.h"
#include "engine/probe/layout.h"
#include "engine/probe/mini_kernel.h"
#include "engine/probe/pairs.h"

#define PROBE_SAMPLES 11
#define PROBE_VISITS_PER_SAMPLE 4
#define PROBE_VISITS (PROBE_SAMPLES * PROBE_VISITS_PER_SAMPLE)

struct probe {
	const struct kernel_ops *host_kernel;
	const struct kernel_ops *virtual_kernel;
	u64 seconds;			/* to measure, about */
	bool quiet;			/* no progress line */
	hwloc_topology_t topology;
	struct layout layout;
	struct pairs pairs;

	/* Shared with the children; one of them runs at a time. Femtoseconds, 0: not measured. */
	struct access_counts *counts;
	u64 *gauges;			/* PROBE_VISITS times GAUGE_MAX */
	u64 *hand_overs;		/* PROBE_VISITS times pairs.count */
};

/*
 * Look at the computer. Return: EXIT_DONE; or another after a message on stderr.
 * End with probe_release() either way.
 */
enum exit_code probe_prepare(struct probe *probe);
void probe_release(struct probe *probe);

/* Measure: all visits. Return: as probe_prepare(). */
enum exit_code probe_run(struct probe *probe);

/* What visit @visit of probe_run() does. Context: a child. Return: 0 or -errno. */
int probe_visit(const struct probe *probe, const struct panic_handler *panic, int visit);

#endif
