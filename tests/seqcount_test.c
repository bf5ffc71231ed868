/*
 * seqcount_test.c - a reader never keeps what a writer was in the middle of
 */
#include "tests/harness.h"

#include "machine/arena.h"
#include "machine/seqcount.h"

#define ROUNDS 500

struct shared {
	seqcount_t seq;
	u64 a;		/* marked; equal to b outside the writer */
	u64 b;
};

static void
the_count_is_odd_inside_a_writer(void **state)
{
	seqcount_t seq;
	unsigned int start;

	seqcount_init(&seq);
	start = read_seqcount_begin(&seq);
	assert_int_equal(start, 0);
	assert_false(read_seqcount_retry(&seq, start));
	write_seqcount_begin(&seq);
	assert_int_equal(seq.sequence, 1);
	assert_true(read_seqcount_retry(&seq, start));
	write_seqcount_end(&seq);
	assert_int_equal(seq.sequence, 2);
	assert_true(read_seqcount_retry(&seq, start));
}

static void
write_pairs(struct shared *s)
{
	for (u64 i = 1; i <= ROUNDS; i++) {
		write_seqcount_begin(&s->seq);
		WRITE_ONCE(s->a, i);
		WRITE_ONCE(s->b, i);
		write_seqcount_end(&s->seq);
	}
}

static void
read_pairs(struct shared *s)
{
	u64 last = 0;

	while (last < ROUNDS) {
		unsigned int start;
		u64 a;
		u64 b;

		do {
			start = read_seqcount_begin(&s->seq);
			a = READ_ONCE(s->a);
			b = READ_ONCE(s->b);
		} while (read_seqcount_retry(&s->seq, start));
		BUG_ON(a != b, "torn: %llu and %llu", (unsigned long long)a, (unsigned long long)b);
		BUG_ON(a < last, "back from %llu to %llu", (unsigned long long)last,
		       (unsigned long long)a);
		last = a;
		cpu_relax();
	}
}

struct role {
	struct shared *shared;
	bool writes;
};

static void
play(void *arg)
{
	struct role *role = arg;

	if (role->writes)
		write_pairs(role->shared);
	else
		read_pairs(role->shared);
}

static void
pairs_are_read_whole(void **state)
{
	struct harness options = { .no_pagecache = true, .races = true };
	struct role roles[3];
	void *args[] = { &roles[0], &roles[1], &roles[2] };
	struct shared *s;

	harness_boot(&options);
	s = arena_alloc(sizeof(*s), CACHE_LINE, 0);
	seqcount_init(&s->seq);
	s->a = 0;
	s->b = 0;
	for (int i = 0; i < 3; i++)
		roles[i] = (struct role){ .shared = s, .writes = i == 0 };
	harness_run_each(3, play, args);
	assert_int_equal(s->seq.sequence, 2 * ROUNDS);
	arena_free(s, sizeof(*s));
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_is_odd_inside_a_writer),
		cmocka_unit_test(pairs_are_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
