/*
 * options.h - a command line, checked against one table per command
 *
 * The same table drives parsing, the suggestion for a mistyped option and
 * --help, so they cannot disagree. Options may stand anywhere; "--" ends them;
 * values come as `--name value` or `--name=value`; "-" is an argument.
 */
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include <stdio.h>

#include "engine/exit_code.h"

struct option {
	const char *name;	/* no dashes; a letter has one, a word two; NULL ends a table */
	const char *value;	/* what to call its value in --help; NULL: it takes none */
	const char *help;
};

struct arguments;

struct command {
	const char *name;	/* NULL ends a table */
	const char *operands;	/* for --help: "FILE|NAME" */
	const char *summary;
	int min_operands;
	int max_operands;	/* -1: any number */
	const struct option *options;	/* NULL: none */
	enum exit_code (*run)(const struct arguments *arguments);
};

/* One option as it was given. */
struct given {
	const struct option *option;
	const char *value;
};

/* What was given, in the order of the command line. */
struct arguments {
	const struct command *command;
	int nr_given;
	struct given *given;
	int nr_operands;
	const char **operands;
};

/*
 * Parse what follows the command's name. Strings stay the caller's. Return:
 * true; or false after writing what is wrong to stderr. Free with arguments_free().
 */
bool arguments_parse(struct arguments *arguments, const struct command *command, int argc,
		     char **argv);
void arguments_free(struct arguments *arguments);

/* Value of the last --@name. Return: NULL if it was not given; "" if it takes no value. */
const char *arguments_value(const struct arguments *arguments, const char *name);

/* --@name as a whole number in @min .. @max. Return: false after a message on stderr. */
bool arguments_number(const struct arguments *arguments, const char *name, u64 min, u64 max,
		      u64 *value);

/* --help of one command. */
void command_help(const struct command *command, FILE *out);

/* A usage error: message and a pointer to --help on stderr. Return: EXIT_USAGE. */
__printf(2, 3) enum exit_code usage_error(const struct command *command, const char *fmt, ...);

#endif
