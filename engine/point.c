/*
 * point.c - see point.h
 */
#include "engine/point.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/memory.h"
#include "engine/pattern.h"
#include "engine/placement.h"
#include "engine/wire.h"
#include "engine/worker.h"

#define FILL_CHUNK (64u << 10)
#define NS_PER_SECOND 1000000000ull

/* The whole state of the child. */
struct point {
	const struct point_config *config;
	int result_fd;
	struct crew crew;
	int *shared_fds;	/* what `prepare` bound, by slot */
	unsigned int ends;	/* somebody delivers; xchg() by any thread */
	struct sample sample;	/* failed as soon as anything went wrong */
};

/* The point ends here. Threads of the host may find several reasons: the first one counts. */
__attribute__((noreturn)) static void
deliver_sample(struct point *point, const struct sample *sample)
{
	while (xchg(&point->ends, 1))
		pause();
	_exit(wire_send(point->result_fd, sample) ? EXIT_INTERNAL : EXIT_DONE);
}

__attribute__((noreturn)) static void
deliver(struct point *point)
{
	deliver_sample(point, &point->sample);
}

/* The kernel's panic callback: on whatever thread or task found out, while others go on. */
static void
panicked(void *context, const struct panic_report *report)
{
	struct sample failed = { 0 };

	sample_fail(&failed, (enum exit_code)report->verdict, "%s", report->message);
	failed.pc[0] = (uintptr_t)report->pc[0];
	failed.pc[1] = (uintptr_t)report->pc[1];
	deliver_sample(context, &failed);
}

/* Give up: the kernel is left as it is, this process ends. */
static void
check(struct point *point, long result, const char *what)
{
	if (result >= 0)
		return;
	sample_fail(&point->sample, result == -ENOMEM ? EXIT_RESOURCE : EXIT_POINT_FAILED,
		    "%s: %s", what, strerror(-result));
	deliver(point);
}

/*
 * Index of the @task-th task in the placement order. With a `place:` the order
 * is the one that boot() chose, in which CPUs have their own numbers.
 */
static int
place_of(const struct point *point, int task)
{
	const struct task_place *place = &point->config->variant->place;

	return placement_given(place) ? placement_cpu(place, point->config->spec, task) : task;
}

static void
boot(struct point *point)
{
	const struct point_config *config = point->config;
	struct machine_spec spec;
	struct kernel_config boot = {
		.spec = config->spec,
		.seed = config->seed,
		.stream = config->stream,
		.tasks = config->tasks,
		.memory_bytes = config->workload->memory_bytes,
		.races = config->races,
		.panic = panicked,
		.panic_context = point,
	};

	if (config->spec && placement_given(&config->variant->place)) {
		spec = *config->spec;
		spec.placement = PLACE_CORES_FIRST;
		boot.spec = &spec;
	}
	memcpy(boot.policy, config->variant->policy, sizeof(boot.policy));
	check(point, config->kernel->boot(&boot), "boot");
}

static void
write_pattern(struct point *point, int fd, u64 size)
{
	const struct syscalls *sys = &point->config->kernel->sys;
	char *chunk = xcalloc(1, FILL_CHUNK);
	u64 at = 0;

	while (at < size) {
		ssize_t put;

		pattern_fill(chunk, min(size - at, (u64)FILL_CHUNK), at);
		put = sys->pwrite(fd, chunk, min(size - at, (u64)FILL_CHUNK), at);
		check(point, put ? put : -ENOSPC, "files: pwrite");
		at += put;
	}
	free(chunk);
}

/* The directory that the file system of @file is mounted on. Return: malloc()ed. */
static char *
mountpoint(const struct workload_file *file)
{
	return xasprintf("%.*s", (int)(1 + strcspn(file->path + 1, "/")), file->path);
}

/* The loader has seen to it that a directory is made by files of one file system. */
static void
make_mount(struct point *point, const struct workload_file *file)
{
	const struct syscalls *sys = &point->config->kernel->sys;
	char *directory = mountpoint(file);
	int error = sys->mkdir(directory, 0755);

	check(point, error == -EEXIST ? 0 : error, directory);
	if (!error)
		check(point, sys->mount("none", directory, "image", 0, NULL), directory);
	free(directory);
}

/* Files of one file system have one mount; the first to come here takes it down. */
static void
remove_mount(struct point *point, const struct workload_file *file)
{
	char *directory = mountpoint(file);
	int error = point->config->kernel->sys.umount(directory);

	check(point, error == -EINVAL ? 0 : error, directory);
	free(directory);
}

/* The directories that @path lies in, as far as they are not there. */
static void
make_directories(struct point *point, const char *path)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *directory = xasprintf("%.*s", (int)(slash - path), path);
		int error = point->config->kernel->sys.mkdir(directory, 0755);

		check(point, error == -EEXIST ? 0 : error, directory);
		free(directory);
	}
}

static void
make_file(struct point *point, const char *path, const struct workload_file *file)
{
	const struct syscalls *sys = &point->config->kernel->sys;
	int fd;

	make_directories(point, path);
	fd = sys->open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	check(point, fd, path);
	check(point, sys->file_node(fd, file->node), path);
	write_pattern(point, fd, file->size);
	check(point, sys->close(fd), path);
}

/* A path with ${task} in it stands for one file per task, one with ${n} for file->count. */
static void
make_files(struct point *point, const struct workload_file *file)
{
	int copies = strstr(file->path, "${task}") ? point->config->tasks : 1;

	if (file->on == ON_IMAGE)
		make_mount(point, file);
	for (int i = 0; i < copies; i++)
		for (int n = 0; n < file->count; n++) {
			char *path = expand_path(file->path, i, n);

			make_file(point, path, file);
			free(path);
		}
}

static void
make_raw_lines(struct point *point)
{
	const struct workload *workload = point->config->workload;
	struct crew *crew = &point->crew;

	for (u32 i = 0; i < workload->lines_count; i++) {
		const struct workload_line *line = &workload->lines[i];

		crew->raw_lines[i] = crew->kernel->sys.raw_line_create(line->node, line->name);
		check(point, crew->raw_lines[i] ? 0 : -ENOMEM, "lines");
	}
}

static struct program
build(struct point *point, const struct step_list *steps, int task, int tasks, int *private_fds)
{
	struct program_scope scope = {
		.task = task,
		.tasks = tasks,
		.private_fds = private_fds,
		.shared_fds = point->shared_fds,
		.raw_lines = point->crew.raw_lines,
		.verify = point->config->workload->measure.verify,
		.stop = &point->crew.stop,
	};

	return program_build(steps, &scope);
}

/* The init process: files, raw lines, `prepare`. */
static void
init_body(void *arg)
{
	struct point *point = arg;
	const struct workload *workload = point->config->workload;
	struct program prepare = build(point, &workload->prepare, 0, 1, point->shared_fds);
	struct worker init = { .number = 0 };

	for (u32 i = 0; i < workload->files_count; i++)
		make_files(point, &workload->files[i]);
	make_raw_lines(point);
	if (!interpret(&prepare, &point->config->kernel->sys, &init.error)) {
		worker_describe_error(&init, &point->sample);
		deliver(point);
	}
	program_free(&prepare);
}

static void
exit_body(void *arg)
{
	struct point *point = arg;
	const struct workload *workload = point->config->workload;

	for (u32 i = 0; i < workload->lines_count; i++)
		point->crew.kernel->sys.raw_line_destroy(point->crew.raw_lines[i]);
	for (u32 i = 0; i < workload->files_count; i++)
		if (workload->files[i].on == ON_IMAGE)
			remove_mount(point, &workload->files[i]);
}

static void
hire(struct point *point)
{
	const struct point_config *config = point->config;
	const struct workload *workload = config->workload;
	struct crew *crew = &point->crew;

	crew->kernel = config->kernel;
	crew->tasks = config->tasks;
	crew->raw_lines = xcalloc(workload->lines_count, sizeof(*crew->raw_lines));
	crew->workers = xcalloc_lines(config->tasks, sizeof(*crew->workers));
	atomic_set(&crew->starting, config->tasks);
	point->shared_fds = xcalloc(workload->shared_slots, sizeof(*point->shared_fds));
	point->sample.nr_tasks = config->tasks;
	point->sample.per_task = xcalloc(config->tasks, sizeof(*point->sample.per_task));
	window_init(&crew->window, &workload->measure, config->tasks, point->sample.per_task);
	for (int i = 0; i < config->tasks; i++) {
		struct worker *worker = &crew->workers[i];

		worker->crew = crew;
		worker->number = i;
		worker->fds = xcalloc(workload->private_slots, sizeof(*worker->fds));
		worker->setup = build(point, &workload->setup, i, crew->tasks, worker->fds);
		worker->loop = build(point, &workload->loop, i, crew->tasks, worker->fds);
	}
}

static void
create_tasks(struct point *point)
{
	const struct point_config *config = point->config;
	enum task_kind kind = config->workload->as == AS_THREADS ? TASK_THREAD : TASK_PROCESS;
	void (*body)(void *arg) = config->spec ? worker_body_virtual : worker_body_host;

	for (int i = 0; i < config->tasks; i++)
		check(point,
		      config->kernel->create_task(kind, place_of(point, i), body,
						  &point->crew.workers[i]),
		      "create_task");
}

static void
sleep_ns(u64 ns)
{
	struct timespec left = { .tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

static u64
now_ps(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec * NS_PER_SECOND + now.tv_nsec) * 1000;
}

/* Add @sign times what each task has completed so far. */
static void
add_completed(struct point *point, u64 sign)
{
	for (int i = 0; i < point->config->tasks; i++)
		point->sample.per_task[i] += sign * READ_ONCE(point->crew.workers[i].completed);
}

/* Host: this thread opens and closes the window by the clock while the tasks run. */
static void
measure_host(struct point *point)
{
	const struct measure *measure = &point->config->workload->measure;
	struct sample *sample = &point->sample;
	u64 opened_ps;

	while (atomic_read(&point->crew.starting) && !READ_ONCE(point->crew.stop))
		sleep_ns(NS_PER_SECOND / 1000);
	if (READ_ONCE(point->crew.stop))
		return;
	sleep_ns(measure->host_warmup_ns);
	point->config->kernel->measure_begin();
	opened_ps = now_ps();
	add_completed(point, -1);
	sleep_ns(measure->host_duration_ns);
	sample->window_ps = now_ps() - opened_ps;
	add_completed(point, 1);
	point->config->kernel->measure_end(&sample->counted);
	WRITE_ONCE(point->crew.stop, 1);
	for (int i = 0; i < point->config->tasks; i++)
		sample->operations += sample->per_task[i];
}

/* Virtual: the tasks have measured while join() ran them. */
static void
collect_virtual(struct point *point)
{
	const struct window *window = &point->crew.window;
	struct sample *sample = &point->sample;

	sample->operations = window->counted;
	sample->window_ps = window->closed_ps - window->opened_ps;
	sample->counted = point->crew.counted;
}

static void
copy_line(struct line_sample *line, const struct line_report *report)
{
	line->object = xstrdup(report->object.name);
	line->type = report->object.type ? xstrdup(report->object.type) : NULL;
	line->offset = report->offset;
	line->line = ((uintptr_t)report->object.start % CACHE_LINE + report->offset) / CACHE_LINE;
	line->stall_ps = report->stall_ps;
	memcpy(line->transactions, report->transactions, sizeof(line->transactions));
	line->cmpxchg = report->cmpxchg;
	line->cmpxchg_failed = report->cmpxchg_failed;
	line->nr_sites = report->nr_sites;
	line->sites = xcalloc(line->nr_sites, sizeof(*line->sites));
	memcpy(line->sites, report->sites, line->nr_sites * sizeof(*line->sites));
}

/* The hottest lines, by name: addresses mean nothing once the kernel is gone. */
static void
collect_lines(struct point *point)
{
	struct line_report *reports = xcalloc(SAMPLE_MAX_LINES, sizeof(*reports));
	int n = point->config->kernel->lines(reports, SAMPLE_MAX_LINES);

	point->sample.lines = xcalloc(n, sizeof(*point->sample.lines));
	point->sample.nr_lines = n;
	for (int i = 0; i < n; i++)
		copy_line(&point->sample.lines[i], &reports[i]);
	free(reports);
}

/* The first task whose step failed speaks for all. */
static void
check_workers(struct point *point)
{
	for (int i = 0; i < point->config->tasks; i++) {
		if (!point->crew.workers[i].failed)
			continue;
		worker_describe_error(&point->crew.workers[i], &point->sample);
		deliver(point);
	}
}

static void
check_measured(struct point *point)
{
	if (point->sample.operations && point->sample.window_ps)
		return;
	sample_fail(&point->sample, EXIT_POINT_FAILED, "no iteration was completed in the window");
	deliver(point);
}

void
point_run(const struct point_config *config, int result_fd)
{
	struct point *point = xcalloc_lines(1, sizeof(*point));
	const struct kernel_ops *kernel = config->kernel;

	point->config = config;
	point->result_fd = result_fd;
	hire(point);
	boot(point);
	check(point, kernel->run_init(init_body, point), "init");
	create_tasks(point);
	kernel->start();
	if (!config->spec)
		measure_host(point);
	kernel->join();
	check_workers(point);
	if (config->spec) {
		collect_virtual(point);
		collect_lines(point);
	}
	check_measured(point);
	check(point, kernel->run_exit(exit_body, point), "exit");
	kernel->shutdown();
	point->sample.status = SAMPLE_OK;
	deliver(point);
}
