/*
 * text.c - see text.h
 */
#include "engine/probe/text.h"

#include <stdio.h>

#include "engine/probe/batch.h"
#include "engine/stats.h"
#include "yaml/value.h"

/* To three digits, half up. */
static u64
three_digits(u64 value)
{
	u64 unit = 1;

	while (value / unit >= 1000)
		unit *= 10;
	return (value + unit / 2) / unit * unit;
}

const char *
text_time(char text[TEXT_SIZE], u64 fs)
{
	u64 ps = three_digits(scaled_ratio(fs, FS_PER_PS, 1));

	return value_format_decimal(ps, UNIT_TIME_PS, text);
}

const char *
text_clock(char text[TEXT_SIZE], u64 cycle_fs)
{
	u64 hz = three_digits(scaled_ratio(FS_PER_SECOND, cycle_fs, 1));

	return value_format_decimal(hz, UNIT_FREQUENCY, text);
}

const char *
text_cycles(char text[TEXT_SIZE], u64 fs, u64 cycle_fs)
{
	u64 hundredths = scaled_ratio(fs, cycle_fs, 100);

	snprintf(text, TEXT_SIZE, "%llu.%02llu", (unsigned long long)hundredths / 100,
		 (unsigned long long)hundredths % 100);
	return text;
}
