/*
 * json_writer.h - write one JSON document, key by key
 *
 * Keys come out in the order of the calls, numbers are integers or decimals
 * made from integers: equal input gives equal bytes. A value inside an array
 * has the key NULL.
 */
#ifndef ENGINE_REPORT_JSON_WRITER_H
#define ENGINE_REPORT_JSON_WRITER_H

#include <stdio.h>

#include "machine/types.h"

#define JSON_MAX_DEPTH 24

enum json_layout {
	JSON_LINES,	/* one member a line */
	JSON_COMPACT,	/* all on one line, and everything in it */
};

struct json {
	FILE *out;
	int depth;
	struct {
		bool array;
		bool filled;	/* has a member already: the next needs a comma */
		bool compact;
	} level[JSON_MAX_DEPTH];
};

void json_object(struct json *json, const char *key, enum json_layout layout);
void json_array(struct json *json, const char *key, enum json_layout layout);
void json_end(struct json *json);	/* of the innermost object or array */

/* NULL is written as null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);
void json_u64(struct json *json, const char *key, u64 value);
void json_s64(struct json *json, const char *key, s64 value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* @value / 10^@decimals, without trailing zeros. */
void json_decimal(struct json *json, const char *key, u64 value, int decimals);

#endif
