/*
 * options.c - see options.h
 */
#include "engine/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "yaml/suggest.h"

#define HELP_COLUMN 26

enum exit_code
usage_error(const struct command *command, const char *fmt, ...)
{
	va_list args;

	fputs("engine", stderr);
	if (command)
		fprintf(stderr, " %s", command->name);
	fputs(": ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\nTry 'engine %s%s--help'.\n", command ? command->name : "",
		command ? " " : "");
	return EXIT_USAGE;
}

static const char *
dashes(const struct option *option)
{
	return option->name[1] ? "--" : "-";
}

/* The option whose name is the first @length characters of @text, or NULL. */
static const struct option *
find_option(const struct command *command, const char *text, size_t length)
{
	const struct option *option = command->options;

	for (; option && option->name; option++)
		if (strlen(option->name) == length && !strncmp(option->name, text, length))
			return option;
	return NULL;
}

static void
unknown_option(const struct command *command, const char *text)
{
	char *name = xstrndup(text, strcspn(text, "="));
	struct suggestion suggestion = SUGGESTION(name + strspn(name, "-"));
	const struct option *option = command->options;

	for (; option && option->name; option++)
		suggest(&suggestion, option->name);
	if (suggestion.best)
		usage_error(command, "unknown option '%s' (did you mean '%s%s'?)", name,
			    suggestion.best[1] ? "--" : "-", suggestion.best);
	else
		usage_error(command, "unknown option '%s'", name);
	free(name);
}

static void
add_given(struct arguments *arguments, const struct option *option, const char *value)
{
	arguments->given[arguments->nr_given++] = (struct given){ option, value };
}

/* Take argv[*i], an option, and its value. */
static bool
parse_option(struct arguments *arguments, int argc, char **argv, int *i)
{
	const struct command *command = arguments->command;
	const char *text = argv[*i];
	bool is_long = text[1] == '-';
	const char *name = text + (is_long ? 2 : 1);
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *option = find_option(command, name, length);

	/* One dash for one letter, two for a word. */
	if (!option || is_long != (length > 1)) {
		unknown_option(command, text);
		return false;
	}
	if (!option->value && equals) {
		usage_error(command, "%s%s takes no value", dashes(option), option->name);
		return false;
	}
	if (option->value && !equals && *i + 1 == argc) {
		usage_error(command, "%s%s needs a value: %s", dashes(option), option->name,
			    option->value);
		return false;
	}
	if (!option->value)
		add_given(arguments, option, "");
	else
		add_given(arguments, option, equals ? equals + 1 : argv[++*i]);
	return true;
}

static bool
check_operands(const struct arguments *arguments)
{
	const struct command *command = arguments->command;

	if (arguments->nr_operands < command->min_operands) {
		usage_error(command, "%s is missing", command->operands);
		return false;
	}
	if (command->max_operands >= 0 && arguments->nr_operands > command->max_operands) {
		usage_error(command, "unexpected argument '%s'",
			    arguments->operands[command->max_operands]);
		return false;
	}
	return true;
}

bool
arguments_parse(struct arguments *arguments, const struct command *command, int argc, char **argv)
{
	bool options_end = false;

	memset(arguments, 0, sizeof(*arguments));
	arguments->command = command;
	arguments->given = xcalloc(argc, sizeof(*arguments->given));
	arguments->operands = xcalloc(argc, sizeof(*arguments->operands));
	for (int i = 0; i < argc; i++) {
		if (!options_end && !strcmp(argv[i], "--"))
			options_end = true;
		else if (options_end || argv[i][0] != '-' || !argv[i][1])
			arguments->operands[arguments->nr_operands++] = argv[i];
		else if (!parse_option(arguments, argc, argv, &i))
			return false;
	}
	return check_operands(arguments);
}

void
arguments_free(struct arguments *arguments)
{
	free(arguments->given);
	free(arguments->operands);
	memset(arguments, 0, sizeof(*arguments));
}

const char *
arguments_value(const struct arguments *arguments, const char *name)
{
	for (int i = arguments->nr_given - 1; i >= 0; i--)
		if (!strcmp(arguments->given[i].option->name, name))
			return arguments->given[i].value;
	return NULL;
}

bool
arguments_number(const struct arguments *arguments, const char *name, u64 min, u64 max, u64 *value)
{
	const char *text = arguments_value(arguments, name);
	char *end;

	if (!text)
		return true;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *value >= min && *value <= max)
		return true;
	usage_error(arguments->command, "--%s: '%s' is not a whole number from %llu to %llu", name,
		    text, (unsigned long long)min, (unsigned long long)max);
	return false;
}

void
command_help(const struct command *command, FILE *out)
{
	const struct option *option = command->options;

	fprintf(out, "usage: engine %s%s%s%s\n\n%s\n", command->name, option ? " [OPTION]..." : "",
		*command->operands ? " " : "", command->operands, command->summary);
	if (option)
		fputs("\noptions:\n", out);
	for (; option && option->name; option++) {
		int width = fprintf(out, "  %s%s%s%s", dashes(option), option->name,
				    option->value ? " " : "", option->value ? option->value : "");

		fprintf(out, "%*s%s\n", max(HELP_COLUMN - width, 1), "", option->help);
	}
}
