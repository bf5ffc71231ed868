/*
 * atomic_test.c - what the atomics return, and that none of them loses an update
 */
#include "tests/harness.h"

#include <string.h>

#include "machine/arena.h"
#include "machine/bit_spinlock.h"
#include "machine/bitops.h"

#define TASKS 4
#define ROUNDS 1000

struct shared {
	atomic_t sum;
	atomic64_t wide;
	unsigned long lock;	/* bit 3 is a bit spinlock */
	u64 guarded;		/* plain, under that bit */
};

static void
arithmetic_returns_the_old_value(void **state)
{
	atomic_t v;

	atomic_init(&v, 5);
	assert_int_equal(atomic_fetch_add(3, &v), 5);
	assert_int_equal(atomic_fetch_sub(6, &v), 8);
	assert_int_equal(atomic_read(&v), 2);
	assert_false(atomic_sub_and_test(1, &v));
	assert_true(atomic_dec_and_test(&v));
	atomic_set(&v, -1);
	assert_int_equal(atomic_xchg(&v, 7), -1);
	atomic_add(10, &v);
	atomic_sub(2, &v);
	atomic_inc(&v);
	atomic_dec(&v);
	assert_int_equal(atomic_read_acquire(&v), 15);
}

static void
a_failed_cmpxchg_reports_what_it_found(void **state)
{
	atomic64_t v;
	s64 old = 1;

	atomic_init(&v, 2);
	assert_false(atomic64_try_cmpxchg(&v, &old, 9));
	assert_int_equal(old, 2);
	assert_true(atomic64_try_cmpxchg(&v, &old, 9));
	assert_int_equal(atomic64_read(&v), 9);
}

static void
bits_return_what_they_were(void **state)
{
	unsigned long word = 0;

	assert_false(test_and_set_bit(63, &word));
	assert_true(test_and_set_bit(63, &word));
	assert_true(word == 1ul << 63);
	assert_true(test_and_clear_bit(63, &word));
	assert_false(test_bit(63, &word));
	set_bit(1, &word);
	__set_bit(2, &word);
	clear_bit(1, &word);
	assert_true(word == 4 && __test_bit(2, &word));
}

static void
xor_unlock_sees_bit_seven_only(void **state)
{
	unsigned long word = 0x101;

	assert_false(xor_unlock_is_negative_byte(1, &word));
	assert_true(word == 0x100);
	word = 0x81;
	assert_true(xor_unlock_is_negative_byte(1, &word));
	assert_true(word == 0x80);
}

static void
update(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < ROUNDS; i++) {
		s64 old = atomic64_read(&s->wide);

		atomic_inc(&s->sum);
		while (!atomic64_try_cmpxchg_relaxed(&s->wide, &old, old + 3))
			;
		bit_spin_lock(3, &s->lock);
		s->guarded++;
		bit_spin_unlock(3, &s->lock);
	}
}

static void
nothing_is_lost_among_four_tasks(void **state)
{
	struct harness options = { .no_pagecache = true, .races = true };
	struct shared *s;

	harness_boot(&options);
	s = arena_alloc(sizeof(*s), CACHE_LINE, 0);
	memset(s, 0, sizeof(*s));
	harness_run(TASKS, update, s);
	assert_int_equal(atomic_read(&s->sum), TASKS * ROUNDS);
	assert_int_equal(atomic64_read(&s->wide), 3 * TASKS * ROUNDS);
	assert_int_equal(s->guarded, TASKS * ROUNDS);
	assert_int_equal(s->lock, 0);
	arena_free(s, sizeof(*s));
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_returns_the_old_value),
		cmocka_unit_test(a_failed_cmpxchg_reports_what_it_found),
		cmocka_unit_test(bits_return_what_they_were),
		cmocka_unit_test(xor_unlock_sees_bit_seven_only),
		cmocka_unit_test(nothing_is_lost_among_four_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
