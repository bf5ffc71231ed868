/*
 * yaml_bad_test.c - every wrong file under tests/bad gives exactly the errors expected of it
 *
 * X.yaml is loaded as a workload (as a machine if it is called machine-*), with
 * the lines of X.set as `--set`, and what is reported is compared with
 * X.expected. One test for each file; a file is added by being there.
 */
#include <dirent.h>

#include "tests/yaml_text.h"

#define FOLDER "tests/bad"
#define OVERRIDES_MAX 8

/* Return: the file's text, to be freed; NULL if there is none. */
static char *
read_text(const char *name, const char *suffix)
{
	char path[512];
	size_t length = 0;
	char *text = NULL;
	FILE *file;

	snprintf(path, sizeof(path), FOLDER "/%s%s", name, suffix);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	if (getdelim(&text, &length, '\0', file) < 0)
		*text = '\0';
	fclose(file);
	return text;
}

/* Split "path=value" lines in place. Return: how many there are. */
static int
read_overrides(char *text, struct override overrides[static OVERRIDES_MAX])
{
	int count = 0;

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		char *equals = strchr(line, '=');

		assert_non_null(equals);
		assert_true(count < OVERRIDES_MAX);
		*equals = '\0';
		overrides[count++] = (struct override){ line, equals + 1, NULL };
	}
	return count;
}

static void
wrong_file_is_reported(void **state)
{
	const char *name = *state;
	struct override overrides[OVERRIDES_MAX];
	char *set = read_text(name, ".set");
	char *expected = read_text(name, ".expected");
	int nr = read_overrides(set, overrides);
	struct machine_spec spec;
	char *reported = NULL;
	size_t length;
	char path[512];
	FILE *errors = open_memstream(&reported, &length);

	snprintf(path, sizeof(path), FOLDER "/%s.yaml", name);
	if (!strncmp(name, "machine-", 8)) {
		assert_int_equal(machine_load(path, &spec, errors), -1);
	} else {
		const struct workload_source source = { path, overrides, nr };

		assert_null(workload_load(&source, errors));
	}
	fclose(errors);
	assert_non_null(expected);
	assert_string_equal(reported, expected);
	free(reported);
	free(expected);
	free(set);
}

static int
is_yaml(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && !strcmp(entry->d_name + length - 5, ".yaml");
}

int
main(void)
{
	struct dirent **entries;
	int count = scandir(FOLDER, &entries, is_yaml, alphasort);
	struct CMUnitTest *tests;
	int failed;

	if (count < 45) {
		fprintf(stderr, "%d files in %s: run this from the top of the tree\n", count,
			FOLDER);
		return 1;
	}
	tests = calloc(count, sizeof(*tests));
	for (int i = 0; i < count; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 5] = '\0';
		tests[i] = (struct CMUnitTest){
			.name = entries[i]->d_name,
			.test_func = wrong_file_is_reported,
			.initial_state = entries[i]->d_name,
		};
	}
	failed = _cmocka_run_group_tests("bad files", tests, count, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	free(tests);
	return failed;
}
