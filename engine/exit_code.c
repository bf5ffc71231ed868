/*
 * exit_code.c - see exit_code.h
 */
#include "engine/exit_code.h"

/* Most specific first. */
static const enum exit_code by_precedence[] = {
	EXIT_BUG,	  EXIT_DEADLOCK,    EXIT_INTERNAL,     EXIT_USAGE, EXIT_RESOURCE,
	EXIT_UNSUPPORTED, EXIT_INTERRUPTED, EXIT_POINT_FAILED, EXIT_DONE,
};

enum exit_code
exit_code_merge(enum exit_code a, enum exit_code b)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_precedence); i++)
		if (by_precedence[i] == a || by_precedence[i] == b)
			return by_precedence[i];
	return EXIT_INTERNAL;
}
