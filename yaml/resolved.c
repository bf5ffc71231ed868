/*
 * resolved.c - every value of a file with its origin, as YAML that could be loaded again
 */
#include <string.h>

#include "yaml/loading.h"

#define COMMENT_COLUMN 56

/* Length of the path part at @path: ".key", "key" or "[3]". */
static size_t
part_length(const char *path)
{
	size_t dot = *path == '.';

	return *path == '[' ? strcspn(path, "]") + 1 : dot + strcspn(path + dot, ".[");
}

/* May it stand without quotes? Not all that YAML allows, but all that needs none to the eye. */
static bool
plain(const char *text)
{
	size_t length = strlen(text);

	if (!strcmp(text, "{}"))
		return true;
	if (!length || strpbrk(text, ":#\"'\n\t{}[],&*!|>@`") || strchr("-?%~ ", text[0]))
		return false;
	return text[length - 1] != ' ' && strcmp(text, "null");
}

static int
print_text(FILE *out, const char *text)
{
	int width = 2;

	if (plain(text))
		return fprintf(out, "%s", text);
	fputc('"', out);
	for (; *text; text++, width++) {
		if (*text == '\n' || *text == '\t')
			width += fprintf(out, *text == '\n' ? "\\n" : "\\t") - 1;
		else if (*text == '"' || *text == '\\')
			width += fprintf(out, "\\%c", *text) - 1;
		else
			fputc(*text, out);
	}
	fputc('"', out);
	return width;
}

/* Is the part at @from, of @length, the same as in the path before? */
static bool
same_part(const char *before, size_t from, const char *path, size_t length)
{
	return !strncmp(before, path, from + length) &&
	       (before[from + length] == '\0' || strchr(".[", before[from + length]));
}

/*
 * Open what @path goes through and the value before it did not. A list item
 * puts its dash where its first key's indentation would be.
 * Return: the width of what stands on the last line.
 */
static int
print_path(FILE *out, const char *before, const char *path)
{
	bool fresh = false;
	bool dash = false;
	int indent = 0;
	int width = 0;

	for (size_t at = 0; path[at];) {
		size_t length = part_length(path + at);
		bool last = !path[at + length];
		bool item = path[at] == '[';

		if (fresh || last || !same_part(before, at, path, length)) {
			const char *key = path + at + (path[at] == '.');

			if (!dash)
				width = fprintf(out, "%*s", indent, "");
			fresh = true;
			if (item)
				width += fprintf(out, "- ");
			else
				width += fprintf(out, "%.*s:%s", (int)(length - (path[at] == '.')),
						 key, last ? " " : "\n");
			dash = item;
		}
		at += length;
		indent += 2;
	}
	return width;
}

void
resolved_print(struct check *check, FILE *out)
{
	const char *before = "";

	for (size_t i = 0; i < check->resolved_count; i++) {
		const struct resolved *resolved = &check->resolved[i];
		int width = print_path(out, before, resolved->path);

		width += print_text(out, resolved->text);
		fprintf(out, "%*s # %s\n", max(COMMENT_COLUMN - width, 0), "",
			resolved->origin ? resolved->origin
					 : report_position(check->report, resolved->at));
		before = resolved->path;
	}
}
