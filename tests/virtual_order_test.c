/*
 * virtual_order_test.c - the same run twice, and strict against relaxed order
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/boot.h"
#include "machine/cost.h"
#include "machine/runtime.h"
#include "machine/spinlock.h"
#include "machine/virtual/trace.h"

#define SEEDS 8
#define LOOPS 1500

static struct {
	spinlock_t *lock;
	u64 *counter;		/* on the lock's line */
	u64 *reference;		/* a line of its own */
	u64 *constant;		/* never written */
	u64 finished_ps;	/* last task's end */
	u64 hash;		/* of the trace */
} scene;

/* Some of everything: private work, a read-mostly line, a lock, a contended count. */
static void
mixed_work(void *arg)
{
	u64 *private = arena_alloc(CACHE_LINE, CACHE_LINE, cpu_to_node(smp_processor_id()));
	u64 now;

	*private = 0;
	for (int i = 0; i < LOOPS; i++) {
		u64 old = __atomic_load_n(scene.reference, __ATOMIC_RELAXED);

		spend(COST_syscall);
		*private += *scene.constant;
		while (!__atomic_compare_exchange_n(scene.reference, &old, old + 1, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		spin_lock(scene.lock);
		*scene.counter += *private;
		spin_unlock(scene.lock);
		__atomic_fetch_sub(scene.reference, 1, __ATOMIC_SEQ_CST);
	}
	arena_free(private, CACHE_LINE);
	now = runtime_clock_ps();
	if (now > scene.finished_ps)
		scene.finished_ps = now;
}

static void
hash_access(void *context, int cpu, const struct access *access)
{
	const u64 words[] = { cpu, access->offset, access->size, access->kind };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		scene.hash = (scene.hash ^ words[i]) * 0x100000001b3;
}

/* Return: the time at which the last of four tasks was done, in ps. */
static u64
run(u64 seed, u64 run_ahead_ps, bool trace)
{
	struct machine_spec spec = toy4;
	struct runtime_config config = {
		.spec = &spec, .seed = seed, .tasks = 4, .object_bytes = 64 << 20
	};

	spec.jitter = JITTER_EXPONENTIAL;
	/*
	 * Times in whole nanoseconds and a fixed hold make CPUs meet at equal times,
	 * where the sequence decides, and that differs by design. Real files spread.
	 */
	spec.hold_ps = 20 * 1000;
	spec.hold_spread_percent = 50;
	spec.cost_ps[COST_syscall] = 600 * 1000;
	spec.run_ahead_ps = run_ahead_ps;
	scene.finished_ps = 0;
	scene.hash = 0xcbf29ce484222325;
	assert_int_equal(machine_boot(&config), 0);
	scene.lock = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	spin_lock_init(scene.lock);
	scene.counter = (u64 *)scene.lock + 1;
	scene.reference = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	scene.constant = arena_alloc(CACHE_LINE, CACHE_LINE, 1);
	*scene.counter = 0;
	*scene.reference = 1;
	*scene.constant = 3;
	if (trace)
		trace_accesses(hash_access, NULL);
	harness_run(4, mixed_work, NULL);
	trace_accesses(NULL, NULL);
	assert_int_equal(*scene.reference, 1);
	assert_int_equal(*scene.counter, 4 * 3 * (LOOPS * (LOOPS + 1) / 2));
	arena_free(scene.lock, CACHE_LINE);
	arena_free(scene.reference, CACHE_LINE);
	arena_free(scene.constant, CACHE_LINE);
	machine_shutdown();
	return scene.finished_ps;
}

static void
a_seed_gives_one_trace_and_another_seed_another(void **state)
{
	u64 time = run(1, 0, true);
	u64 hash = scene.hash;

	assert_int_equal(run(1, 0, true), time);
	assert_int_equal(scene.hash, hash);
	assert_int_not_equal(run(2, 0, true), time);
	assert_int_not_equal(scene.hash, hash);
}

static void
watching_changes_no_time(void **state)
{
	assert_int_equal(run(3, 0, true), run(3, 0, false));
	assert_int_equal(run(3, 1000 * 1000, true), run(3, 1000 * 1000, false));
}

/* Within 0.5 %, or within three standard errors of the difference. */
static void
strict_and_relaxed_order_agree(void **state)
{
	double sum = 0, squares = 0, total = 0, mean, variance, bound;

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		double strict = run(seed, 0, false);
		double difference = run(seed, 1000 * 1000, false) - strict;

		total += strict;
		sum += difference;
		squares += difference * difference;
	}
	mean = sum / SEEDS;
	variance = (squares / SEEDS - mean * mean) / (SEEDS - 1);
	bound = 0.005 * total / SEEDS;
	print_message("relaxed - strict: %.3f %% of the time\n", 100 * sum / total);
	assert_true(mean * mean < bound * bound || mean * mean < 9 * variance);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_gives_one_trace_and_another_seed_another),
		cmocka_unit_test(watching_changes_no_time),
		cmocka_unit_test(strict_and_relaxed_order_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
