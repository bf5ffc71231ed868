/*
 * places.h - where every value of a file was written
 *
 * From a path ("loop[0].pread.bytes") to its position. Also answers whether a
 * key was given at all, and whether what was given has been reported as wrong
 * already, so that no error causes a second one.
 */
#ifndef YAML_PLACES_H
#define YAML_PLACES_H

#include "yaml/report.h"

struct place {
	const char *path;
	struct position at;
	bool wrong;		/* reported, and left out of what libcyaml loads */
};

struct places {
	struct pool *pool;
	struct place *entries;
	size_t entries_count;
	bool sorted;
};

void places_add(struct places *places, const char *path, struct position at, bool wrong);

/* Nothing may be added after the first call. Return: NULL if @path was not given. */
const struct place *places_find(struct places *places, const char *path);

/*
 * A path under construction. path_push() returns what path_pop() needs to go
 * back. Too long a path (no file of ours has one) is cut.
 */
struct path {
	char text[512];
	size_t length;
};

size_t path_push(struct path *path, const char *key);
size_t path_push_index(struct path *path, size_t index);
void path_pop(struct path *path, size_t length);

/* Its last key, without an index: "files" of "files[2]". @buffer holds the text. */
const char *path_tail(const struct path *path, char buffer[static 64]);

#endif
