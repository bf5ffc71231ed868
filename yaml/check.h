/*
 * check.h - the third pass: from text to values
 *
 * A check walks the loaded structs with the path of where it is. Each taker
 * fills in the default, reads the unit, checks the range, reports what is wrong
 * at the value's own place, and notes the value and its origin for
 * `engine validate`. After an error it returns a harmless value and goes on, so
 * that the rest of the file is checked too.
 */
#ifndef YAML_CHECK_H
#define YAML_CHECK_H

#include "yaml/fields.h"
#include "yaml/fittable.h"
#include "yaml/places.h"

/* One value of the resolved file. */
struct resolved {
	const char *path;
	const char *text;
	struct position at;
	const char *origin;	/* "default" or what else it follows from; NULL: written at @at */
};

struct check {
	struct report *report;
	struct places *places;
	struct pool *pool;		/* what is handed out */
	const struct field *table;	/* of the file's kind */
	struct path path;		/* of the mapping at hand */
	struct resolved *resolved;
	size_t resolved_count;
	struct fittables *fittables;	/* of a machine file; NULL: not asked for */
};

/*
 * The text of @key in the mapping at hand (@key "": of the place itself), or
 * its default. @raw is what libcyaml loaded, NULL if nothing. Names and paths
 * are checked for their letters.
 * Return: a copy; NULL if left out or wrong.
 */
char *take_text(struct check *check, const char *key, const char *raw);

/* A COUNT or anything with a unit. Return: 0 if left out or wrong. */
u64 take_number(struct check *check, const char *key, const char *raw);

/* Index into the field's choices. Return: 0 if wrong. */
int take_choice(struct check *check, const char *key, const char *raw);

/* The same for a field that is not in the table (arguments of operations). */
char *take_text_as(struct check *check, const struct field *field, const char *key,
		   const char *raw);
u64 take_number_as(struct check *check, const struct field *field, const char *key,
		   const char *raw);
int take_choice_as(struct check *check, const struct field *field, const char *key,
		   const char *raw);

/* Note a value that no taker reads. @fallback: it is the default. */
void check_note(struct check *check, const char *key, const char *text, bool fallback);

/* Note a value that was not written, and what it follows from. */
void check_note_origin(struct check *check, const char *key, const char *text,
		       const char *origin);

/* Was @key written, right or wrong? */
bool check_given(struct check *check, const char *key);

/* Was @key written and found wrong already? */
bool check_wrong(struct check *check, const char *key);

/* Where @key was written, or else the mapping at hand. */
struct position check_position(struct check *check, const char *key);

/* Report a list that is too long. Return: how many entries to look at. */
u32 check_count(struct check *check, const char *key, u32 count, u32 largest);

/* Report at that position. */
void check_error(struct check *check, const char *key, const char *format, ...) __printf(3, 4);

#endif
