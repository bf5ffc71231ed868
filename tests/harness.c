/*
 * harness.c - see harness.h
 */
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/boot.h"
#include "machine/policy.h"
#include "pagecache/pagecache.h"
#include "pagecache/policy.h"
#include "vfs/policy.h"

#define NS 1000ull

const struct machine_spec toy4 = {
	.name = "toy-4",
	.sockets = 2,
	.clusters_per_socket = 1,
	.cores_per_cluster = 2,
	.threads_per_core = 1,
	.clock_hz = 1000000000,
	.protocol = PROTOCOL_MESIF,
	.placement = PLACE_CORES_FIRST,
	.hit_ps = 1 * NS,
	.atomic_ps = 10 * NS,
	.pause_ps = 10 * NS,
	.transfer_ps = { [DISTANCE_CLUSTER] = 50 * NS,
			 [DISTANCE_SOCKET] = 50 * NS,
			 [DISTANCE_REMOTE] = 100 * NS },
	.upgrade_remote = 2,
	.arbitration = ARBITRATE_RANDOM,
	.run_bound = 1,
	.hold_ps = 10 * NS,
	.failed_cas_writes = true,
	.store_buffer = 16,
	.smt_slowdown_percent = 100,
	.jitter = JITTER_NONE,
};

struct panic_pipe {
	int fd; /* -1: print to stderr */
};

static struct panic_pipe panic_pipe = { .fd = -1 };

static void
harness_panic(void *context, enum verdict verdict, const char *message, const void *pc1,
	      const void *pc2)
{
	const struct panic_pipe *pipe = context;

	(void)pc1;
	(void)pc2;
	dprintf(pipe->fd < 0 ? STDERR_FILENO : pipe->fd, "%s\n", message);
	_exit(verdict);
}

static bool no_pagecache;

void
harness_boot(const struct harness *options)
{
	const struct harness none = { 0 };
	const struct harness *o = options ? options : &none;
	struct runtime_config config = {
		.spec = o->spec ? o->spec : &toy4,
		.seed = 1,
		.tasks = o->tasks ? o->tasks : 4,
		.object_bytes = o->object_bytes ? o->object_bytes : 64 << 20,
		.races = o->races,
	};

	no_pagecache = o->no_pagecache;
	runtime_set_panic(harness_panic, &panic_pipe);
	assert_int_equal(machine_boot(&config), 0);
	if (!no_pagecache)
		assert_int_equal(pagecache_boot(o->memory_bytes ? o->memory_bytes : 8 << 20), 0);
}

void
harness_run_each(int tasks, void (*body)(void *arg), void **args)
{
	struct task **made = calloc(tasks, sizeof(*made));

	for (int i = 0; i < tasks; i++) {
		made[i] = runtime_task_create(body, args[i], runtime_place(i), "test");
		assert_non_null(made[i]);
	}
	for (int i = 0; i < tasks; i++)
		runtime_task_start(made[i]);
	runtime_join();
	for (int i = 0; i < tasks; i++)
		runtime_task_destroy(made[i]);
	free(made);
}

void
harness_run(int tasks, void (*body)(void *arg), void *arg)
{
	void **args = calloc(tasks, sizeof(*args));

	for (int i = 0; i < tasks; i++)
		args[i] = arg;
	harness_run_each(tasks, body, args);
	free(args);
}

void
harness_shutdown(void)
{
	if (!no_pagecache)
		pagecache_shutdown();
	machine_shutdown();
	memset(policy_value, 0, sizeof(policy_value));
}

bool
harness_expect_panic(void (*scenario)(void), enum verdict verdict, const char *text)
{
	char message[4096] = "";
	size_t used = 0;
	ssize_t got;
	int fds[2];
	int status;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(fds[0]);
		panic_pipe.fd = fds[1];
		scenario();
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], message + used, sizeof(message) - 1 - used)) > 0)
		used += got;
	close(fds[0]);
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == (int)verdict && strstr(message, text))
		return true;
	print_message("wanted verdict %d with '%s', got status %#x with '%s'\n", (int)verdict, text,
		      status, message);
	return false;
}

bool
harness_is_virtual(void)
{
#ifdef MACHINE_VIRTUAL
	return true;
#else
	return false;
#endif
}

int
harness_many_tasks(int most)
{
	return harness_is_virtual() ? 4 : min(4 * (int)sysconf(_SC_NPROCESSORS_ONLN), most);
}

static const struct {
	int family;
	int choice;
	int flags;
} choices[] = {
#define POLICY_FAMILY(family, default_choice, summary)
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)                             \
	{ POLICY_##family, family##_##choice, flags },
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
};

int
harness_choices(int family)
{
	int nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		nr += choices[i].family == family;
	assert_true(nr > 0);
	return nr;
}

int
harness_choice_flags(int family, int choice)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (choices[i].family == family && choices[i].choice == choice)
			return choices[i].flags;
	return 0;
}
