/*
 * engine_symbolise_test.c - the program finds its own source lines and field names
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbolise.h"
#include "machine/atomic.h"

#define HERE "tests/engine_symbolise_test.c"

/* Return: the address that the caller continues at, as an access hook would see it. */
__attribute__((noipa)) static u64
capture(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

/* Pretend that this one stands in the machine room. */
#line 100 "machine/pretended.h"
static __always_inline u64
hidden_access(void)
{
	return capture();
}
#line 30 "tests/engine_symbolise_test.c"

static __always_inline u64
visible_access(void)
{
	u64 pc = hidden_access(); /* line 34 */

	return pc;
}

/* Its own line is all there is to show: nothing outside the room is in the chain. */
#line 200 "machine/pretended.c"
__attribute__((noipa)) static u64
deep_inside(void)
{
	u64 pc = capture();

	barrier(); /* or the call would become a jump */
	return pc;
}
#line 50 "tests/engine_symbolise_test.c"

static void
expect_site(u64 pc, const char *file, int line)
{
	char *site = symbolise_site(pc);
	char wanted[128];

	snprintf(wanted, sizeof(wanted), "%s:%d", file, line);
	assert_string_equal(site, wanted);
	free(site);
}

static void
a_call_is_found_at_its_line(void **state)
{
	u64 pc = capture();
	int line = __LINE__ - 1;

	(void)state;
	expect_site(pc, HERE, line);
}

static void
wrappers_of_the_machine_room_are_looked_through(void **state)
{
	u64 direct = hidden_access();
	int line = __LINE__ - 1;

	(void)state;
	expect_site(direct, HERE, line);
	expect_site(visible_access(), HERE, 34);
}

static void
code_of_the_machine_room_itself_is_shown(void **state)
{
	(void)state;
	expect_site(deep_inside(), "machine/pretended.c", 203);
}

static void
an_address_outside_the_program_has_no_line(void **state)
{
	char *site = symbolise_site(1);

	(void)state;
	assert_string_equal(site, "?");
	free(site);
}

struct symbolise_inner {
	int first;
	int second;
};

typedef struct {
	int counter;
} symbolise_counter;

struct symbolise_example {
	u64 flags;
	union {
		struct {
			void *mapping;
			u64 index;
		};
		u64 padding[2];
	};
	struct symbolise_inner lock;
	void *slots[4];
	struct symbolise_inner pairs[2];
	symbolise_counter users;
	union {
		char bytes[16];
		struct {
			u8 reserved[8];
			u64 word;
		};
	};
};

static const struct symbolise_example example;

static void
expect_field(u64 offset, const char *wanted)
{
	char *field = symbolise_field("symbolise_example", offset);

	assert_non_null(field);
	assert_string_equal(field, wanted);
	free(field);
}

static void
fields_are_named_by_offset(void **state)
{
	(void)state;
	assert_int_equal(example.flags, 0); /* the struct must be in the debug information */
	expect_field(0, "flags");
	expect_field(offsetof(struct symbolise_example, mapping), "mapping");
	expect_field(offsetof(struct symbolise_example, index) + 4, "index");
	expect_field(offsetof(struct symbolise_example, lock.second), "lock.second");
	expect_field(offsetof(struct symbolise_example, slots[3]), "slots[3]");
	expect_field(offsetof(struct symbolise_example, pairs[1].second), "pairs[1].second");
	expect_field(offsetof(struct symbolise_example, users), "users");
	expect_field(offsetof(struct symbolise_example, bytes[3]), "bytes[3]");
	expect_field(offsetof(struct symbolise_example, word), "word");
}

static void
what_is_no_field_has_no_name(void **state)
{
	(void)state;
	assert_null(symbolise_field("symbolise_example", sizeof(struct symbolise_example)));
	assert_null(symbolise_field("no_such_struct", 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_found_at_its_line),
		cmocka_unit_test(wrappers_of_the_machine_room_are_looked_through),
		cmocka_unit_test(code_of_the_machine_room_itself_is_shown),
		cmocka_unit_test(an_address_outside_the_program_has_no_line),
		cmocka_unit_test(fields_are_named_by_offset),
		cmocka_unit_test(what_is_no_field_has_no_name),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	symbolise_done();
	return failed;
}
