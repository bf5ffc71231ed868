/*
 * virtual_access_test.c - every access is seen: known code against lists made by hand
 *
 * The list of a function is what a reader of its source expects: which bytes of
 * which object it loads, stores and exchanges, in order. gcc -O2 must match it
 * exactly; other compilers and -O0 may load a plain field once more or less and
 * must match in the marked accesses (atomics). The task's own stack is left out.
 */
#include "tests/harness.h"

#include <string.h>

#include "machine/arena.h"
#include "machine/list.h"
#include "machine/runtime.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/trace.h"
#include "pagecache/page_ref.h"
#include "pagecache/xarray.h"

#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(POISON)
#define EXACT true
#else
#define EXACT false
#endif

#define SEEN_MAX 256

/* An object of the scene, in the arena, by a letter. */
struct object {
	char letter;
	const void *start;
	size_t size;
};

/* One access: object, offset, size, kind; marked or plain. */
struct expected {
	char object;
	u32 offset;
	u32 size;
	enum access_kind kind;
	bool marked;
};

#define PLAIN_LOAD(object, offset, size) { object, offset, size, ACCESS_LOAD, false }
#define PLAIN_STORE(object, offset, size) { object, offset, size, ACCESS_STORE, false }
#define MARKED_LOAD(object, offset, size) { object, offset, size, ACCESS_LOAD, true }
#define MARKED_RMW(object, offset, size) { object, offset, size, ACCESS_RMW, true }

static struct {
	struct object objects[4];
	int nr_objects;
	struct expected seen[SEEN_MAX];
	int nr_seen;
} scene;

static void
name_object(char letter, const void *start, size_t size)
{
	scene.objects[scene.nr_objects++] = (struct object){ letter, start, size };
}

static void
record(void *context, int cpu, const struct access *access)
{
	for (int i = 0; i < scene.nr_objects; i++) {
		const struct object *object = &scene.objects[i];
		u64 offset = access->offset - arena_offset(object->start);

		if (offset >= object->size)
			continue;
		assert_true(scene.nr_seen < SEEN_MAX);
		scene.seen[scene.nr_seen++] =
			(struct expected){ object->letter, offset, access->size, access->kind,
					   access->order != ORDER_PLAIN };
	}
}

static void
watch(void)
{
	scene.nr_seen = 0;
	trace_accesses(record, NULL);
}

static void
print_access(const char *what, const struct expected *access)
{
	static const char *const kinds[] = { "load", "store", "rmw" };

	print_message("%s %s %s %c+%u size %u\n", what, access->marked ? "marked" : "plain",
		      kinds[access->kind], access->object, access->offset, access->size);
}

static bool
same_access(const struct expected *a, const struct expected *b)
{
	return a->object == b->object && a->offset == b->offset && a->size == b->size &&
	       a->kind == b->kind && a->marked == b->marked;
}

/* What was seen since watch() is @expected, or agrees with it in the marked accesses. */
static void
check(const struct expected *expected, int count)
{
	bool same = true;
	int next = 0;

	trace_accesses(NULL, NULL);
	for (int i = 0; i < scene.nr_seen; i++) {
		if (!EXACT && !scene.seen[i].marked)
			continue;
		while (!EXACT && next < count && !expected[next].marked)
			next++;
		if (next == count || !same_access(&scene.seen[i], &expected[next]))
			same = false;
		next++;
	}
	while (!EXACT && next < count && !expected[next].marked)
		next++;
	if (same && next == count)
		return;
	for (int i = 0; i < count; i++)
		print_access("expected", &expected[i]);
	for (int i = 0; i < scene.nr_seen; i++)
		print_access("seen", &scene.seen[i]);
	fail();
}

#define CHECK(...)                                                                                 \
	do {                                                                                       \
		const struct expected list[] = { __VA_ARGS__ };                                    \
                                                                                                   \
		check(list, ARRAY_SIZE(list));                                                     \
	} while (0)

static void *
new_object(char letter, size_t size)
{
	void *object = arena_alloc(size, CACHE_LINE, 0);

	memset(object, 0, size);
	name_object(letter, object, size);
	return object;
}

static void
free_objects(void)
{
	for (int i = 0; i < scene.nr_objects; i++)
		arena_free((void *)scene.objects[i].start, scene.objects[i].size);
	scene.nr_objects = 0;
}

static void
run(void (*body)(void *arg))
{
	harness_boot(NULL);
	harness_run(1, body, NULL);
	harness_shutdown();
}

/* --- a list ------------------------------------------------------------------ */

static void
list_body(void *arg)
{
	struct list_head *head = new_object('h', sizeof(*head));
	struct list_head *first = new_object('a', sizeof(*first));
	struct list_head *item = new_object('i', sizeof(*item));

	INIT_LIST_HEAD(head);
	list_add(first, head);
	watch();
	list_add(item, head);
	CHECK(PLAIN_LOAD('h', 0, 8),	/* head->next */
	      PLAIN_STORE('a', 8, 8),	/* next->prev = item */
	      PLAIN_STORE('i', 0, 8), PLAIN_STORE('i', 8, 8),
	      PLAIN_STORE('h', 0, 8));	/* prev->next = item */
	watch();
	list_del(item);
	CHECK(PLAIN_LOAD('i', 0, 8), PLAIN_LOAD('i', 8, 8), PLAIN_STORE('a', 8, 8),
	      PLAIN_STORE('h', 0, 8));
	free_objects();
}

static void
a_list_insertion_touches_its_neighbours_lines(void **state)
{
	run(list_body);
}

/* --- a page's reference count --------------------------------------------------- */

#define REFCOUNT offsetof(struct page, _refcount)

static void
page_ref_body(void *arg)
{
	struct page *page = new_object('p', sizeof(*page));
	bool got, last;

	set_page_count_frozen(page);
	set_page_refcounted(page);
	watch();
	got = page_ref_add_unless_frozen(page, 1);
	if (policy_value[POLICY_page_ref] == page_ref_cas_loop)
		CHECK(MARKED_LOAD('p', REFCOUNT, 4), MARKED_RMW('p', REFCOUNT, 4));
	else
		CHECK(MARKED_RMW('p', REFCOUNT, 4));
	assert_true(got);
	watch();
	last = page_ref_sub_and_test(page, 1);
	CHECK(MARKED_RMW('p', REFCOUNT, 4));
	assert_false(last);
	watch();
	last = page_ref_sub_and_test(page, 1);
	if (policy_value[POLICY_page_ref] == page_ref_cas_loop)
		CHECK(MARKED_RMW('p', REFCOUNT, 4));
	else
		CHECK(MARKED_RMW('p', REFCOUNT, 4), MARKED_RMW('p', REFCOUNT, 4));
	assert_true(last);
	free_objects();
}

static void
cas_loop_gets_by_load_and_cmpxchg(void **state)
{
	run(page_ref_body);
}

static void
locked_bit_gets_by_one_atomic_and_puts_the_last_by_two(void **state)
{
	policy_value[POLICY_page_ref] = page_ref_locked_bit;
	run(page_ref_body);
}

/* --- an array ---------------------------------------------------------------------- */

static void
xarray_body(void *arg)
{
	struct xarray *xa = arena_alloc(sizeof(*xa), CACHE_LINE, 0);

	xa_init(xa);
	assert_int_equal(xa_store(xa, 1, 0, xa_mk_value(7)), 0);
	name_object('x', xa, sizeof(*xa));
	name_object('n', xa_to_node(xa->xa_head), sizeof(struct xa_node));
	watch();
	assert_ptr_equal(xa_load(xa, 1), xa_mk_value(7));
	CHECK(MARKED_LOAD('x', offsetof(struct xarray, xa_head), 8),
	      PLAIN_LOAD('n', offsetof(struct xa_node, shift), 1),
	      MARKED_LOAD('n', offsetof(struct xa_node, slots[1]), 8));
	scene.nr_objects = 0;
	xa_erase(xa, 1);
	arena_free(xa, sizeof(*xa));
}

static void
an_xarray_load_reads_head_shift_and_slot(void **state)
{
	run(xarray_body);
}

/* --- copies -------------------------------------------------------------------------- */

struct triple {
	u64 word[3];
};

static noinline void
copy_triple(struct triple *to, const struct triple *from)
{
	*to = *from;
}

static void
copy_body(void *arg)
{
	char *from = new_object('f', 4096);
	char *to = new_object('t', 4096);

	watch();
	copy_triple((struct triple *)to, (const struct triple *)from);
	/* gcc announces the target of an assignment before its source. */
	CHECK(PLAIN_STORE('t', 0, 24), PLAIN_LOAD('f', 0, 24));
	watch();
	memcpy(to + 8, from + 8, 24);
	CHECK(PLAIN_LOAD('f', 8, 24), PLAIN_STORE('t', 8, 24));
	watch();
	memcpy(to, from, 4096);
	CHECK(PLAIN_LOAD('f', 0, 4096), PLAIN_STORE('t', 0, 4096));
	watch();
	memset(to, 0, 64);
	CHECK(PLAIN_STORE('t', 0, 64));
	free_objects();
}

static void
copies_are_seen_whole(void **state)
{
	run(copy_body);
}

/* toy-4: a hit is 1 ns, memory costs nothing: time is lines touched. */
static void
copy_time_body(void *arg)
{
	char *from = new_object('f', 4096);
	char *to = new_object('t', 4096);
	u64 start = runtime_clock_ps();

	memcpy(to, from, 4096);
	assert_int_equal(runtime_clock_ps() - start, 2 * 64 * 1000);
	start = runtime_clock_ps();
	memcpy(to + 60, from, 24);
	assert_int_equal(runtime_clock_ps() - start, (2 + 1) * 1000);
	free_objects();
}

static void
a_copy_is_charged_for_each_line_of_both_sides(void **state)
{
	run(copy_time_body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_insertion_touches_its_neighbours_lines),
		cmocka_unit_test(cas_loop_gets_by_load_and_cmpxchg),
		cmocka_unit_test(locked_bit_gets_by_one_atomic_and_puts_the_last_by_two),
		cmocka_unit_test(an_xarray_load_reads_head_shift_and_slot),
		cmocka_unit_test(copies_are_seen_whole),
		cmocka_unit_test(a_copy_is_charged_for_each_line_of_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
