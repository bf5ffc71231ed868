/*
 * check.c - see check.h
 */
#include "yaml/check.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "yaml/suggest.h"

static const struct place *
find_place(struct check *check, const char *key)
{
	size_t before = path_push(&check->path, key);
	const struct place *place = places_find(check->places, check->path.text);

	path_pop(&check->path, before);
	return place;
}

bool
check_given(struct check *check, const char *key)
{
	return find_place(check, key);
}

bool
check_wrong(struct check *check, const char *key)
{
	const struct place *place = find_place(check, key);

	return place && place->wrong;
}

struct position
check_position(struct check *check, const char *key)
{
	const struct place *place = find_place(check, key);
	struct path up = check->path;

	/* A mapping that was left out altogether has its parent's place. */
	while (!place) {
		char *dot = strrchr(up.text, '.');

		place = places_find(check->places, up.text);
		path_pop(&up, dot ? dot - up.text : 0);
	}
	return place->at;
}

void
check_error(struct check *check, const char *key, const char *format, ...)
{
	char message[768];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	report_error(check->report, check_position(check, key), "%s", message);
}

/* The path at hand with @key, without list indexes, as the table has it. */
static const struct field *
table_field(struct check *check, const char *key)
{
	size_t before = path_push(&check->path, key);
	char plain[sizeof(check->path.text)];
	char *to = plain;

	for (const char *from = check->path.text; *from; from++) {
		if (*from == '[')
			from += strcspn(from, "]");
		else
			*to++ = *from;
	}
	*to = '\0';
	path_pop(&check->path, before);
	return field_find(check->table, plain);
}

u32
check_count(struct check *check, const char *key, u32 count, u32 largest)
{
	if (count > largest)
		check_error(check, key, "%s has %u entries; %u is the most", key, count, largest);
	return min(count, largest);
}

/* What the value is called in a message. */
static const char *
value_name(struct check *check, const char *key, char buffer[static 64])
{
	return *key ? key : path_tail(&check->path, buffer);
}

void
check_note_origin(struct check *check, const char *key, const char *text, const char *origin)
{
	size_t before = path_push(&check->path, key);
	struct resolved *resolved;

	check->resolved = pool_grow(check->report->pool, check->resolved, check->resolved_count,
				    sizeof(*check->resolved));
	resolved = &check->resolved[check->resolved_count++];
	resolved->path = pool_strdup(check->report->pool, check->path.text);
	resolved->text = pool_strdup(check->report->pool, text);
	resolved->origin = origin ? pool_strdup(check->report->pool, origin) : NULL;
	path_pop(&check->path, before);
	resolved->at = check_position(check, key);
}

void
check_note(struct check *check, const char *key, const char *text, bool fallback)
{
	check_note_origin(check, key, text, fallback ? "default" : NULL);
}

/*
 * The text to read: what was written, else the default.
 * Return: NULL if there is none, after an error if there must be one.
 */
static const char *
source_text(struct check *check, const struct field *field, const char *key, const char *raw)
{
	char name[64];

	if (check_wrong(check, key))
		return NULL;
	if (raw) {
		check_note(check, key, raw, false);
		return raw;
	}
	if (!field->fallback) {
		/* In a mapping that is missing as a whole, the key alone says little. */
		check_error(check, "", "%s%s%s is missing: %s",
			    check_given(check, "") ? "" : check->path.text,
			    check_given(check, "") ? "" : ".", value_name(check, key, name),
			    field->help);
		return NULL;
	}
	if (!*field->fallback)
		return NULL;
	check_note(check, key, field->fallback, true);
	return field->fallback;
}

/* Return: what is wrong with a name's letters, or NULL. */
static const char *
bad_name(const char *text, enum unit unit)
{
	const char *also = unit == UNIT_MACHINE ? "-" : "._-";

	for (const char *p = text; *p; p++) {
		bool alphanumeric = isdigit((unsigned char)*p) || (*p >= 'a' && *p <= 'z') ||
				    (unit == UNIT_NAME && *p >= 'A' && *p <= 'Z');

		if (!alphanumeric && (p == text || !strchr(also, *p)))
			return unit == UNIT_MACHINE ? "only a-z, 0-9 and - make a machine's name"
						    : "only letters, digits and . _ - make a name";
	}
	return *text ? NULL : "a name cannot be empty";
}

char *
take_text_as(struct check *check, const struct field *field, const char *key, const char *raw)
{
	const char *text = source_text(check, field, key, raw);
	const char *problem = NULL;
	char name[64];

	if (text && (field->unit == UNIT_NAME || field->unit == UNIT_MACHINE))
		problem = bad_name(text, field->unit);
	if (problem) {
		check_error(check, key, "%s '%.64s': %s", value_name(check, key, name), text,
			    problem);
		return NULL;
	}
	return text ? pool_strdup(check->pool, text) : NULL;
}

u64
take_number_as(struct check *check, const struct field *field, const char *key, const char *raw)
{
	const char *text = source_text(check, field, key, raw);
	char smallest[32], largest[32];
	char message[256];
	char name[64];
	u64 value;

	if (!text)
		return 0;
	if (!value_parse(text, field->unit, &value, message)) {
		check_error(check, key, "%s: %s", value_name(check, key, name), message);
		return 0;
	}
	if (!field->largest || (value >= field->smallest && value <= field->largest))
		return value;
	check_error(check, key, "%s: '%.40s' is out of range (%s to %s)",
		    value_name(check, key, name), text,
		    value_format(field->smallest, field->unit, smallest),
		    value_format(field->largest, field->unit, largest));
	return 0;
}

/* "a, b, c". @buffer holds the text. */
static const char *
join(const char *const *words, char buffer[static 128])
{
	size_t used = 0;

	for (size_t i = 0; words[i] && used < 128; i++)
		used += snprintf(buffer + used, 128 - used, "%s%s", i ? ", " : "", words[i]);
	return buffer;
}

int
take_choice_as(struct check *check, const struct field *field, const char *key, const char *raw)
{
	const char *text = source_text(check, field, key, raw);
	struct suggestion suggestion = SUGGESTION(text);
	char hint[128];
	char name[64];

	if (!text)
		return 0;
	for (int i = 0; field->choices[i]; i++) {
		if (!strcmp(field->choices[i], text))
			return i;
		suggest(&suggestion, field->choices[i]);
	}
	if (suggestion.best)
		check_error(check, key, "unknown choice '%.64s' for %s%s", text,
			    value_name(check, key, name), suggestion_text(&suggestion, hint));
	else
		check_error(check, key, "unknown choice '%.64s' for %s: %s", text,
			    value_name(check, key, name), join(field->choices, hint));
	return 0;
}

char *
take_text(struct check *check, const char *key, const char *raw)
{
	return take_text_as(check, table_field(check, key), key, raw);
}

u64
take_number(struct check *check, const char *key, const char *raw)
{
	return take_number_as(check, table_field(check, key), key, raw);
}

int
take_choice(struct check *check, const char *key, const char *raw)
{
	return take_choice_as(check, table_field(check, key), key, raw);
}
