/*
 * policies.c - see policies.h
 */
#include "yaml/policies.h"

#include <stdio.h>
#include <string.h>

#include "yaml/catalogue.h"
#include "yaml/suggest.h"

static void
unknown_choice(struct check *check, const struct policy_family *family, const char *name)
{
	struct suggestion suggestion = SUGGESTION(name);
	const struct policy_family *other;
	char hint[128];

	for (size_t i = 0; (other = catalogue_family(i)); i++) {
		if (catalogue_find_choice(other, name) < 0)
			continue;
		check_error(check, family->name, "'%s' is a choice of %s, not of %s", name,
			    other->name, family->name);
		return;
	}
	for (const struct policy_choice *choice = family->choices; choice->name; choice++)
		suggest(&suggestion, choice->name);
	check_error(check, family->name, "unknown choice '%.64s' for %s%s", name, family->name,
		    suggestion_text(&suggestion, hint));
}

/* A family that the file says nothing about. */
static void
follow_kernel(struct check *check, const char *kernel, const struct policy_family *family,
	      int policy[static POLICY_MAX])
{
	int choice = catalogue_kernel_choice(kernel, family);
	char origin[64];

	snprintf(origin, sizeof(origin), "kernel %.40s", kernel);
	policy[family->number] = max(choice, 0);
	check_note_origin(check, family->name, family->choices[max(choice, 0)].name,
			  choice < 0 ? "default" : origin);
}

static void
take_policy(struct check *check, const struct policy_family *family, const char *name,
	    int tasks_max, int policy[static POLICY_MAX])
{
	int choice = catalogue_find_choice(family, name);

	check_note(check, family->name, name, false);
	if (choice < 0) {
		unknown_choice(check, family, name);
		return;
	}
	if ((family->choices[choice].flags & POLICY_ONE_TASK) && tasks_max > 1)
		check_error(check, family->name,
			    "%s '%s' is correct for one task only, and tasks goes up to %d",
			    family->name, name, tasks_max);
	policy[family->number] = choice;
}

void
take_policies(struct check *check, const struct raw_policy *raw, const char *kernel, int tasks_max,
	      int policy[static POLICY_MAX])
{
	/* Its members are the families, in table order. */
	char *const *names = (char *const *)raw;
	size_t before = path_push(&check->path, "policy");
	const struct policy_family *family;

	for (size_t i = 0; (family = catalogue_family(i)); i++) {
		if (names && names[i])
			take_policy(check, family, names[i], tasks_max, policy);
		else if (kernel)
			follow_kernel(check, kernel, family, policy);
	}
	path_pop(&check->path, before);
}
