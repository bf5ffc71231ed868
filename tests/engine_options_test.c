/*
 * engine_options_test.c - command lines, the overrides made from them, and the output file
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/commands.h"
#include "engine/memory.h"
#include "engine/outfile.h"
#include "yaml/load.h"

static const struct option options[] = {
	{ "machine", "M", "a machine" },
	{ "tasks", "LIST", "numbers" },
	{ "set", "PATH=VALUE", "a key" },
	{ "jobs", "N", "how many" },
	{ "o", "FILE", "where to" },
	{ "quiet", NULL, "no words" },
	{ 0 },
};
static const struct command command = { "run", "FILE", "Run.", 1, 2, options, NULL };

/* Parse @words (NULL-terminated); what it says on stderr comes back in @message. */
static bool
parse(struct arguments *arguments, char **words, char message[512])
{
	FILE *kept = stderr;
	bool right;
	int n = 0;

	while (words[n])
		n++;
	memset(message, 0, 512);
	stderr = fmemopen(message, 511, "w");
	right = arguments_parse(arguments, &command, n, words);
	fclose(stderr);
	stderr = kept;
	return right;
}

static void
options_may_stand_anywhere(void **state)
{
	char *words[] = { "--tasks=1,2", "a.yaml", "--machine", "toy",
			  "--quiet",	 "--",	   "--x",	NULL };
	struct arguments arguments;
	char message[512];

	(void)state;
	assert_true(parse(&arguments, words, message));
	assert_int_equal(arguments.nr_operands, 2);
	assert_string_equal(arguments.operands[0], "a.yaml");
	assert_string_equal(arguments.operands[1], "--x");
	assert_string_equal(arguments_value(&arguments, "tasks"), "1,2");
	assert_string_equal(arguments_value(&arguments, "machine"), "toy");
	assert_non_null(arguments_value(&arguments, "quiet"));
	assert_null(arguments_value(&arguments, "jobs"));
	arguments_free(&arguments);
}

static void
a_letter_has_one_dash_and_a_word_two(void **state)
{
	char *words[] = { "a", "-o", "b", "-o=c", NULL };
	struct arguments arguments;
	char message[512];

	(void)state;
	assert_true(parse(&arguments, words, message));
	assert_int_equal(arguments.nr_operands, 1);
	assert_int_equal(arguments.nr_given, 2);
	assert_string_equal(arguments_value(&arguments, "o"), "c");
	arguments_free(&arguments);
}

static void
expect_error(char **words, const char *wanted)
{
	struct arguments arguments;
	char message[512];

	assert_false(parse(&arguments, words, message));
	message[strcspn(message, "\n")] = '\0';
	assert_string_equal(message, wanted);
	arguments_free(&arguments);
}

static void
what_is_wrong_is_said(void **state)
{
	char *mistyped[] = { "a", "--taks", "1", NULL };
	char *unknown[] = { "a", "--frobnicate=1", NULL };
	char *letter[] = { "a", "-x", NULL };
	char *no_value[] = { "a", "--machine", NULL };
	char *with_value[] = { "a", "--quiet=1", NULL };
	char *long_letter[] = { "a", "--o", "b", NULL };
	char *short_word[] = { "a", "-machine", "b", NULL };
	char *letter_alone[] = { "a", "-o", NULL };
	char *nothing[] = { "--quiet", NULL };
	char *many[] = { "a", "b", "c", NULL };

	(void)state;
	expect_error(mistyped, "engine run: unknown option '--taks' (did you mean '--tasks'?)");
	expect_error(unknown, "engine run: unknown option '--frobnicate'");
	expect_error(letter, "engine run: unknown option '-x'");
	expect_error(no_value, "engine run: --machine needs a value: M");
	expect_error(with_value, "engine run: --quiet takes no value");
	expect_error(long_letter, "engine run: unknown option '--o' (did you mean '-o'?)");
	expect_error(short_word,
		     "engine run: unknown option '-machine' (did you mean '--machine'?)");
	expect_error(letter_alone, "engine run: -o needs a value: FILE");
	expect_error(nothing, "engine run: FILE is missing");
	expect_error(many, "engine run: unexpected argument 'c'");
}

static bool
number_of(char *text, u64 *value)
{
	char *words[] = { "a", "--jobs", text, NULL };
	struct arguments arguments;
	FILE *kept = stderr;
	char message[512];
	bool right;

	assert_true(parse(&arguments, words, message));
	stderr = fmemopen(message, 511, "w");
	right = arguments_number(&arguments, "jobs", 1, 64, value);
	fclose(stderr);
	stderr = kept;
	arguments_free(&arguments);
	return right;
}

static void
numbers_are_whole_and_in_range(void **state)
{
	char *wrong[] = { "0", "65", "-1", "+1", " 1", "1x", "", "0x10", "99999999999999999999" };
	u64 value = 0;

	(void)state;
	assert_true(number_of("64", &value));
	assert_int_equal(value, 64);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(number_of(wrong[i], &value));
}

static void
short_options_are_overrides_in_order(void **state)
{
	char *words[] = { "a",		  "--tasks",   "1,2", "--set",
			  "as=processes", "--machine", "toy", NULL };
	struct arguments arguments;
	struct override *overrides;
	char message[512];
	int count;

	(void)state;
	assert_true(parse(&arguments, words, message));
	overrides = overrides_from(&arguments, &count);
	assert_int_equal(count, 3);
	assert_string_equal(overrides[0].path, "tasks");
	assert_string_equal(overrides[0].value, "[1,2]");
	assert_string_equal(overrides[0].option, "--tasks");
	assert_string_equal(overrides[1].path, "as");
	assert_string_equal(overrides[1].value, "processes");
	assert_null(overrides[1].option);
	assert_string_equal(overrides[2].path, "machine");
	overrides_free(overrides, count);
	arguments_free(&arguments);
}

static char *
content_of(const char *path)
{
	char *text = xcalloc(1, 64);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	if (!fgets(text, 64, file))
		text[0] = '\0';
	fclose(file);
	return text;
}

/* The old file stays until the new one is whole, and nothing else is left. */
static void
a_file_is_replaced_whole_or_not_at_all(void **state)
{
	char folder[] = "/tmp/engine-outfile-XXXXXX";
	struct outfile file;
	char *path;
	char *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/r.json", folder);
	assert_int_equal(outfile_open(&file, path), 0);
	fputs("first", file.stream);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(outfile_commit(&file), 0);
	assert_int_equal(outfile_open(&file, path), 0);
	fputs("half", file.stream);
	outfile_abandon(&file);
	text = content_of(path);
	assert_string_equal(text, "first");
	free(text);
	unlink(path);
	free(path);
	assert_int_equal(rmdir(folder), 0);
}

static void
a_place_that_cannot_be_written_is_known_at_once(void **state)
{
	struct outfile file;

	(void)state;
	assert_true(outfile_open(&file, "/nonexistent/r.json") < 0);
	assert_true(outfile_open(&file, "/tmp") < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(a_letter_has_one_dash_and_a_word_two),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(short_options_are_overrides_in_order),
		cmocka_unit_test(a_file_is_replaced_whole_or_not_at_all),
		cmocka_unit_test(a_place_that_cannot_be_written_is_known_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
