/*
 * engine_json_test.c - what the JSON writer escapes, and how it lays out
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/report/json_writer.h"

static struct json json;
static char *text;
static size_t size;

static void
begin(void)
{
	json = (struct json){ .out = open_memstream(&text, &size) };
}

static void
expect(const char *wanted)
{
	fclose(json.out);
	assert_string_equal(text, wanted);
	free(text);
}

static void
control_characters_quotes_and_backslashes_are_escaped(void **state)
{
	(void)state;
	begin();
	json_string(&json, NULL, "a\"b\\c\n\t\r\b\f\x01\x1f\x7f/");
	expect("\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u001f\\u007f/\"");
}

static void
utf8_passes_and_other_bytes_are_replaced(void **state)
{
	(void)state;
	begin();
	json_string(&json, NULL, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
	expect("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7\"");
	begin(); /* a lone continuation, an overlong '/', a surrogate, a sequence cut off */
	json_string(&json, NULL, "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
	expect("\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
	       "\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void
decimals_are_made_from_integers(void **state)
{
	(void)state;
	begin();
	json_array(&json, NULL, JSON_COMPACT);
	json_decimal(&json, NULL, 998, 3);
	json_decimal(&json, NULL, 4100, 4);
	json_decimal(&json, NULL, 10000, 4);
	json_decimal(&json, NULL, 0, 4);
	json_decimal(&json, NULL, 5, 4);
	json_decimal(&json, NULL, 123456, 2);
	json_end(&json);
	expect("[0.998, 0.41, 1, 0, 0.0005, 1234.56]\n");
}

static void
layout_of_nested_values(void **state)
{
	(void)state;
	begin();
	json_object(&json, NULL, JSON_LINES);
	json_u64(&json, "n", UINT64_MAX);
	json_s64(&json, "m", -5);
	json_object(&json, "inline", JSON_COMPACT);
	json_bool(&json, "yes", true);
	json_null(&json, "none");
	json_array(&json, "list", JSON_LINES); /* compact inside compact */
	json_u64(&json, NULL, 1);
	json_u64(&json, NULL, 2);
	json_end(&json);
	json_end(&json);
	json_array(&json, "empty", JSON_LINES);
	json_end(&json);
	json_array(&json, "rows", JSON_LINES);
	json_string(&json, NULL, "a");
	json_string(&json, NULL, NULL);
	json_end(&json);
	json_end(&json);
	expect("{\n"
	       "  \"n\": 18446744073709551615,\n"
	       "  \"m\": -5,\n"
	       "  \"inline\": { \"yes\": true, \"none\": null, \"list\": [1, 2] },\n"
	       "  \"empty\": [],\n"
	       "  \"rows\": [\n"
	       "    \"a\",\n"
	       "    null\n"
	       "  ]\n"
	       "}\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_quotes_and_backslashes_are_escaped),
		cmocka_unit_test(utf8_passes_and_other_bytes_are_replaced),
		cmocka_unit_test(decimals_are_made_from_integers),
		cmocka_unit_test(layout_of_nested_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
