/*
 * list_test.c - order and links of intrusive lists
 */
#include "tests/harness.h"

#include "machine/list.h"

struct item {
	int value;
	struct list_head entry;
};

/* The values from front to back as one decimal number. */
static int
digits(struct list_head *head)
{
	struct item *item;
	int number = 0;

	list_for_each_entry (item, head, entry)
		number = number * 10 + item->value;
	return number;
}

static void
add_is_a_stack_and_add_tail_a_queue(void **state)
{
	struct item a = { .value = 1 }, b = { .value = 2 }, c = { .value = 3 };
	struct list_head head = LIST_HEAD_INIT(head);

	assert_true(list_empty(&head));
	list_add(&a.entry, &head);
	list_add(&b.entry, &head);
	assert_int_equal(digits(&head), 21);
	list_add_tail(&c.entry, &head);
	assert_int_equal(digits(&head), 213);
	assert_ptr_equal(list_first_entry(&head, struct item, entry), &b);
	assert_ptr_equal(list_last_entry(&head, struct item, entry), &c);
}

static void
deleting_leaves_the_neighbours_linked(void **state)
{
	struct item a = { .value = 1 }, b = { .value = 2 }, c = { .value = 3 };
	struct list_head head;

	INIT_LIST_HEAD(&head);
	list_add_tail(&a.entry, &head);
	list_add_tail(&b.entry, &head);
	list_add_tail(&c.entry, &head);
	list_del_init(&b.entry);
	assert_true(list_empty(&b.entry));
	assert_int_equal(digits(&head), 13);
	assert_ptr_equal(a.entry.next, &c.entry);
	assert_ptr_equal(c.entry.prev, &a.entry);
	list_del(&a.entry);
	list_del(&c.entry);
	assert_true(list_empty(&head));
}

static void
the_safe_walk_survives_deletion(void **state)
{
	struct item items[5];
	struct list_head head = LIST_HEAD_INIT(head);
	struct item *item;
	struct item *next;

	for (int i = 0; i < 5; i++) {
		items[i].value = i + 1;
		list_add_tail(&items[i].entry, &head);
	}
	list_for_each_entry_safe (item, next, &head, entry)
		if (item->value % 2)
			list_del(&item->entry);
	assert_int_equal(digits(&head), 24);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_is_a_stack_and_add_tail_a_queue),
		cmocka_unit_test(deleting_leaves_the_neighbours_linked),
		cmocka_unit_test(the_safe_walk_survives_deletion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
