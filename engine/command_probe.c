/*
 * command_probe.c - `engine probe`: measure this computer, write a machine file for it
 */
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/host_info.h"
#include "engine/memory.h"
#include "engine/outfile.h"
#include "engine/probe/entries.h"
#include "engine/probe/machine_file.h"
#include "engine/probe/table.h"
#include "engine/version.h"

#define DEFAULT_SECONDS 6
#define MAX_SECONDS 3600
#define MAX_COMMENTS 32

const struct option probe_options[] = {
	{ "o", "FILE|-", "write a machine file; - is stdout, alone" },
	{ "seconds", "N", "how long to measure, about; default 6" },
	{ "quiet", NULL, "no progress line" },
	{ 0 },
};

/* The lines at the top of the file; those about this computer also go to stderr. */
struct comments {
	int count;
	char *line[MAX_COMMENTS + 1];
};

static void
add_comment(struct comments *comments, char *line)
{
	if (comments->count < MAX_COMMENTS)
		comments->line[comments->count++] = line;
	else
		free(line);
}

static void
clear_comments(struct comments *comments)
{
	for (int i = 0; i < comments->count; i++)
		free(comments->line[i]);
}

static void
warn(struct comments *comments, char *line)
{
	fprintf(stderr, "engine probe: %s\n", line);
	add_comment(comments, line);
}

static void
make_comments(const struct probe *probe, const struct host_info *host,
	      const struct entries *entries, struct comments *comments)
{
	add_comment(comments, xstrdup("probed: what engine probe measured on one computer."));
	add_comment(comments, xstrdup("Medians with their 95 % intervals; an entry that was not "
				      "measured says so."));
	add_comment(comments, xstrdup("Where the linker put the mini-kernel's code moves hit by "
				      "a quarter either way."));
	if (strcmp(ENGINE_VARIANT, "release"))
		warn(comments,
		     xasprintf("a build for tests (%s): hit is that of its code", ENGINE_VARIANT));
	if (host->virtualised)
		warn(comments, xstrdup("a virtual machine: wake-ups hold what its host adds to "
				       "them, and hand-overs where it runs the CPUs"));
	if (layout_cpus(&probe->layout) != probe->layout.nr_cpus)
		warn(comments, xasprintf("%d CPUs in unequal groups: the file has the largest "
					 "of each, %d CPUs",
					 probe->layout.nr_cpus, layout_cpus(&probe->layout)));
	for (int i = 0; i < host->nr_warnings; i++)
		warn(comments, xstrdup(host->warnings[i]));
	for (int i = 0; i < entries->count; i++)
		if (entries->entry[i].lack)
			warn(comments, xasprintf("not measured: %s: %s", entries->entry[i].path,
						 entries->entry[i].lack));
}

/* What was measured, to the file and the terminal. */
static enum exit_code
report(const struct probe *probe, struct host_info *host, struct outfile *file)
{
	struct comments comments = { 0 };
	struct figures figures;
	struct entries entries;
	const struct host_facts facts = {
		.cpu = host->cpu,
		.vendor = host->vendor,
		.width = probe->layout.width,
	};
	int error = 0;

	figures_compute(probe, &figures);
	entries_make(&facts, probe->counts, &figures, &entries);
	make_comments(probe, host, &entries, &comments);
	if (!file || file->path)
		probe_print(probe, &figures, host->cpu, stdout);
	if (file) {
		machine_file_print(&entries, comments.line, file->stream);
		error = outfile_commit(file);
	}
	clear_comments(&comments);
	entries_clear(&entries);
	if (!error)
		return EXIT_DONE;
	fprintf(stderr, "engine probe: cannot write the machine file: %s\n", strerror(-error));
	return EXIT_RESOURCE;
}

/* @file is NULL if none is wanted; else it is written or abandoned here. */
static enum exit_code
measure(struct probe *probe, struct outfile *file)
{
	struct host_info host;
	enum exit_code code = probe_prepare(probe);

	host_info_collect(&host);
	host_info_check(&host, 0);
	if (code == EXIT_DONE)
		code = probe_run(probe);
	if (code == EXIT_DONE)
		code = report(probe, &host, file);
	else if (file)
		outfile_abandon(file);
	host_info_clear(&host);
	probe_release(probe);
	return code;
}

enum exit_code
command_probe(const struct arguments *arguments)
{
	const char *path = arguments_value(arguments, "o");
	struct probe probe = {
		.host_kernel = &host_kernel,
		.virtual_kernel = &virtual_kernel,
		.seconds = DEFAULT_SECONDS,
		.quiet = arguments_value(arguments, "quiet"),
	};
	struct outfile file;
	int error;

	if (!arguments_number(arguments, "seconds", 1, MAX_SECONDS, &probe.seconds))
		return EXIT_USAGE;
	error = path ? outfile_open(&file, path) : 0;
	if (error)
		return usage_error(arguments->command, "-o: %s: %s", path, strerror(-error));
	return measure(&probe, path ? &file : NULL);
}
