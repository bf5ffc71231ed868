/*
 * places.c - see places.h
 */
#include "yaml/places.h"

#include <stdlib.h>
#include <string.h>

void
places_add(struct places *places, const char *path, struct position at, bool wrong)
{
	places->entries = pool_grow(places->pool, places->entries, places->entries_count,
				    sizeof(*places->entries));
	places->entries[places->entries_count++] =
		(struct place){ pool_strdup(places->pool, path), at, wrong };
	places->sorted = false;
}

static int
compare_places(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	return strcmp(a->path, b->path);
}

/* A short form and what it stands for share a path: one entry is left, wrong if either is. */
static void
sort_places(struct places *places)
{
	struct place *entries = places->entries;
	size_t kept = 0;

	qsort(entries, places->entries_count, sizeof(*entries), compare_places);
	for (size_t i = 1; i < places->entries_count; i++) {
		if (strcmp(entries[i].path, entries[kept].path))
			entries[++kept] = entries[i];
		else
			entries[kept].wrong |= entries[i].wrong;
	}
	places->entries_count = kept + 1;
	places->sorted = true;
}

const struct place *
places_find(struct places *places, const char *path)
{
	struct place key = { .path = path };

	if (!places->entries_count)
		return NULL;
	if (!places->sorted)
		sort_places(places);
	return bsearch(&key, places->entries, places->entries_count, sizeof(key), compare_places);
}

static size_t
append(struct path *path, const char *text)
{
	size_t before = path->length;
	int length = snprintf(path->text + before, sizeof(path->text) - before, "%s", text);

	path->length = min(before + length, sizeof(path->text) - 1);
	return before;
}

size_t
path_push(struct path *path, const char *key)
{
	size_t before = path->length;

	if (before && *key)
		append(path, ".");
	append(path, key);
	return before;
}

size_t
path_push_index(struct path *path, size_t index)
{
	char text[32];

	snprintf(text, sizeof(text), "[%zu]", index);
	return append(path, text);
}

void
path_pop(struct path *path, size_t length)
{
	path->length = length;
	path->text[length] = '\0';
}

const char *
path_tail(const struct path *path, char buffer[static 64])
{
	const char *dot = strrchr(path->text, '.');
	const char *tail = dot ? dot + 1 : path->text;

	snprintf(buffer, 64, "%.*s", (int)strcspn(tail, "["), tail);
	return buffer;
}
