/*
 * command_list.c - `engine list`: what there is to run, to run it on, and to choose from
 */
#include <stdio.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/locate.h"
#include "yaml/catalogue.h"
#include "yaml/load.h"
#include "yaml/suggest.h"

#define NAME_COLUMN 22

static void
list_workloads(void)
{
	struct file_list list = file_list_shipped(SHIPPED_WORKLOADS);

	for (size_t i = 0; i < list.count; i++) {
		struct workload_source source = { .file = list.paths[i] };
		struct workload *workload = workload_load(&source, stderr);

		if (!workload)
			continue;
		printf("%-*s %s\n", NAME_COLUMN, list.names[i],
		       workload->title ? workload->title : "");
		workload_free(workload);
	}
	file_list_free(&list);
}

static void
list_machines(void)
{
	struct file_list list = file_list_shipped(SHIPPED_MACHINES);

	printf("%-*s this computer\n", NAME_COLUMN, "host");
	for (size_t i = 0; i < list.count; i++) {
		struct machine_spec spec;

		if (machine_load(list.paths[i], &spec, stderr))
			continue;
		printf("%-*s %d sockets x %d clusters x %d cores x %d threads = %d CPUs\n",
		       NAME_COLUMN, list.names[i], spec.sockets, spec.clusters_per_socket,
		       spec.cores_per_cluster, spec.threads_per_core, machine_spec_cpus(&spec));
	}
	file_list_free(&list);
}

static void
list_policies(void)
{
	const struct policy_family *family;

	for (size_t i = 0; (family = catalogue_family(i)); i++) {
		printf("%-*s %s\n", NAME_COLUMN, family->name, family->summary);
		for (int j = 0; family->choices[j].name; j++)
			printf("  %-*s %s%s\n", NAME_COLUMN - 2, family->choices[j].name,
			       family->choices[j].summary, j ? "" : " (default)");
	}
}

static void
list_operations(void)
{
	const struct operation *operation;

	for (size_t i = 0; (operation = catalogue_operation(i)); i++)
		printf("%-*s %s\n", NAME_COLUMN, operation->name, operation->summary);
}

static const struct section {
	const char *name;
	void (*list)(void);
} sections[] = {
	{ "workloads", list_workloads },
	{ "machines", list_machines },
	{ "policies", list_policies },
	{ "operations", list_operations },
};

static enum exit_code
list_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		printf("%s%s\n\n", i ? "\n" : "", sections[i].name);
		sections[i].list();
	}
	return EXIT_DONE;
}

enum exit_code
command_list(const struct arguments *arguments)
{
	struct suggestion suggestion;
	char hint[128];

	if (!arguments->nr_operands)
		return list_all();
	suggestion = SUGGESTION(arguments->operands[0]);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		if (!strcmp(sections[i].name, arguments->operands[0])) {
			sections[i].list();
			return EXIT_DONE;
		}
		suggest(&suggestion, sections[i].name);
	}
	return usage_error(arguments->command, "cannot list '%s'%s", arguments->operands[0],
			   suggestion_text(&suggestion, hint));
}
