/*
 * pread_lines_test.c - which cache lines a 64-byte pread of tmpfs touches, and how
 *
 * The published effect hangs on this list: what every reader does to the folio's
 * one line, and that it writes no other line but its own stack. Method: the
 * second of two equal calls is traced. Virtual kind only.
 */
#include "machine/shared/arena_map.h"
#include "machine/virtual/trace.h"
#include "tests/vfs_harness.h"
#include "vfs/fdtable.h"

#define SEEN_MAX 64

/* One access to the folio's line. */
struct step {
	enum access_kind kind;
	size_t offset;
	bool marked;
};

static struct {
	u64 folio;		/* offset of its line in the arena */
	u64 stack;		/* of the reader, somewhere in the middle */
	struct step steps[SEEN_MAX];
	int nr_steps;
	int foreign_writes;	/* stores and RMWs elsewhere */
} seen;

static void
record(void *context, int cpu, const struct access *access)
{
	if (access->offset - seen.folio < CACHE_LINE) {
		BUG_ON(seen.nr_steps == SEEN_MAX, "more than %d accesses", SEEN_MAX);
		seen.steps[seen.nr_steps++] = (struct step){
			.kind = access->kind,
			.offset = access->offset - seen.folio,
			.marked = access->order != ORDER_PLAIN,
		};
	} else if (access->kind != ACCESS_LOAD && access->offset - (seen.stack - 8192) >= 16384) {
		seen.foreign_writes++;
	}
}

static void
pread_twice(void *arg)
{
	loff_t pos = *(const loff_t *)arg;
	int fd = vfs_harness_open("/file", O_RDONLY);
	char buffer[64];

	seen.folio = arena_offset(xa_load(&current->files->fd_array[fd]->f_mapping->i_pages, 0));
	seen.stack = arena_offset(__builtin_frame_address(0));
	EXPECT_EQUAL(sys_pread(fd, buffer, sizeof(buffer), pos), 64);
	trace_accesses(record, NULL);
	EXPECT_EQUAL(sys_pread(fd, buffer, sizeof(buffer), pos), 64);
	trace_accesses(NULL, NULL);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
make_file(void *arg)
{
	vfs_harness_file("/file", 4096, 'x');
}

/* Trace a pread at @pos under @page_ref. */
static void
trace_pread(loff_t pos, int page_ref)
{
	memset(&seen, 0, sizeof(seen));
	policy_value[POLICY_page_ref] = page_ref;
	vfs_harness_boot(1);
	vfs_harness_init(make_file, NULL);
	vfs_harness_run(TASK_PROCESS, 1, pread_twice, &pos);
	vfs_harness_shutdown();
	policy_value[POLICY_page_ref] = page_ref_cas_loop;
}

/* With poisoning, checks look at the line, too: only what writes it must agree. */
static bool
counts(const struct step *step)
{
#ifdef POISON
	return step->kind != ACCESS_LOAD;
#else
	return true;
#endif
}

static void
check(const struct step *expected, int count)
{
	int next = 0;

	for (int i = 0; i < seen.nr_steps; i++) {
		const struct step *step = &seen.steps[i];

		if (!counts(step))
			continue;
		while (next < count && !counts(&expected[next]))
			next++;
		assert_true(next < count);
		assert_int_equal(step->offset, expected[next].offset);
		assert_int_equal(step->kind, expected[next].kind);
		assert_int_equal(step->marked, expected[next].marked);
		next++;
	}
	while (next < count && !counts(&expected[next]))
		next++;
	assert_int_equal(next, count);
	assert_int_equal(seen.foreign_writes, 0);
}

#define CHECK(...)                                                                                 \
	do {                                                                                       \
		const struct step list[] = { __VA_ARGS__ };                                        \
                                                                                                   \
		check(list, ARRAY_SIZE(list));                                                     \
	} while (0)

#define FIELD(name) offsetof(struct folio, name)
#define LOAD_COUNT { ACCESS_LOAD, FIELD(_refcount), true }
#define RMW_COUNT { ACCESS_RMW, FIELD(_refcount), true }
#define LOAD_FLAGS { ACCESS_LOAD, FIELD(flags), true }
#define RMW_FLAGS { ACCESS_RMW, FIELD(flags), true }
#define LOAD_MAPPING { ACCESS_LOAD, FIELD(mapping), false }

/* Get, lock; mapping and uptodate; unlock, put; in between, how large the folio is. */
static void
cas_loop_writes_the_line_four_times(void **state)
{
	trace_pread(64, page_ref_cas_loop);
	CHECK(LOAD_COUNT, RMW_COUNT, RMW_FLAGS, LOAD_MAPPING, LOAD_FLAGS, RMW_FLAGS, LOAD_FLAGS,
	      RMW_COUNT);
}

/* The same without the load that demotes the line's owner. */
static void
locked_bit_and_a_guess_begin_with_the_write(void **state)
{
	trace_pread(64, page_ref_locked_bit);
	CHECK(RMW_COUNT, RMW_FLAGS, LOAD_MAPPING, LOAD_FLAGS, RMW_FLAGS, LOAD_FLAGS, RMW_COUNT);
	trace_pread(64, page_ref_optimistic_cas);
	CHECK(RMW_COUNT, RMW_FLAGS, LOAD_MAPPING, LOAD_FLAGS, RMW_FLAGS, LOAD_FLAGS, RMW_COUNT);
}

/* Reading from a folio's first byte counts as a use: one more look at the flags. */
static void
the_first_bytes_mark_the_folio_accessed(void **state)
{
	trace_pread(0, page_ref_locked_bit);
	CHECK(RMW_COUNT, RMW_FLAGS, LOAD_MAPPING, LOAD_FLAGS, RMW_FLAGS, LOAD_FLAGS, LOAD_FLAGS,
	      RMW_COUNT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cas_loop_writes_the_line_four_times),
		cmocka_unit_test(locked_bit_and_a_guess_begin_with_the_write),
		cmocka_unit_test(the_first_bytes_mark_the_folio_accessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
