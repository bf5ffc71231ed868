/*
 * xarray_test.c - random programs against a plain array; readers against a writer
 */
#include "tests/harness.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/random.h"
#include "machine/sched.h"
#include "pagecache/xarray.h"

#define SIZE 8192u	/* indices, two levels below a third */

/* The plain array: what covers each index, and where that begins. */
static struct {
	void *entry;
	unsigned int first;
	unsigned int order;
	bool mark[XA_MAX_MARKS];	/* of the first index of each entry */
} plain[SIZE];

/* Things to store; only their addresses matter. */
static u64 things[SIZE];

static void
plain_erase(unsigned int index)
{
	unsigned int first = plain[index].first;
	unsigned int order = plain[index].order;

	if (!plain[index].entry)
		return;
	for (unsigned int i = first; i < first + (1u << order); i++)
		memset(&plain[i], 0, sizeof(plain[i]));
}

/* Same size: marks stay. Anything else: they go. */
static void
plain_store(unsigned int index, unsigned int order, void *entry)
{
	unsigned int first = index >> order << order;
	bool same = plain[first].entry && plain[first].first == first &&
		    plain[first].order == order;

	for (unsigned int i = first; i < first + (1u << order); i++) {
		if (!same)
			plain_erase(i);
	}
	for (unsigned int i = first; i < first + (1u << order); i++) {
		plain[i].entry = entry;
		plain[i].first = first;
		plain[i].order = order;
	}
}

static void
compare(struct xarray *xa)
{
	XA_STATE(xas, xa, 0);
	unsigned int index = 0;
	void *entry;

	for (unsigned int i = 0; i < SIZE; i++) {
		BUG_ON(xa_load(xa, i) != plain[i].entry, "index %u differs", i);
		for (xa_mark_t mark = 0; mark < XA_MAX_MARKS; mark++)
			BUG_ON(xa_get_mark(xa, i, mark) != plain[plain[i].first].mark[mark] &&
				       plain[i].entry,
			       "mark %u of index %u differs", mark, i);
	}
	rcu_read_lock();
	xas_for_each(&xas, entry, ~0ul) {
		while (index < SIZE && !plain[index].entry)
			index++;
		BUG_ON(xas.xa_index != index || entry != plain[index].entry,
		       "iteration met %lu instead of %u", xas.xa_index, index);
		index += 1u << plain[index].order;
	}
	rcu_read_unlock();
	while (index < SIZE)
		BUG_ON(plain[index++].entry, "iteration missed %u", index - 1);
}

static void
compare_marked(struct xarray *xa, xa_mark_t mark)
{
	XA_STATE(xas, xa, 0);
	unsigned int index = 0;
	void *entry;

	rcu_read_lock();
	while ((entry = xas_find_marked(&xas, ~0ul, mark))) {
		while (index < SIZE && !plain[index].mark[mark])
			index++;
		BUG_ON(xas.xa_index != index, "met %lu, not %u", xas.xa_index, index);
		index++;
	}
	rcu_read_unlock();
	while (index < SIZE)
		BUG_ON(plain[index++].mark[mark], "missed %u", index - 1);
}

static void
random_step(struct xarray *xa, struct random_stream *random)
{
	unsigned int span = random_below(random, 3) ? SIZE : 80;
	unsigned int index = random_below(random, span);
	unsigned int order = random_below(random, 4) ? 0 : random_below(random, 9);
	xa_mark_t mark = random_below(random, XA_MAX_MARKS);
	void *entry = &things[random_below(random, SIZE)];

	switch (random_below(random, 6)) {
	case 0:
	case 1:
		/* A store must not cut a larger entry. */
		if (plain[index].entry && plain[index].order > order)
			order = plain[index].order;
		BUG_ON(xa_store(xa, index, order, entry), "no memory");
		plain_store(index, order, entry);
		break;
	case 2:
	case 3:
		BUG_ON(xa_erase(xa, index) != plain[index].entry, "erased something else");
		plain_erase(index);
		break;
	case 4:
		xa_set_mark(xa, index, mark);
		if (plain[index].entry)
			plain[plain[index].first].mark[mark] = true;
		break;
	case 5:
		xa_clear_mark(xa, index, mark);
		if (plain[index].entry)
			plain[plain[index].first].mark[mark] = false;
		break;
	}
}

static void
erase_all(struct xarray *xa)
{
	for (unsigned int i = 0; i < SIZE; i++) {
		xa_erase(xa, i);
		plain_erase(i);
	}
	BUG_ON(!xa_empty(xa), "not empty");
}

static void
check_random(void *arg)
{
	struct random_stream random;
	struct xarray xa;

	random_init(&random, 1, "xarray_test");
	xa_init(&xa);
	for (int step = 0; step < 3000; step++) {
		random_step(&xa, &random);
		if (step % 300)
			continue;
		compare(&xa);
		for (xa_mark_t mark = 0; mark < XA_MAX_MARKS; mark++)
			compare_marked(&xa, mark);
		if (step % 1200 == 0)
			erase_all(&xa);
	}
	erase_all(&xa);
}

/* Stores, erasures, marks and iteration agree with a plain array; no node is left. */
static void
calls_agree_with_a_plain_array(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_random, NULL);
	harness_shutdown();
}

/* The tree is as tall as the largest index needs, and one entry at 0 needs no node. */
static void
check_height(void *arg)
{
	struct xarray xa;

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 0, 0, &things[0]), "no memory");
	BUG_ON(xa.xa_head != &things[0], "a node for one entry at 0");
	BUG_ON(xa_store(&xa, 63, 0, &things[1]), "no memory");
	BUG_ON(xa_to_node(xa.xa_head)->shift != 0, "more than one level for 64 entries");
	BUG_ON(xa_store(&xa, 64, 0, &things[2]), "no memory");
	BUG_ON(xa_to_node(xa.xa_head)->shift != 6, "not two levels for 65");
	BUG_ON(xa_store(&xa, ~0ul, 0, &things[3]), "no memory");
	BUG_ON(xa_to_node(xa.xa_head)->shift != 60, "not eleven levels for the last index");
	BUG_ON(xa_load(&xa, ~0ul) != &things[3], "last index lost");
	xa_erase(&xa, ~0ul);
	BUG_ON(xa_to_node(xa.xa_head)->shift != 6, "does not shrink");
	xa_erase(&xa, 64);
	xa_erase(&xa, 63);
	BUG_ON(xa.xa_head != &things[0], "does not shrink to one entry");
	xa_erase(&xa, 0);
	BUG_ON(!xa_empty(&xa), "not empty");
}

static void
the_tree_is_as_tall_as_the_largest_index(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_height, NULL);
	harness_shutdown();
}

/* A folio of 2^k pages: one pointer and siblings, or slots of a higher node. */
static void
check_orders(void *arg)
{
	struct xa_node *node;
	struct xarray xa;

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 4, 2, &things[0]), "no memory");
	node = xa_to_node(xa.xa_head);
	BUG_ON(node->slots[4] != &things[0], "no pointer in the first slot");
	for (int i = 5; i < 8; i++)
		BUG_ON(node->slots[i] != xa_mk_internal(4), "slot %d is no sibling of 4", i);
	BUG_ON(node->count != 4, "%d slots in use", node->count);
	BUG_ON(xa_erase(&xa, 6) != &things[0] || !xa_empty(&xa), "not erased as a whole");

	BUG_ON(xa_store(&xa, 128, 7, &things[1]), "no memory");
	node = xa_to_node(xa.xa_head);
	BUG_ON(node->shift != 6 || node->slots[2] != &things[1] ||
		       node->slots[3] != xa_mk_internal(2),
	       "128 pages are not two slots one level up");
	BUG_ON(xa_load(&xa, 255) != &things[1] || xa_load(&xa, 256), "wrong range");
	xa_erase(&xa, 200);
	BUG_ON(!xa_empty(&xa), "not empty");
}

static void
a_large_entry_is_a_pointer_and_siblings(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_orders, NULL);
	harness_shutdown();
}

/* From index 0 on, whether the tree is empty or has a few entries that go. */
static void
check_order_at_0(struct xarray *xa, unsigned int order, unsigned int entries)
{
	unsigned long last = (1ul << order) - 1;

	for (unsigned int i = 0; i < entries; i++)
		BUG_ON(xa_store(xa, i, 0, &things[i]), "no memory");
	BUG_ON(xa_store(xa, 0, order, &things[SIZE - 1]), "no memory");
	BUG_ON(xa_load(xa, 0) != &things[SIZE - 1], "order %u: nothing at 0", order);
	BUG_ON(xa_load(xa, last) != &things[SIZE - 1], "order %u: nothing at %lu", order, last);
	BUG_ON(xa_load(xa, last + 1), "order %u: more than %lu indices", order, last + 1);
	BUG_ON(xa_erase(xa, last) != &things[SIZE - 1], "order %u: erased something else", order);
	BUG_ON(!xa_empty(xa), "order %u: not empty", order);
}

static void
check_orders_at_0(void *arg)
{
	struct xarray xa;

	xa_init(&xa);
	for (unsigned int order = 0; order <= 13; order++) {
		check_order_at_0(&xa, order, 0);
		check_order_at_0(&xa, order, 1);
		check_order_at_0(&xa, order, min(1u << order, 64u));
	}
}

/* Only an entry of one index lies in xa_head: one that fills a whole node needs a node above. */
static void
large_entries_at_0_get_a_node(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_orders_at_0, NULL);
	harness_shutdown();
}

/*
 *   reader of 5                    writer
 *   loads slot 5: sibling of 4
 *                                  4 .. 7 goes, 0 .. 7 comes
 *   loads slot 4: sibling of 0
 */
static void
check_sibling_of_a_sibling(void *arg)
{
	struct xa_node *node;
	struct xarray xa;

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 0, 3, &things[0]), "no memory");
	node = xa_to_node(xa.xa_head);
	rcu_assign_pointer(node->slots[5], xa_mk_internal(4)); /* what the reader has seen */
	BUG_ON(xa_load(&xa, 5) != &things[0], "found %p", xa_load(&xa, 5));
	rcu_assign_pointer(node->slots[5], xa_mk_internal(0));
	xa_erase(&xa, 0);
}

/* A reader never takes a sibling for an entry, however often its slot changes hands. */
static void
a_reader_never_takes_a_sibling_for_an_entry(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_sibling_of_a_sibling, NULL);
	harness_shutdown();
}

/* Numbers can be stored, too, and are told from pointers. */
static void
check_values(void *arg)
{
	struct xarray xa;
	void *entry;

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 7, 0, xa_mk_value(12345)), "no memory");
	entry = xa_load(&xa, 7);
	BUG_ON(!xa_is_value(entry) || xa_to_value(entry) != 12345, "not the number stored");
	BUG_ON(xa_is_value(&things[0]) || xa_is_internal(&things[0]), "a pointer is no number");
	xa_erase(&xa, 7);
	BUG_ON(!xa_empty(&xa), "not empty");
}

static void
numbers_can_be_stored_too(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_values, NULL);
	harness_shutdown();
}

/* xas_reload() sees that the slot has changed, and that the tree has. */
static void
check_reload(void *arg)
{
	struct xarray xa;
	XA_STATE(xas, &xa, 5);

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 5, 0, &things[0]), "no memory");
	rcu_read_lock();
	BUG_ON(xas_load(&xas) != &things[0] || xas_reload(&xas) != &things[0], "not there");
	BUG_ON(xa_store(&xa, 5, 0, &things[1]), "no memory");
	BUG_ON(xas_reload(&xas) != &things[1], "replacement not seen");
	xa_erase(&xa, 5);
	BUG_ON(xas_reload(&xas), "removal not seen");

	/* The entry at 0 moves out of its node when it is the last one. */
	BUG_ON(xa_store(&xa, 0, 0, &things[0]) || xa_store(&xa, 1, 0, &things[1]), "no memory");
	xas_set(&xas, 0);
	BUG_ON(xas_load(&xas) != &things[0], "not there");
	xa_erase(&xa, 1);
	BUG_ON(!xas_retry(&xas, xas_reload(&xas)), "an orphaned node's slot taken for the array's");
	BUG_ON(xas_load(&xas) != &things[0], "not there after the retry");
	rcu_read_unlock();
	xa_erase(&xa, 0);
}

static void
reload_sees_that_slot_or_tree_changed(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_reload, NULL);
	harness_shutdown();
}

/* --- readers and a writer --- */

#define RANGE 256u
#define BLOCK 8u

static struct xarray *racing;
static atomic_t readers_left;

/* Whatever a reader finds at an index belongs to its block of eight. */
static void
read_racing(void)
{
	struct random_stream random;

	random_init(&random, smp_processor_id(), "reader");
	for (int i = 0; i < 2000; i++) {
		unsigned int index = random_below(&random, RANGE);
		u64 *entry = xa_load(racing, index);

		BUG_ON(entry && (entry - things) / BLOCK != index / BLOCK,
		       "index %u holds entry %td", index, entry - things);
	}
	atomic_dec(&readers_left);
}

static void
store_racing(unsigned int index, unsigned int order)
{
	BUG_ON(xa_store(racing, index, order, &things[index]), "no memory");
}

/* Blocks come and go: as one large entry, as two halves, or as two of one index each. */
static void
write_racing(void)
{
	struct random_stream random;

	random_init(&random, 1, "writer");
	while (atomic_read(&readers_left)) {
		unsigned int first = random_below(&random, RANGE / BLOCK) * BLOCK;
		unsigned int shape = random_below(&random, 3);

		for (unsigned int i = 0; i < BLOCK; i++)
			xa_erase(racing, first + i);
		if (shape == 0) {
			store_racing(first, 3);
		} else {
			store_racing(first, shape == 1 ? 2 : 0);
			store_racing(first + BLOCK / 2, shape == 1 ? 2 : 0);
		}
		cond_resched();
	}
	for (unsigned int i = 0; i < RANGE; i++)
		xa_erase(racing, i);
}

static void
read_or_write(void *arg)
{
	if (arg)
		write_racing();
	else
		read_racing();
}

/* Readers take no lock: they see old or new, never something else, and no freed node. */
static void
readers_see_old_or_new_and_no_freed_node(void **state)
{
	const struct harness options = { .races = true };
	void *args[4] = { &readers_left };

	harness_boot(&options);
	racing = arena_alloc(sizeof(*racing), CACHE_LINE, 0);
	assert_non_null(racing);
	xa_init(racing);
	atomic_set(&readers_left, 3);
	harness_run_each(4, read_or_write, args);
	assert_true(xa_empty(racing));
	arena_free(racing, sizeof(*racing));
	harness_shutdown();
}

/* --- broken use --- */

static void
cut(void *arg)
{
	struct xarray xa;

	xa_init(&xa);
	BUG_ON(xa_store(&xa, 8, 3, &things[0]), "no memory");
	BUG_ON(xa_store(&xa, 9, 0, &things[1]), "no memory");
}

static void
cut_a_large_entry(void)
{
	harness_boot(NULL);
	harness_run(1, cut, NULL);
}

static void
a_store_that_cuts_an_entry_is_a_bug(void **state)
{
	assert_true(harness_expect_panic(cut_a_large_entry, VERDICT_BUG,
					 "index 9 is inside a larger entry"));
}

/* Without memory a store fails and leaves the array as it was. */
static void
check_no_memory(void *arg)
{
	unsigned long step = 1ul << 24;
	unsigned long stored = 0;
	struct xarray xa;
	int err = 0;

	xa_init(&xa);
	while (!err && stored < 1000000) {
		err = xa_store(&xa, stored * step, 0, &things[stored % SIZE]);
		stored += !err;
	}
	BUG_ON(err != -ENOMEM, "error %d after %lu entries", err, stored);
	BUG_ON(xa_load(&xa, stored * step), "the failed store is there");
	while (stored--)
		BUG_ON(xa_erase(&xa, stored * step) != &things[stored % SIZE], "entry %lu lost",
		       stored);
	BUG_ON(!xa_empty(&xa), "not empty");
}

static void
without_memory_a_store_changes_nothing(void **state)
{
	harness_boot(NULL);
	harness_run(1, check_no_memory, NULL);
	harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_agree_with_a_plain_array),
		cmocka_unit_test(the_tree_is_as_tall_as_the_largest_index),
		cmocka_unit_test(a_large_entry_is_a_pointer_and_siblings),
		cmocka_unit_test(large_entries_at_0_get_a_node),
		cmocka_unit_test(a_reader_never_takes_a_sibling_for_an_entry),
		cmocka_unit_test(numbers_can_be_stored_too),
		cmocka_unit_test(reload_sees_that_slot_or_tree_changed),
		cmocka_unit_test(readers_see_old_or_new_and_no_freed_node),
		cmocka_unit_test(a_store_that_cuts_an_entry_is_a_bug),
		cmocka_unit_test(without_memory_a_store_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
