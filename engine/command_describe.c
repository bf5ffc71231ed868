/*
 * command_describe.c - `engine describe NAME`: one workload, machine, policy or operation
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/locate.h"
#include "engine/memory.h"
#include "yaml/catalogue.h"
#include "yaml/load.h"
#include "yaml/suggest.h"

static void
print_flags(unsigned int flags)
{
	if (flags & POLICY_UNSAFE)
		fputs("    unsafe: gives up a guarantee that the others keep\n", stdout);
	if (flags & POLICY_ONE_TASK)
		fputs("    correct for one task only\n", stdout);
}

static void
print_choice(const struct policy_family *family, int number)
{
	const struct policy_choice *choice = &family->choices[number];

	printf("  %s: %s%s\n", family->name, choice->name, number ? "" : " (default)");
	printf("    %s\n    reference: %s\n", choice->summary, choice->reference);
	print_flags(choice->flags);
}

static bool
describe_family(const char *name)
{
	const struct policy_family *family = catalogue_find_family(name);

	if (!family)
		return false;
	printf("policy family %s (%s/)\n  %s\n\n", family->name, family->room, family->summary);
	for (int i = 0; family->choices[i].name; i++)
		print_choice(family, i);
	return true;
}

/* A choice's name may belong to several families: all are shown. */
static bool
describe_choice(const char *name)
{
	const struct policy_family *family;
	bool found = false;

	for (size_t i = 0; (family = catalogue_family(i)); i++) {
		int number = catalogue_find_choice(family, name);

		if (number < 0)
			continue;
		if (!found)
			printf("policy %s\n", name);
		print_choice(family, number);
		found = true;
	}
	return found;
}

static void
print_argument(const struct argument *argument)
{
	printf("  %-10s %s (%s", *argument->key ? argument->key : "value", argument->summary,
	       argument_type_summary(argument->type));
	if (argument->required)
		fputs(", required", stdout);
	else if (*argument->fallback)
		printf(", default %s", argument->fallback);
	fputs(")\n", stdout);
}

static bool
describe_operation(const char *name)
{
	const struct operation *operation = catalogue_find_operation(name);

	if (!operation)
		return false;
	printf("operation %s\n  %s\n", operation->name, operation->summary);
	if (operation->arguments->key)
		putchar('\n');
	for (const struct argument *argument = operation->arguments; argument->key; argument++)
		print_argument(argument);
	return true;
}

static void
print_workload(const char *name, const struct workload *workload)
{
	printf("workload %s\n  %s\n", name, workload->title ? workload->title : "");
	if (workload->source)
		printf("  source: %s\n", workload->source);
	printf("  machine: %s\n", workload->machine);
	if (workload->about)
		printf("\n%s", workload->about);
	fputs("\nvariants\n", stdout);
	for (u32 i = 0; i < workload->variants_count; i++)
		printf("  %s%s\n", workload->variants[i].name, i ? "" : " (base)");
}

static bool
describe_workload(const char *name)
{
	struct file_list list = file_list_shipped(SHIPPED_WORKLOADS);
	struct workload_source source = { .file = file_list_find(&list, name) };
	struct workload *workload = source.file ? workload_load(&source, stderr) : NULL;

	if (workload) {
		print_workload(name, workload);
		workload_free(workload);
	}
	file_list_free(&list);
	return workload;
}

static bool
describe_machine(const char *name)
{
	struct file_list list = file_list_shipped(SHIPPED_MACHINES);
	const char *file = file_list_find(&list, name);

	if (file) {
		printf("machine %s\n\n", name);
		machine_print_resolved(file, stdout);
	}
	file_list_free(&list);
	return file;
}

static void
suggest_files(struct suggestion *suggestion, const struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		suggest(suggestion, list->names[i]);
}

static void
suggest_entries(struct suggestion *suggestion)
{
	const struct policy_family *family;
	const struct operation *operation;

	for (size_t i = 0; (family = catalogue_family(i)); i++) {
		suggest(suggestion, family->name);
		for (int j = 0; family->choices[j].name; j++)
			suggest(suggestion, family->choices[j].name);
	}
	for (size_t i = 0; (operation = catalogue_operation(i)); i++)
		suggest(suggestion, operation->name);
}

static enum exit_code
unknown(const struct arguments *arguments, const char *name)
{
	struct file_list workloads = file_list_shipped(SHIPPED_WORKLOADS);
	struct file_list machines = file_list_shipped(SHIPPED_MACHINES);
	struct suggestion suggestion = SUGGESTION(name);
	char hint[128];

	suggest_files(&suggestion, &workloads);
	suggest_files(&suggestion, &machines);
	suggest_entries(&suggestion);
	usage_error(arguments->command, "nothing is called '%s'%s", name,
		    suggestion_text(&suggestion, hint));
	file_list_free(&workloads);
	file_list_free(&machines);
	return EXIT_USAGE;
}

enum exit_code
command_describe(const struct arguments *arguments)
{
	static bool (*const describers[])(const char *name) = {
		describe_workload, describe_machine,   describe_family,
		describe_choice,   describe_operation,
	};
	const char *name = arguments->operands[0];
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(describers) && !found; i++)
		found = describers[i](name);
	return found ? EXIT_DONE : unknown(arguments, name);
}
