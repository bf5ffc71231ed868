/*
 * worker.c - see worker.h
 */
#include "engine/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "yaml/catalogue.h"

/* Return: true on success; else everybody is told to stop. */
static bool
run(struct worker *worker, const struct program *program)
{
	if (interpret(program, &worker->crew->kernel->sys, &worker->error))
		return true;
	worker->failed = true;
	WRITE_ONCE(worker->crew->stop, 1);
	return false;
}

/*
 * One completed iteration at its place in virtual time. Reading the clock puts
 * this CPU in order among the others, so completions arrive here sorted.
 */
static void
complete(struct worker *worker)
{
	struct crew *crew = worker->crew;
	u64 now_ps = crew->kernel->sys.clock_ps();

	if (!window_completion(&crew->window, worker->number, now_ps))
		return;
	if (crew->window.state == WINDOW_OPEN)
		crew->kernel->measure_begin();
	else
		crew->kernel->measure_end(&crew->counted);
}

void
worker_body_virtual(void *arg)
{
	struct worker *worker = arg;
	struct crew *crew = worker->crew;

	if (run(worker, &worker->setup)) {
		window_task_started(&crew->window, crew->kernel->sys.clock_ps());
		while (!READ_ONCE(crew->stop) && run(worker, &worker->loop)) {
			complete(worker);
			if (crew->window.state == WINDOW_CLOSED)
				break;
		}
	}
}

void
worker_body_host(void *arg)
{
	struct worker *worker = arg;
	struct crew *crew = worker->crew;

	if (run(worker, &worker->setup)) {
		atomic_dec(&crew->starting);
		while (!READ_ONCE(crew->stop) && run(worker, &worker->loop))
			WRITE_ONCE(worker->completed, worker->completed + 1);
	}
}

/* How a step ended: "Bad file descriptor", "success, not ENOENT". */
static char *
describe_outcome(const struct interpret_error *error)
{
	const char *outcome = error->error ? strerror(error->error) : "success";

	if (!error->expected)
		return xstrdup(outcome);
	return xasprintf("%s, not %s", outcome, strerrorname_np(error->expected));
}

void
worker_describe_error(const struct worker *worker, struct sample *sample)
{
	const struct interpret_error *error = &worker->error;
	const char *name = catalogue_operation(error->op)->name;
	char *outcome;

	if (error->wrong_contents) {
		sample_fail(sample, EXIT_BUG,
			    "%s (line %d), task %d: byte at offset %llu is 0x%02x, not 0x%02x",
			    name, error->line, worker->number, (unsigned long long)error->offset,
			    error->found, error->wanted);
		return;
	}
	outcome = describe_outcome(error);
	sample_fail(sample, error->error == ENOMEM ? EXIT_RESOURCE : EXIT_POINT_FAILED,
		    "%s (line %d), task %d: %s", name, error->line, worker->number, outcome);
	free(outcome);
}
