/*
 * yaml_value_test.c - numbers with units, suggestions
 */
#include "tests/yaml_text.h"
#include "yaml/suggest.h"
#include "yaml/value.h"

static u64
value(const char *text, enum unit unit)
{
	char message[256] = "";
	u64 number = 0;

	if (!value_parse(text, unit, &number, message))
		fail_msg("%s", message);
	return number;
}

static const char *
problem(const char *text, enum unit unit)
{
	static char message[256];
	u64 number;

	assert_false(value_parse(text, unit, &number, message));
	return message;
}

static void
numbers_with_units_are_exact(void **state)
{
	(void)state;
	assert_int_equal(value("0", UNIT_COUNT), 0);
	assert_int_equal(value("8000", UNIT_COUNT), 8000);
	assert_true(value("18446744073709551615", UNIT_COUNT) == UINT64_MAX);
	assert_int_equal(value("64", UNIT_SIZE), 64);
	assert_int_equal(value("4KiB", UNIT_SIZE), 4096);
	assert_int_equal(value("1.5KiB", UNIT_SIZE), 1536);
	assert_int_equal(value("64MiB", UNIT_SIZE), 67108864);
	assert_int_equal(value("200ns", UNIT_TIME_NS), 200);
	assert_int_equal(value("1.5us", UNIT_TIME_NS), 1500);
	assert_int_equal(value("0", UNIT_TIME_NS), 0);
	assert_int_equal(value("2.8ns", UNIT_TIME_PS), 2800);
	assert_int_equal(value("500ps", UNIT_TIME_PS), 500);
	assert_true(value("2.6GHz", UNIT_FREQUENCY) == 2600000000);
	assert_int_equal(value("25%", UNIT_PERCENT), 25);
	assert_int_equal(value("4.9%", UNIT_PERMILLE), 49);
	assert_int_equal(value("308%", UNIT_PERMILLE), 3080);
}

static void
what_other_readers_guess_is_refused(void **state)
{
	(void)state;
	assert_string_equal(problem("4k", UNIT_SIZE),
			    "unknown unit 'k' in '4k' (did you mean '4KiB'?)");
	assert_string_equal(problem("4 KiB", UNIT_SIZE),
			    "unknown unit 'KiB' in '4 KiB' (did you mean '4KiB'?)");
	assert_string_equal(problem("1_000", UNIT_COUNT), "'1_000' is not a whole number");
	assert_string_equal(problem("010", UNIT_COUNT), "'010' has a leading zero");
	assert_string_equal(problem("0x10", UNIT_COUNT), "'0x10' is not decimal");
	assert_string_equal(problem("+5", UNIT_COUNT), "'+5' has a sign: leave it out");
	assert_string_equal(problem("-5ns", UNIT_TIME_NS), "'-5ns' is negative");
	assert_string_equal(problem("5.", UNIT_COUNT), "'5.' is not a whole number");
	assert_string_equal(problem("0.5", UNIT_SIZE), "'0.5' is not a whole number of bytes");
	assert_string_equal(problem("100", UNIT_TIME_NS),
			    "'100' has no unit (did you mean '100ns'?)");
	assert_string_equal(problem("0s0", UNIT_TIME_NS),
			    "'0s0' is not a time such as 200ns or 10us");
	assert_string_equal(problem("18446744073709551616", UNIT_COUNT),
			    "'18446744073709551616' is too large");
	assert_string_equal(problem("20000000TiB", UNIT_SIZE), "'20000000TiB' is too large");
	assert_string_equal(problem("", UNIT_COUNT), "'' is not a whole number");
}

static void
values_are_written_with_their_largest_unit(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(value_format(4096, UNIT_SIZE, text), "4KiB");
	assert_string_equal(value_format(4097, UNIT_SIZE, text), "4097");
	assert_string_equal(value_format(1500, UNIT_TIME_PS, text), "1500ps");
	assert_string_equal(value_format(3600000000000, UNIT_TIME_NS, text), "3600s");
	assert_string_equal(value_format(0, UNIT_TIME_NS, text), "0ns");
}

static void
values_are_written_with_as_many_decimals_as_needed(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(value_format_decimal(46300, UNIT_TIME_PS, text), "46.3ns");
	assert_string_equal(value_format_decimal(1500000, UNIT_TIME_PS, text), "1.5us");
	assert_string_equal(value_format_decimal(1000001, UNIT_TIME_PS, text), "1.000001us");
	assert_string_equal(value_format_decimal(300, UNIT_TIME_PS, text), "300ps");
	assert_string_equal(value_format_decimal(0, UNIT_TIME_PS, text), "0ps");
	assert_string_equal(value_format_decimal(2600000000, UNIT_FREQUENCY, text), "2.6GHz");
	assert_string_equal(value_format_decimal(25, UNIT_PERCENT, text), "25%");
	assert_string_equal(value_format_decimal(12, UNIT_COUNT, text), "12");
}

static const char *
nearest(const char *wrong, const char *const *candidates)
{
	struct suggestion suggestion = SUGGESTION(wrong);

	for (; *candidates; candidates++)
		suggest(&suggestion, *candidates);
	return suggestion.best;
}

static void
suggestions_are_near(void **state)
{
	const char *const words[] = { "cas-loop", "locked-bit", "mesi", "mesif", "tasks", NULL };

	(void)state;
	assert_string_equal(nearest("cas-lop", words), "cas-loop");
	assert_string_equal(nearest("lokced-bit", words), "locked-bit");
	assert_string_equal(nearest("mesfi", words), "mesif");
	assert_string_equal(nearest("task", words), "tasks");
	assert_null(nearest("colour", words));
	assert_null(nearest("", words));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_with_units_are_exact),
		cmocka_unit_test(what_other_readers_guess_is_refused),
		cmocka_unit_test(values_are_written_with_their_largest_unit),
		cmocka_unit_test(values_are_written_with_as_many_decimals_as_needed),
		cmocka_unit_test(suggestions_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
