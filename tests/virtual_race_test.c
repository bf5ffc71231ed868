/*
 * virtual_race_test.c - the race check itself, fed by hand
 *
 * Each test plays a short execution of two or three CPUs and says whether C11
 * orders it. Offsets stand for addresses; nothing runs.
 */
#include "tests/harness.h"

#include <string.h>

#include "machine/runtime.h"
#include "machine/virtual/race.h"

#define DATA 64
#define FLAG 128

static jmp_buf raced;
static char arena[4096];

static void
on_panic(void *context, enum verdict verdict, const char *message, const void *pc1, const void *pc2)
{
	(void)context;
	(void)pc1;
	(void)pc2;
	assert_int_equal(verdict, VERDICT_BUG);
	assert_non_null(strstr(message, "data race"));
	longjmp(raced, 1);
}

static int
setup(void **state)
{
	(void)state;
	runtime_set_panic(on_panic, NULL);
	race_boot(3, arena, sizeof(arena));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	race_shutdown();
	return 0;
}

static void
access_at(int cpu, enum race_kind kind, int order, u64 offset, size_t size)
{
	race_check(&(struct race_access){
		.cpu = cpu, .kind = kind, .order = order, .offset = offset, .size = size });
}

static void
plain_read(int cpu, u64 offset)
{
	access_at(cpu, RACE_PLAIN_READ, 0, offset, 8);
}

static void
plain_write(int cpu, u64 offset)
{
	access_at(cpu, RACE_PLAIN_WRITE, 0, offset, 8);
}

static void
load(int cpu, int order)
{
	access_at(cpu, RACE_ATOMIC_READ, order, FLAG, 8);
}

static void
store(int cpu, int order)
{
	access_at(cpu, RACE_ATOMIC_WRITE, order, FLAG, 8);
}

static void
rmw(int cpu, int order)
{
	access_at(cpu, RACE_ATOMIC_RMW, order, FLAG, 8);
}

/* Evaluate @last, the access that is expected to race (or not). */
#define assert_races(last)                                                                         \
	do {                                                                                       \
		if (!setjmp(raced)) {                                                              \
			last;                                                                      \
			fail_msg("no race reported at " #last);                                    \
		}                                                                                  \
	} while (0)
#define assert_ordered(last)                                                                       \
	do {                                                                                       \
		if (setjmp(raced))                                                                 \
			fail_msg("race reported at " #last);                                       \
		last;                                                                              \
	} while (0)

static void
test_unordered_plain_accesses_race(void **state)
{
	(void)state;
	plain_write(0, DATA);
	assert_races(plain_read(1, DATA));
}

static void
test_two_readers_do_not_race_but_a_writer_with_either(void **state)
{
	(void)state;
	plain_read(0, DATA);
	assert_ordered(plain_read(1, DATA));
	assert_races(plain_write(2, DATA));
}

static void
test_other_bytes_do_not_race(void **state)
{
	(void)state;
	access_at(0, RACE_PLAIN_WRITE, 0, DATA, 4);
	assert_ordered(access_at(1, RACE_PLAIN_WRITE, 0, DATA + 4, 4));
	assert_races(access_at(1, RACE_PLAIN_WRITE, 0, DATA + 3, 1));
}

static void
test_an_unaligned_access_covers_both_granules(void **state)
{
	(void)state;
	access_at(0, RACE_PLAIN_WRITE, 0, DATA + 6, 4);
	assert_races(access_at(1, RACE_PLAIN_READ, 0, DATA + 8, 2));
}

static void
test_marked_against_plain_races_marked_against_marked_does_not(void **state)
{
	(void)state;
	store(0, __ATOMIC_RELAXED);
	assert_ordered(store(1, __ATOMIC_RELAXED));
	assert_races(plain_read(2, FLAG));
}

static void
test_release_to_acquire_orders(void **state)
{
	(void)state;
	plain_write(0, DATA);
	store(0, __ATOMIC_RELEASE);
	load(1, __ATOMIC_ACQUIRE);
	assert_ordered(plain_read(1, DATA));
}

static void
test_what_follows_the_release_is_not_ordered(void **state)
{
	(void)state;
	store(0, __ATOMIC_RELEASE);
	plain_write(0, DATA);
	load(1, __ATOMIC_ACQUIRE);
	assert_races(plain_read(1, DATA));
}

static void
test_relaxed_pair_orders_nothing(void **state)
{
	(void)state;
	plain_write(0, DATA);
	store(0, __ATOMIC_RELAXED);
	load(1, __ATOMIC_RELAXED);
	assert_races(plain_read(1, DATA));
}

static void
test_fences_make_relaxed_accesses_order(void **state)
{
	(void)state;
	plain_write(0, DATA);
	race_fence(0, __ATOMIC_RELEASE);
	store(0, __ATOMIC_RELAXED);
	load(1, __ATOMIC_RELAXED);
	race_fence(1, __ATOMIC_ACQUIRE);
	assert_ordered(plain_read(1, DATA));
}

/* CPU 1's relaxed increment continues the release sequence that CPU 0 headed. */
static void
test_release_sequence_goes_through_a_relaxed_rmw(void **state)
{
	(void)state;
	plain_write(0, DATA);
	store(0, __ATOMIC_RELEASE);
	rmw(1, __ATOMIC_RELAXED);
	load(2, __ATOMIC_ACQUIRE);
	assert_ordered(plain_read(2, DATA));
	assert_races(plain_read(1, DATA));
}

static void
test_a_relaxed_store_ends_the_release_sequence(void **state)
{
	(void)state;
	plain_write(0, DATA);
	store(0, __ATOMIC_RELEASE);
	store(1, __ATOMIC_RELAXED);
	load(2, __ATOMIC_ACQUIRE);
	assert_races(plain_read(2, DATA));
}

/* A queued spinlock: taken by a four-byte cmpxchg, dropped by a one-byte store. */
static void
test_byte_store_releases_the_word(void **state)
{
	(void)state;
	access_at(0, RACE_ATOMIC_RMW, __ATOMIC_ACQUIRE, FLAG, 4);
	plain_write(0, DATA);
	access_at(0, RACE_ATOMIC_WRITE, __ATOMIC_RELEASE, FLAG, 1);
	access_at(1, RACE_ATOMIC_RMW, __ATOMIC_ACQUIRE, FLAG, 4);
	assert_ordered(plain_write(1, DATA));
}

static void
test_a_wake_up_orders(void **state)
{
	(void)state;
	plain_write(0, DATA);
	race_edge(0, 1);
	assert_ordered(plain_write(1, DATA));
	plain_write(0, DATA + 8);
	assert_races(plain_read(1, DATA + 8));
}

/* The reader's access comes before its quiescent state, and so before the free. */
static void
test_a_grace_period_orders_readers_before_the_waiter(void **state)
{
	(void)state;
	race_grace_begin();
	race_grace_wait(0);
	plain_read(1, DATA);
	race_grace_quiescent(1);
	race_grace_quiescent(2);
	race_grace_over(0);
	race_grace_end(0);
	assert_ordered(plain_write(0, DATA));
	assert_races(plain_read(1, DATA));
}

/* What either waiter did before comes before what a reader does after its quiescent state. */
static void
test_a_grace_period_may_have_several_waiters(void **state)
{
	(void)state;
	plain_write(0, DATA);
	plain_write(1, DATA + 8);
	race_grace_begin();
	race_grace_wait(0);
	race_grace_wait(1);
	race_grace_quiescent(2);
	assert_ordered(plain_read(2, DATA));
	assert_ordered(plain_read(2, DATA + 8));
}

/* CPU 0 goes on when the next grace period is under way, and gets what its own gave. */
static void
test_a_late_waiter_has_its_own_grace_period(void **state)
{
	(void)state;
	race_grace_begin();
	race_grace_wait(0);
	plain_read(1, DATA);
	race_grace_quiescent(1);
	race_grace_quiescent(2);
	race_grace_over(0);
	plain_read(1, DATA + 8);
	race_grace_begin();
	race_grace_wait(2);
	race_grace_quiescent(1);
	race_grace_end(0);
	assert_ordered(plain_write(0, DATA));
	assert_races(plain_write(0, DATA + 8));
}

static void
test_new_and_exempt_memory_does_not_race(void **state)
{
	(void)state;
	plain_write(0, DATA);
	race_forget(DATA, 64);
	assert_ordered(plain_write(1, DATA));
	race_exempt(DATA, 64);
	assert_ordered(plain_write(2, DATA));
}

#define race_unit_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		race_unit_test(test_unordered_plain_accesses_race),
		race_unit_test(test_two_readers_do_not_race_but_a_writer_with_either),
		race_unit_test(test_other_bytes_do_not_race),
		race_unit_test(test_an_unaligned_access_covers_both_granules),
		race_unit_test(test_marked_against_plain_races_marked_against_marked_does_not),
		race_unit_test(test_release_to_acquire_orders),
		race_unit_test(test_what_follows_the_release_is_not_ordered),
		race_unit_test(test_relaxed_pair_orders_nothing),
		race_unit_test(test_fences_make_relaxed_accesses_order),
		race_unit_test(test_release_sequence_goes_through_a_relaxed_rmw),
		race_unit_test(test_a_relaxed_store_ends_the_release_sequence),
		race_unit_test(test_byte_store_releases_the_word),
		race_unit_test(test_a_wake_up_orders),
		race_unit_test(test_a_grace_period_orders_readers_before_the_waiter),
		race_unit_test(test_a_grace_period_may_have_several_waiters),
		race_unit_test(test_a_late_waiter_has_its_own_grace_period),
		race_unit_test(test_new_and_exempt_memory_does_not_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
