/*
 * probe.c - see probe.h
 */
#include "engine/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/children.h"
#include "engine/memory.h"
#include "engine/progress.h"
#include "engine/wire.h"

#define PAIRS_PER_CLASS 28 /* all of 8 cores; evenly spread ones of more */
#define LIMIT_MS 60000	   /* for a visit, beyond its share of the time */

static void *
share(size_t size)
{
	void *shared = mmap(NULL, max(size, (size_t)1), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

static size_t
gauges_size(void)
{
	return sizeof(u64) * PROBE_VISITS * GAUGE_MAX;
}

static size_t
hand_overs_size(const struct probe *probe)
{
	return sizeof(u64) * PROBE_VISITS * max(probe->pairs.count, 1);
}

static enum exit_code
load_topology(struct probe *probe)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology))
		return EXIT_RESOURCE;
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return EXIT_RESOURCE;
	}
	probe->topology = topology;
	return EXIT_DONE;
}

enum exit_code
probe_prepare(struct probe *probe)
{
	if (load_topology(probe) != EXIT_DONE) {
		fputs("engine probe: hwloc cannot read the topology\n", stderr);
		return EXIT_RESOURCE;
	}
	layout_read(probe->topology, &probe->layout);
	if (layout_cpus(&probe->layout) > MACHINE_MAX_CPUS) {
		fprintf(stderr, "engine probe: a machine file has at most %d CPUs, this is %d\n",
			MACHINE_MAX_CPUS, layout_cpus(&probe->layout));
		return EXIT_UNSUPPORTED;
	}
	pairs_choose(&probe->layout, PAIRS_PER_CLASS, &probe->pairs);
	probe->counts = share(sizeof(*probe->counts));
	probe->gauges = share(gauges_size());
	probe->hand_overs = share(hand_overs_size(probe));
	if (probe->counts && probe->gauges && probe->hand_overs)
		return EXIT_DONE;
	fputs("engine probe: out of memory\n", stderr);
	return EXIT_RESOURCE;
}

void
probe_release(struct probe *probe)
{
	if (probe->hand_overs)
		munmap(probe->hand_overs, hand_overs_size(probe));
	if (probe->gauges)
		munmap(probe->gauges, gauges_size());
	if (probe->counts)
		munmap(probe->counts, sizeof(*probe->counts));
	pairs_clear(&probe->pairs);
	layout_clear(&probe->layout);
	if (probe->topology)
		hwloc_topology_destroy(probe->topology);
}

/* One child: the first counts, the others are visits. */
struct task {
	const struct probe *probe;
	int visit;
	int result_fd;
};

/* The frame only says how it went: the readings are in shared memory. */
__attribute__((noreturn)) static void
deliver(const struct task *task, const struct sample *sample)
{
	_exit(wire_send(task->result_fd, sample) ? EXIT_INTERNAL : EXIT_DONE);
}

static void
panicked(void *context, const struct panic_report *report)
{
	struct sample failed = { 0 };

	sample_fail(&failed, (enum exit_code)report->verdict, "%s", report->message);
	deliver(context, &failed);
}

__attribute__((noreturn)) static void
finish(const struct task *task, int error)
{
	struct sample sample = { .status = SAMPLE_OK };

	if (error)
		sample_fail(&sample, EXIT_RESOURCE, "the mini-kernel's pread: %s",
			    strerror(-error));
	deliver(task, &sample);
}

static void
count_job(const void *context, int result_fd)
{
	struct task task = *(const struct task *)context;
	const struct panic_handler panic = { panicked, &task };

	task.result_fd = result_fd;
	finish(&task, mini_kernel_count(task.probe->virtual_kernel, &panic, task.probe->counts));
}

static void
visit_job(const void *context, int result_fd)
{
	struct task task = *(const struct task *)context;
	const struct panic_handler panic = { panicked, &task };

	task.result_fd = result_fd;
	finish(&task, probe_visit(task.probe, &panic, task.visit));
}

static void
job_done(void *context, int finished)
{
	progress_update(context, finished, PROBE_VISITS + 1);
}

/* Return: what became of all; a message for the first that failed. */
static enum exit_code
outcome(const struct sample *results, bool complete)
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i <= PROBE_VISITS; i++) {
		const struct sample *result = &results[i];

		if (result->status == SAMPLE_OK || result->status == SAMPLE_SKIPPED)
			continue;
		if (code == EXIT_DONE)
			fprintf(stderr, "engine probe: %s\n", result->message);
		code = exit_code_merge(code, result->exit_code);
	}
	if (complete)
		return code;
	fputs("engine: interrupted; nothing was written\n", stderr);
	return exit_code_merge(code, EXIT_INTERRUPTED);
}

enum exit_code
probe_run(struct probe *probe)
{
	struct task *tasks = xcalloc(PROBE_VISITS + 1, sizeof(*tasks));
	struct job *jobs = xcalloc(PROBE_VISITS + 1, sizeof(*jobs));
	struct sample *results = xcalloc(PROBE_VISITS + 1, sizeof(*results));
	struct progress progress;
	const struct children_config config = {
		.parallel = 1,
		.done = job_done,
		.context = &progress,
	};
	enum exit_code code;

	for (int i = 0; i <= PROBE_VISITS; i++) {
		tasks[i] = (struct task){ .probe = probe, .visit = i - 1 };
		jobs[i] = (struct job){
			.run = i ? visit_job : count_job,
			.context = &tasks[i],
			.limit_ms = LIMIT_MS + probe->seconds * 1000 / PROBE_VISITS,
			.result = &results[i],
		};
	}
	progress_start(&progress, "probe", probe->quiet);
	code = outcome(results, children_run(&config, jobs, PROBE_VISITS + 1));
	progress_end(&progress);
	for (int i = 0; i <= PROBE_VISITS; i++)
		sample_clear(&results[i]);
	free(results);
	free(jobs);
	free(tasks);
	return code;
}
