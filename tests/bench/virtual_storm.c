/*
 * virtual_storm.c - what one modelled transaction costs the host
 *
 * N modelled CPUs hammer one line with fetch_add, so that every access is a
 * transaction. The floor is what any such simulation must do: N coroutines,
 * N - 1 events queued, and each step pushes its own event, pops the earliest
 * and switches to whom it belongs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/virtual/coroutine.h"
#include "machine/virtual/heap.h"
#include "tests/bench/ratio.h"
#include "vfs/kernel_ops.h"

#define STEPS 400000
#define STACK 16384
#define NS 1000ull

static const struct machine_spec epyc_like = {
	.name = "storm",
	.sockets = 2,
	.clock_hz = 2400000000,
	.protocol = PROTOCOL_MOESI,
	.hit_ps = 1500,
	.atomic_ps = 2800,
	.pause_ps = 14 * NS,
	.transfer_ps = { [DISTANCE_CLUSTER] = 27 * NS,
			 [DISTANCE_SOCKET] = 99 * NS,
			 [DISTANCE_REMOTE] = 192 * NS },
	.upgrade_remote = 2,
	.home_rule = true,
	.arbitration = ARBITRATE_RANDOM,
	.request_share_percent = 20,
	.hold_ps = 7 * NS,
	.hold_spread_percent = 25,
	.failed_cas_writes = true,
	.store_buffer = 48,
	.smt_slowdown_percent = 170,
	.jitter = JITTER_EXPONENTIAL,
};

/* --- the floor -------------------------------------------------------- */

struct floor {
	int count;
	int steps;
	int running;
	u64 random;
	u64 now;
	struct event_heap heap;
	struct coroutine home;
	struct coroutine *coroutines;
};

static void
floor_body(void *arg)
{
	struct floor *floor = arg;

	for (;;) {
		int self = floor->running;
		struct event next;

		floor->random = floor->random * 6364136223846793005ull + 1442695040888963407ull;
		next = heap_push_pop(&floor->heap,
				     heap_event(&floor->heap, floor->now + (floor->random >> 48),
						EVENT_RESUME, self));
		floor->now = next.time;
		if (!floor->steps--)
			coroutine_switch(&floor->coroutines[self], &floor->home);
		floor->running = event_index(next);
		if (floor->running != self)
			coroutine_switch(&floor->coroutines[self],
					 &floor->coroutines[floor->running]);
	}
}

static double
time_floor(int count)
{
	struct floor floor = { .count = count, .steps = STEPS, .random = 1 };
	char *stacks = mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 start;

	floor.coroutines = calloc(count, sizeof(*floor.coroutines));
	heap_init(&floor.heap, 2048);
	for (int i = 0; i < count; i++)
		coroutine_init(&floor.coroutines[i], stacks + (size_t)i * STACK, STACK, floor_body,
			       &floor);
	for (int i = 1; i < count; i++)
		heap_push(&floor.heap, heap_event(&floor.heap, i, EVENT_RESUME, i));
	start = bench_now_ns();
	coroutine_switch(&floor.home, &floor.coroutines[0]);
	return (double)(bench_now_ns() - start) / STEPS;
}

/* --- the storm -------------------------------------------------------- */

struct storm {
	u64 *line;
	int additions;	/* of each task */
};

static void
make_line(void *arg)
{
	struct storm *storm = arg;

	storm->line = virtual_kernel.sys.raw_line_create(0, "storm");
	virtual_kernel.measure_begin();
}

static void
hammer(void *arg)
{
	const struct storm *storm = arg;

	for (int i = 0; i < storm->additions; i++)
		virtual_kernel.sys.raw_fetch_add(storm->line, 1);
}

static double
time_storm(const struct machine_spec *spec)
{
	int count = machine_spec_cpus(spec);
	struct storm storm = { .additions = STEPS / count };
	struct kernel_config config = { .spec = spec,
					.seed = 1,
					.tasks = count,
					.memory_bytes = 4 << 20,
					.panic = bench_panic };
	struct measurement measured;
	u64 start;

	if (virtual_kernel.boot(&config) || virtual_kernel.run_init(make_line, &storm))
		abort();
	for (int i = 0; i < count; i++)
		if (virtual_kernel.create_task(TASK_THREAD, i, hammer, &storm))
			abort();
	virtual_kernel.start();
	start = bench_now_ns();
	virtual_kernel.join();
	start = bench_now_ns() - start;
	virtual_kernel.measure_end(&measured);
	return (double)start / measured.transactions;
}

/* --- the contest ------------------------------------------------------ */

struct contest {
	struct timing floor;
	struct timing storm;
};

/* One round in a child: a process boots one kernel. */
static void
run_round(struct contest *contest, int round, const struct machine_spec *spec)
{
	pid_t child = fork();
	int status;

	if (!child) {
		contest->floor.ns[round] = time_floor(machine_spec_cpus(spec));
		contest->storm.ns[round] = time_storm(spec);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status) {
		fprintf(stderr, "virtual_storm: round %d ended with status %#x\n", round, status);
		exit(1);
	}
}

int
main(void)
{
	static const struct {
		int clusters, cores, threads;
		const char *name;
	} sizes[] = { { 1, 12, 1, "24 CPUs" }, { 12, 8, 1, "192 CPUs" }, { 12, 8, 2, "384 CPUs" } };
	struct contest *contests = mmap(NULL, sizeof(struct contest) * ARRAY_SIZE(sizes),
					PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timing per_floor[ARRAY_SIZE(sizes)];
	bool holds = true;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct machine_spec spec = epyc_like;

			spec.clusters_per_socket = sizes[i].clusters;
			spec.cores_per_cluster = sizes[i].cores;
			spec.threads_per_core = sizes[i].threads;
			run_round(&contests[i], round, &spec);
			per_floor[i].ns[round] =
				contests[i].storm.ns[round] / contests[i].floor.ns[round];
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char label[80];

		printf("storm on one line, %s: floor %.1f ns, a transaction %.1f ns\n",
		       sizes[i].name, timing_median(&contests[i].floor),
		       timing_median(&contests[i].storm));
		snprintf(label, sizeof(label), "  transaction over its floor (%s)", sizes[i].name);
		holds &= ratio_print(label, &contests[i].storm, &contests[i].floor, 5);
	}
	holds &= ratio_print("  that ratio at 384 CPUs over the one at 24", &per_floor[2],
			     &per_floor[0], 1.5);
	return !holds;
}
