/*
 * json_check.c - exit 0 if standard input is exactly one JSON document (RFC 8259)
 *
 * Strict on purpose: no comments, no trailing commas, no NaN, nothing after the
 * value. Says where it stopped otherwise.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 64

static char text[16 << 20];
static const char *at = text;

static bool value(int depth);

static void
skip_space(void)
{
	at += strspn(at, " \t\r\n");
}

static bool
take(char c)
{
	skip_space();
	if (*at != c)
		return false;
	at++;
	return true;
}

static bool
escape(void)
{
	if (*at == 'u') {
		for (int i = 1; i <= 4; i++)
			if (!isxdigit((unsigned char)at[i]))
				return false;
		at += 5;
		return true;
	}
	return *at && strchr("\"\\/bfnrt", *at++);
}

static bool
string(void)
{
	if (!take('"'))
		return false;
	while (*at != '"') {
		if ((unsigned char)*at < 0x20)
			return false;
		if (*at++ == '\\' && !escape())
			return false;
	}
	at++;
	return true;
}

static bool
digits(void)
{
	const char *start = at;

	while (isdigit((unsigned char)*at))
		at++;
	return at > start;
}

static bool
number(void)
{
	if (*at == '-')
		at++;
	if (*at == '0')
		at++;
	else if (!digits())
		return false;
	if (*at == '.' && (at++, !digits()))
		return false;
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		return digits();
	}
	return true;
}

static bool
word(const char *wanted)
{
	if (strncmp(at, wanted, strlen(wanted)))
		return false;
	at += strlen(wanted);
	return true;
}

static bool
members(char end, bool keys, int depth)
{
	if (take(end))
		return true;
	do {
		if (keys && (!string() || !take(':')))
			return false;
		if (!value(depth))
			return false;
	} while (take(','));
	return take(end);
}

static bool
value(int depth)
{
	skip_space();
	if (depth == MAX_DEPTH)
		return false;
	switch (*at) {
	case '{':
		at++;
		return members('}', true, depth + 1);
	case '[':
		at++;
		return members(']', false, depth + 1);
	case '"':
		return string();
	case 't':
		return word("true");
	case 'f':
		return word("false");
	case 'n':
		return word("null");
	default:
		return number();
	}
}

int
main(void)
{
	size_t size = fread(text, 1, sizeof(text) - 1, stdin);
	bool right = size && value(0);

	skip_space();
	if (right && at == text + size)
		return 0;
	fprintf(stderr, "not JSON at byte %td: %.40s\n", at - text, at);
	return 1;
}
