/*
 * json_writer.c - see json_writer.h
 */
#include "engine/report/json_writer.h"

#include <inttypes.h>
#include <string.h>

static bool
is_compact(const struct json *json)
{
	return json->depth && json->level[json->depth - 1].compact;
}

static void
new_line(struct json *json)
{
	fputc('\n', json->out);
	for (int i = 0; i < json->depth; i++)
		fputs("  ", json->out);
}

/* Length of the UTF-8 sequence at @s, or 0 if it is none (overlong, surrogate, cut off). */
static int
utf8_length(const unsigned char *s)
{
	static const u32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int length = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
	u32 code = length > 1 ? *s & (0x7f >> length) : *s;

	for (int i = 1; i < length; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

static void
write_escaped(FILE *out, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";
	const char *found = strchr(plain, c);

	if (c && found)
		fprintf(out, "\\%c", letter[found - plain]);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

static void
write_string(FILE *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	fputc('"', out);
	while (*s) {
		int length = utf8_length(s);

		if (length == 1)
			write_escaped(out, *s);
		else if (length)
			fwrite(s, 1, length, out);
		else
			fputs("\xef\xbf\xbd", out);
		s += length ? length : 1;
	}
	fputc('"', out);
}

/* What stands before a value: comma, place, key. */
static void
begin_value(struct json *json, const char *key)
{
	bool compact = is_compact(json);

	if (json->depth) {
		if (json->level[json->depth - 1].filled)
			fputs(compact ? ", " : ",", json->out);
		else if (compact && !json->level[json->depth - 1].array)
			fputc(' ', json->out);
		json->level[json->depth - 1].filled = true;
		if (!compact)
			new_line(json);
	}
	if (key) {
		write_string(json->out, key);
		fputs(": ", json->out);
	}
}

static void
open_level(struct json *json, const char *key, enum json_layout layout, bool array)
{
	bool compact = layout == JSON_COMPACT || is_compact(json);

	begin_value(json, key);
	fputc(array ? '[' : '{', json->out);
	json->level[json->depth].array = array;
	json->level[json->depth].filled = false;
	json->level[json->depth].compact = compact;
	json->depth++;
}

void
json_object(struct json *json, const char *key, enum json_layout layout)
{
	open_level(json, key, layout, false);
}

void
json_array(struct json *json, const char *key, enum json_layout layout)
{
	open_level(json, key, layout, true);
}

void
json_end(struct json *json)
{
	bool compact = is_compact(json);
	bool array = json->level[json->depth - 1].array;
	bool filled = json->level[json->depth - 1].filled;

	json->depth--;
	if (filled && !compact)
		new_line(json);
	else if (filled && !array)
		fputc(' ', json->out);
	fputc(array ? ']' : '}', json->out);
	if (!json->depth)
		fputc('\n', json->out);
}

void
json_string(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	write_string(json->out, value);
}

void
json_u64(struct json *json, const char *key, u64 value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void
json_s64(struct json *json, const char *key, s64 value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void
json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void
json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}

void
json_decimal(struct json *json, const char *key, u64 value, int decimals)
{
	u64 one = 1;

	while (decimals && value % 10 == 0) {
		value /= 10;
		decimals--;
	}
	for (int i = 0; i < decimals; i++)
		one *= 10;
	begin_value(json, key);
	if (decimals)
		fprintf(json->out, "%" PRIu64 ".%0*" PRIu64, value / one, decimals, value % one);
	else
		fprintf(json->out, "%" PRIu64, value);
}
