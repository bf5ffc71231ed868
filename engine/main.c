/*
 * main.c - the program: which command, its arguments, the exit status
 *
 * The only file with an exit() in it. A new command is one line in the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/version.h"
#include "yaml/suggest.h"

static const struct command commands[] = {
	{ "run", "FILE|NAME", "Run a workload and print its results.", 1, 1, run_options,
	  command_run },
	{ "validate", "FILE...", "Check files; print every value with its origin. Nothing runs.", 1,
	  -1, validate_options, command_validate },
	{ "calibrate", "FILE|NAME...",
	  "Fit a machine file to the base columns of workloads; print the errors of all.", 1, -1,
	  calibrate_options, command_calibrate },
	{ "probe", "", "Measure this computer; write a machine file for it.", 0, 0, probe_options,
	  command_probe },
	{ "list", "[workloads|machines|policies|operations]",
	  "List what there is to run and to choose from.", 0, 1, NULL, command_list },
	{ "describe", "NAME", "Describe a workload, machine, policy or operation.", 1, 1, NULL,
	  command_describe },
	{ "version", "", "Print the version.", 0, 0, NULL, command_version },
	{ 0 },
};

enum exit_code
command_version(const struct arguments *arguments)
{
	puts("engine " ENGINE_VERSION " (" ENGINE_BUILD ")");
	return EXIT_DONE;
}

static void
help(FILE *out)
{
	fputs("usage: engine COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "Run the same mini-kernel on real cores and on a modelled machine.\n\ncommands:\n",
	      out);
	for (const struct command *command = commands; command->name; command++)
		fprintf(out, "  %-10s %s\n", command->name, command->summary);
	fputs("\n'engine COMMAND --help' describes a command.\n\n"
	      "exit status: 0 done, 1 a point failed, 2 wrong usage or file, 3 resource missing,\n"
	      "4 not supported by this machine kind, 6 interrupted, 10 kernel invariant broken,\n"
	      "11 deadlock or starvation, 12 internal error\n",
	      out);
}

static const struct command *
find_command(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

static enum exit_code
unknown_command(const char *name)
{
	struct suggestion suggestion = SUGGESTION(name);
	char hint[128];

	for (const struct command *command = commands; command->name; command++)
		suggest(&suggestion, command->name);
	return usage_error(NULL, "unknown %s '%s'%s", *name == '-' ? "option" : "command", name,
			   suggestion_text(&suggestion, hint));
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static enum exit_code
run_command(const struct command *command, int argc, char **argv)
{
	struct arguments arguments;
	enum exit_code code = EXIT_USAGE;

	if (asks_for_help(argc, argv)) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	if (arguments_parse(&arguments, command, argc, argv))
		code = command->run(&arguments);
	arguments_free(&arguments);
	return code;
}

static enum exit_code
dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help(stdout);
		return EXIT_DONE;
	}
	command = find_command(strcmp(argv[1], "--version") ? argv[1] : "version");
	if (!command)
		return unknown_command(argv[1]);
	return run_command(command, argc - 2, argv + 2);
}

int
main(int argc, char **argv)
{
	enum exit_code code;

	setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without sysfs is no news */
	code = dispatch(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && code == EXIT_DONE) {
		fputs("engine: cannot write to stdout\n", stderr);
		code = EXIT_RESOURCE;
	}
	exit(code);
}
