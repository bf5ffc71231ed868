/*
 * machine_file.c - see machine_file.h
 */
#include "engine/probe/machine_file.h"

#include <string.h>

/* Length of the group in @path with its dot; 0 if it has none. */
static size_t
group_length(const char *path)
{
	const char *dot = strchr(path, '.');

	return dot ? (size_t)(dot + 1 - path) : 0;
}

static void
print_group(const struct entry *entry, const struct entry *before, FILE *out)
{
	size_t length = group_length(entry->path);

	if (!length || (before && !strncmp(before->path, entry->path, length)))
		return;
	fprintf(out, "%.*s:\n", (int)length - 1, entry->path);
}

static void
print_entry(const struct entry *entry, FILE *out)
{
	size_t length = group_length(entry->path);

	fprintf(out, "%s%s: ", length ? "  " : "", entry->path + length);
	if (!entry->key) {
		fprintf(out, "%s\n", entry->value);
		return;
	}
	fprintf(out, "{ %s: %s, ", entry->key, entry->value);
	if (entry->more)
		fprintf(out, "%s, ", entry->more);
	fprintf(out, "source: \"%s\" }\n", entry->source);
}

void
machine_file_print(const struct entries *entries, char *const *comments, FILE *out)
{
	for (; *comments; comments++)
		fprintf(out, "# %s\n", *comments);
	for (int i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->entry[i];

		print_group(entry, i ? entry - 1 : NULL, out);
		print_entry(entry, out);
	}
}
