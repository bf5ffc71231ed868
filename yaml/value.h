/*
 * value.h - numbers with units, as people write them
 *
 * Strict: "4k", "010", "0x10", "+5" and "1_000" are errors and never 4, 8, 16, 5
 * and 1.
 */
#ifndef YAML_VALUE_H
#define YAML_VALUE_H

#include "machine/types.h"

enum unit {
	UNIT_TEXT,		/* anything */
	UNIT_NAME,		/* [A-Za-z0-9] and . _ - inside */
	UNIT_MACHINE,		/* [a-z0-9-] */
	UNIT_CHOICE,		/* one of a list of words */
	UNIT_COUNT,		/* whole number */
	UNIT_SIZE,		/* bytes: 64, 4KiB, 64MiB, 1GiB */
	UNIT_TIME_NS,		/* 200ns, 10us, 1.5ms, 1s; whole ns */
	UNIT_TIME_PS,		/* the same, and 500ps; whole ps */
	UNIT_FREQUENCY,		/* 1Hz ... 2.6GHz */
	UNIT_PERCENT,		/* 25% */
	UNIT_PERMILLE,		/* 4.9%: tenths of a percent */
};

/*
 * Read @text as a number of that unit (COUNT and after).
 * Return: true with *value, or false with what is wrong in @message, as in
 * "'1.5' is not a whole number".
 */
bool value_parse(const char *text, enum unit unit, u64 *value, char message[static 256]);

/* The other way round, with the largest unit that divides it: "4KiB", "1.5ns" is 1500ps. */
const char *value_format(u64 value, enum unit unit, char buffer[static 32]);

/* With the largest unit that is not above it: 46300 ps is "46.3ns". Not for sizes. */
const char *value_format_decimal(u64 value, enum unit unit, char buffer[static 32]);

#endif
