/*
 * fake_kernel.c - see fake_kernel.h
 */
#include "tests/fake_kernel.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "engine/pattern.h"

#define MAX_TASKS 64
#define STACK_SIZE (256u << 10)
#define PS_PER_US 1000000ull

int fake_fault_tasks;
enum fake_fault fake_fault;

struct fake_task {
	void (*body)(void *arg);
	void *arg;
	ucontext_t context;
	pthread_t thread;
	u64 now_ps;
	bool done;
};

static struct {
	struct kernel_config config;
	struct fake_task tasks[MAX_TASKS];
	int nr_tasks;
	int current;
	ucontext_t scheduler;
	u64 measured_from;	/* clock of the task that began */
} fake;

static bool
asks_for(enum fake_fault fault)
{
	return fake_fault == fault && fake.config.tasks == fake_fault_tasks;
}

static noinline __attribute__((noreturn)) void
panic(enum verdict verdict, const char *message)
{
	struct panic_report report = {
		.verdict = verdict,
		.message = message,
		.pc = { __builtin_return_address(0) },
	};

	fake.config.panic(fake.config.panic_context, &report);
	_exit(1);
}

static int
fake_boot(const struct kernel_config *config)
{
	memset(&fake, 0, sizeof(fake));
	fake.config = *config;
	return asks_for(FAKE_NO_MEMORY) ? -ENOMEM : 0;
}

static int
fake_run_body(void (*body)(void *arg), void *arg)
{
	body(arg);
	return 0;
}

static int
fake_create_task(enum task_kind kind, int index, void (*body)(void *arg), void *arg)
{
	(void)kind;
	if (index >= MAX_TASKS)
		return -EAGAIN;
	fake.tasks[index].body = body;
	fake.tasks[index].arg = arg;
	fake.nr_tasks++;
	return 0;
}

static void
misbehave(void)
{
	if (asks_for(FAKE_CRASH)) {
		signal(SIGSEGV, SIG_DFL); /* the test library catches it otherwise */
		raise(SIGSEGV);
	}
	if (asks_for(FAKE_QUIT))
		_exit(0);
	if (asks_for(FAKE_PANIC))
		panic(VERDICT_BUG, "BUG_ON(refs < 0): refs=-1");
	while (asks_for(FAKE_HANG))
		pause();
}

/* Virtual: tasks are contexts; whoever reads the clock lets the earliest one run. */
static void
coroutine(void)
{
	struct fake_task *task = &fake.tasks[fake.current];

	task->body(task->arg);
	task->done = true;
	swapcontext(&task->context, &fake.scheduler);
}

static void
make_coroutine(ucontext_t *context)
{
	getcontext(context);
	context->uc_stack.ss_sp = malloc(STACK_SIZE);
	context->uc_stack.ss_size = STACK_SIZE;
	makecontext(context, coroutine, 0);
}

static void
virtual_start(void)
{
	for (int i = 0; i < fake.nr_tasks; i++)
		make_coroutine(&fake.tasks[i].context);
}

static int
earliest(void)
{
	int found = -1;

	for (int i = 0; i < fake.nr_tasks; i++)
		if (!fake.tasks[i].done &&
		    (found < 0 || fake.tasks[i].now_ps < fake.tasks[found].now_ps))
			found = i;
	return found;
}

static void
virtual_join(void)
{
	misbehave();
	while ((fake.current = earliest()) >= 0)
		swapcontext(&fake.scheduler, &fake.tasks[fake.current].context);
	for (int i = 0; i < fake.nr_tasks; i++)
		free(fake.tasks[i].context.uc_stack.ss_sp);
}

static u64
virtual_clock_ps(void)
{
	struct fake_task *task = &fake.tasks[fake.current];

	task->now_ps += PS_PER_US;
	swapcontext(&task->context, &fake.scheduler);
	return task->now_ps;
}

/* Host: tasks are threads. */
static void *
thread(void *arg)
{
	struct fake_task *task = arg;

	task->body(task->arg);
	return NULL;
}

static void
host_start(void)
{
	for (int i = 0; i < fake.nr_tasks; i++)
		pthread_create(&fake.tasks[i].thread, NULL, thread, &fake.tasks[i]);
}

static void
host_join(void)
{
	misbehave();
	for (int i = 0; i < fake.nr_tasks; i++)
		pthread_join(fake.tasks[i].thread, NULL);
}

static void
fake_measure_begin(void)
{
	fake.measured_from = fake.tasks[fake.current].now_ps;
}

/* Counts that a reader can check: per us of the window, 10 cmpxchg of which 4 failed. */
static void
fake_measure_end(struct measurement *result)
{
	u64 us = (fake.tasks[fake.current].now_ps - fake.measured_from) / PS_PER_US;

	memset(result, 0, sizeof(*result));
	result->events[EVENT_CMPXCHG] = 10 * us;
	result->events[EVENT_CMPXCHG_FAILED] = 4 * us;
	result->stall_ps = 1000 * us;
	result->transactions = us;
}

static int
fake_lines(struct line_report *reports, int max_lines)
{
	struct line_report *line = &reports[0];

	if (max_lines < 1)
		return 0;
	memset(line, 0, sizeof(*line));
	strcpy(line->object.name, "folio of /file");
	line->object.start = (void *)0x1000;
	line->offset = 52;
	line->stall_ps = 500;
	line->transactions[DISTANCE_REMOTE] = 2;
	line->cmpxchg = 10;
	line->cmpxchg_failed = 4;
	line->nr_sites = 1;
	line->sites[0] = (struct site_report){ .pc = __builtin_return_address(0), .stall_ps = 500 };
	return 1;
}

static void
fake_shutdown(void)
{
	if (asks_for(FAKE_LEAK))
		panic(VERDICT_BUG, "1 page leaked");
}

static int
fake_open(const char *path, int flags, mode_t mode)
{
	(void)flags;
	(void)mode;
	return strcmp(path, "/missing") ? 3 : -ENOENT;
}

static int
fake_close(int fd)
{
	(void)fd;
	return 0;
}

static int
fake_file_node(int fd, int node)
{
	(void)fd;
	return node ? -EINVAL : 0;
}

static ssize_t
fake_pread(int fd, void *buf, size_t count, loff_t pos)
{
	(void)fd;
	if (asks_for(FAKE_READ_ERROR))
		return -EIO;
	pattern_fill(buf, count, pos);
	if (asks_for(FAKE_WRONG_BYTE))
		((u8 *)buf)[5] ^= 0xff;
	return count;
}

static ssize_t
fake_pwrite(int fd, const void *buf, size_t count, loff_t pos)
{
	(void)fd;
	(void)buf;
	(void)pos;
	return count;
}

static void
fake_work(u64 ns)
{
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

const struct kernel_ops fake_virtual = {
	.kind = "virtual",
	.boot = fake_boot,
	.run_init = fake_run_body,
	.run_exit = fake_run_body,
	.create_task = fake_create_task,
	.start = virtual_start,
	.join = virtual_join,
	.measure_begin = fake_measure_begin,
	.measure_end = fake_measure_end,
	.lines = fake_lines,
	.shutdown = fake_shutdown,
	.sys = { .open = fake_open, .close = fake_close, .pread = fake_pread,
		 .pwrite = fake_pwrite, .file_node = fake_file_node, .work = fake_work,
		 .clock_ps = virtual_clock_ps },
};

const struct kernel_ops fake_host = {
	.kind = "host",
	.boot = fake_boot,
	.run_init = fake_run_body,
	.run_exit = fake_run_body,
	.create_task = fake_create_task,
	.start = host_start,
	.join = host_join,
	.measure_begin = fake_measure_begin,
	.measure_end = fake_measure_end,
	.lines = fake_lines,
	.shutdown = fake_shutdown,
	.sys = { .open = fake_open, .close = fake_close, .pread = fake_pread,
		 .pwrite = fake_pwrite, .file_node = fake_file_node, .work = fake_work },
};
