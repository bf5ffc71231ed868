/*
 * policies.c - see policies.h
 */
#include "yaml/policies.h"

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

void
take_policies(struct check *check, const struct raw_policy *raw, int tasks_max,
	      int policy[static POLICY_MAX])
{
	/* Its members are the families, in table order. */
	char *const *names = (char *const *)raw;
	size_t before = path_push(&check->path, "policy");
	const struct policy_family *family;

	for (size_t i = 0; raw && (family = catalogue_family(i)); i++) {
		int choice;

		if (!names[i])
			continue;
		check_note(check, family->name, names[i], false);
		choice = catalogue_find_choice(family, names[i]);
		if (choice < 0) {
			unknown_choice(check, family, names[i]);
			continue;
		}
		if ((family->choices[choice].flags & POLICY_ONE_TASK) && tasks_max > 1)
			check_error(check, family->name,
				    "%s '%s' is correct for one task only, and tasks goes up to %d",
				    family->name, names[i], tasks_max);
		policy[family->number] = choice;
	}
	path_pop(&check->path, before);
}
