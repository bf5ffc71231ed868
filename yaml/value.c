/*
 * value.c - see value.h
 */
#include "yaml/value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

#define DIGITS_MAX 24 /* times the largest factor still fits into 128 bits */

struct suffix {
	const char *text;
	u64 factor;
};

/* Largest first; the last is the base. */
static const struct suffix sizes[] = {
	{ "TiB", 1ull << 40 },
	{ "GiB", 1ull << 30 },
	{ "MiB", 1 << 20 },
	{ "KiB", 1 << 10 },
	{ "", 1 },
	{ 0 },
};
static const struct suffix times_ns[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { 0 },
};
static const struct suffix times_ps[] = {
	{ "s", 1000000000000 }, { "ms", 1000000000 }, { "us", 1000000 },
	{ "ns", 1000 },		{ "ps", 1 },	      { 0 },
};
static const struct suffix frequencies[] = {
	{ "GHz", 1000000000 }, { "MHz", 1000000 }, { "kHz", 1000 }, { "Hz", 1 }, { 0 },
};
static const struct suffix percents[] = { { "%", 1 }, { 0 } };
static const struct suffix permilles[] = { { "%", 10 }, { 0 } };
static const struct suffix counts[] = { { "", 1 }, { 0 } };

/* What people write instead. */
static const struct suffix_typo {
	enum unit unit;
	const char *wrong, *right;
} typos[] = {
	{ UNIT_SIZE, "k", "KiB" },	{ UNIT_SIZE, "kb", "KiB" },
	{ UNIT_SIZE, "m", "MiB" },	{ UNIT_SIZE, "mb", "MiB" },
	{ UNIT_SIZE, "g", "GiB" },	{ UNIT_SIZE, "gb", "GiB" },
	{ UNIT_SIZE, "b", "" },		{ UNIT_SIZE, "bytes", "" },
	{ UNIT_TIME_NS, "", "ns" },	{ UNIT_TIME_NS, "sec", "s" },
	{ UNIT_TIME_NS, "msec", "ms" }, { UNIT_TIME_NS, "usec", "us" },
	{ UNIT_TIME_NS, "nsec", "ns" }, { UNIT_TIME_NS, "µs", "us" },
	{ UNIT_FREQUENCY, "", "GHz" },	{ UNIT_FREQUENCY, "g", "GHz" },
	{ UNIT_FREQUENCY, "m", "MHz" }, { UNIT_PERCENT, "", "%" },
};

static const struct suffix *
suffixes(enum unit unit)
{
	switch (unit) {
	case UNIT_SIZE:
		return sizes;
	case UNIT_TIME_NS:
		return times_ns;
	case UNIT_TIME_PS:
		return times_ps;
	case UNIT_FREQUENCY:
		return frequencies;
	case UNIT_PERCENT:
		return percents;
	case UNIT_PERMILLE:
		return permilles;
	default:
		return counts;
	}
}

static const char *
unit_name(enum unit unit)
{
	switch (unit) {
	case UNIT_SIZE:
		return "a size such as 64 or 4KiB";
	case UNIT_TIME_NS:
	case UNIT_TIME_PS:
		return "a time such as 200ns or 10us";
	case UNIT_FREQUENCY:
		return "a frequency such as 2.6GHz";
	case UNIT_PERCENT:
		return "a percentage such as 25%";
	case UNIT_PERMILLE:
		return "a percentage such as 4.9%";
	default:
		return "a whole number";
	}
}

/* What @text looks like, cut to be quoted in a message. */
#define QUOTED "'%.40s'"

static bool
bad_number(const char *text, enum unit unit, char message[static 256])
{
	size_t digits = strspn(text, "0123456789");

	if (text[0] == '-' && isdigit((unsigned char)text[1]))
		snprintf(message, 256, QUOTED " is negative", text);
	else if (text[0] == '+')
		snprintf(message, 256, QUOTED " has a sign: leave it out", text);
	else if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		snprintf(message, 256, QUOTED " is not decimal", text);
	else if (digits > 1 && text[0] == '0')
		snprintf(message, 256, QUOTED " has a leading zero", text);
	else
		snprintf(message, 256, QUOTED " is not %s", text, unit_name(unit));
	return false;
}

static bool
bad_suffix(const char *text, const char *suffix, enum unit unit, char message[static 256])
{
	enum unit family = unit == UNIT_TIME_PS	   ? UNIT_TIME_NS
			   : unit == UNIT_PERMILLE ? UNIT_PERCENT
						   : unit;
	const char *trimmed = suffix + strspn(suffix, " ");
	int number = suffix - text;
	const char *right = NULL;

	if (unit == UNIT_COUNT)
		return bad_number(text, unit, message);
	for (size_t i = 0; i < ARRAY_SIZE(typos); i++) {
		if (typos[i].unit == family && !strcasecmp(trimmed, typos[i].wrong))
			right = typos[i].right;
	}
	for (const struct suffix *s = suffixes(unit); s->text; s++) {
		if (!strcasecmp(trimmed, s->text))
			right = s->text;
	}
	if (right && !*suffix)
		snprintf(message, 256, QUOTED " has no unit (did you mean '%.*s%s'?)", text, number,
			 text, right);
	else if (right)
		snprintf(message, 256, "unknown unit '%s' in " QUOTED " (did you mean '%.*s%s'?)",
			 trimmed, text, number, text, right);
	else
		snprintf(message, 256, QUOTED " is not %s", text, unit_name(unit));
	return false;
}

/* "12.75KiB" taken apart: 1275, 100 and "KiB". */
struct decimal {
	u128 number;   /* all digits */
	u128 fraction; /* ten for each digit behind the point */
	const char *suffix;
};

/* Return: false if @text does not start with a number that fits. */
static bool
read_decimal(const char *text, struct decimal *decimal)
{
	const char *point = text + strspn(text, "0123456789");
	const char *end = point;

	if (*point == '.')
		end += 1 + strspn(point + 1, "0123456789");
	*decimal = (struct decimal){ .fraction = 1, .suffix = end };
	if (end - text > DIGITS_MAX)
		return false;
	for (const char *p = text; p < end; p++) {
		if (p == point)
			continue;
		decimal->number = decimal->number * 10 + (*p - '0');
		decimal->fraction *= p > point ? 10 : 1;
	}
	return true;
}

static bool
too_large(const char *text, char message[static 256])
{
	snprintf(message, 256, QUOTED " is too large", text);
	return false;
}

static bool
not_whole(const char *text, enum unit unit, char message[static 256])
{
	const struct suffix *base = suffixes(unit);

	while (base[1].text)
		base++;
	if (unit == UNIT_COUNT)
		return bad_number(text, unit, message);
	snprintf(message, 256, QUOTED " is not a whole number of %s", text,
		 unit == UNIT_SIZE	 ? "bytes"
		 : unit == UNIT_PERMILLE ? "tenths of a percent"
					 : base->text);
	return false;
}

bool
value_parse(const char *text, enum unit unit, u64 *value, char message[static 256])
{
	size_t whole = strspn(text, "0123456789");
	const struct suffix *s = suffixes(unit);
	struct decimal decimal;

	if (!whole || (whole > 1 && text[0] == '0'))
		return bad_number(text, unit, message);
	if (!read_decimal(text, &decimal))
		return too_large(text, message);
	while (s->text && strcmp(s->text, decimal.suffix))
		s++;
	/* Nothing is nothing in every unit. */
	if (!s->text && (decimal.number || *decimal.suffix))
		return bad_suffix(text, decimal.suffix, unit, message);
	decimal.number *= s->text ? s->factor : 1;
	if (decimal.suffix[-1] == '.' || decimal.number % decimal.fraction)
		return not_whole(text, unit, message);
	decimal.number /= decimal.fraction;
	if (decimal.number > UINT64_MAX)
		return too_large(text, message);
	*value = decimal.number;
	return true;
}

const char *
value_format(u64 value, enum unit unit, char buffer[static 32])
{
	const struct suffix *s = suffixes(unit);

	while (s[1].text && (!value || value % s->factor))
		s++;
	snprintf(buffer, 32, "%llu%s", (unsigned long long)value / s->factor, s->text);
	return buffer;
}

const char *
value_format_decimal(u64 value, enum unit unit, char buffer[static 32])
{
	const struct suffix *s = suffixes(unit);
	u64 fraction;
	int length;

	while (s[1].text && s->factor > value)
		s++;
	length = snprintf(buffer, 32, "%llu", (unsigned long long)(value / s->factor));
	fraction = value % s->factor;
	if (fraction)
		buffer[length++] = '.';
	for (u64 place = s->factor / 10; fraction; place /= 10) {
		buffer[length++] = '0' + fraction / place;
		fraction %= place;
	}
	strcpy(buffer + length, s->text);
	return buffer;
}
