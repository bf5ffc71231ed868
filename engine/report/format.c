/*
 * format.c - see format.h
 */
#include "engine/report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/result.h"

const char *
format_thousands(char text[FORMAT_SIZE], u64 value)
{
	char digits[FORMAT_SIZE];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *out = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ' ';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}

const char *
format_tasks(char text[FORMAT_SIZE], int tasks)
{
	snprintf(text, FORMAT_SIZE, "%d %s", tasks, tasks == 1 ? "task" : "tasks");
	return text;
}

const char *
format_boost(char text[FORMAT_SIZE], s64 permille)
{
	u64 size = permille < 0 ? -(u64)permille : (u64)permille;

	snprintf(text, FORMAT_SIZE, "%c%" PRIu64 ".%" PRIu64 "%%", permille < 0 ? '-' : '+',
		 size / 10, size % 10);
	return text;
}

const char *
format_error(char text[FORMAT_SIZE], u64 ratio)
{
	u64 permille = scaled_ratio(ratio, RATIO_ONE, 1000);

	snprintf(text, FORMAT_SIZE, "%" PRIu64 ".%" PRIu64 "%%", permille / 10, permille % 10);
	return text;
}

const char *
format_count(char text[FORMAT_SIZE], u64 ratio)
{
	u64 hundredths = scaled_ratio(ratio, RATIO_ONE, 100);

	snprintf(text, FORMAT_SIZE, "%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100);
	return text;
}
