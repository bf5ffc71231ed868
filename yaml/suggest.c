/*
 * suggest.c - see suggest.h
 */
#include "yaml/suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 48 /* longer words are never compared */

/* Insertions, deletions, replacements and swaps of neighbours from @a to @b. */
static int
edit_distance(const char *a, const char *b)
{
	int rows[3][LONGEST + 1];
	int length_a = strlen(a);
	int length_b = strlen(b);

	for (int j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (int i = 1; i <= length_a; i++) {
		int *row = rows[i % 3];
		const int *above = rows[(i + 2) % 3];
		const int *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (int j = 1; j <= length_b; j++) {
			row[j] = min(above[j], row[j - 1]) + 1;
			row[j] = min(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[length_a % 3][length_b];
}

void
suggest(struct suggestion *suggestion, const char *candidate)
{
	size_t length = strlen(suggestion->wrong);
	int distance;

	if (!length || length > LONGEST || strlen(candidate) > LONGEST)
		return;
	distance = edit_distance(suggestion->wrong, candidate);
	if (distance > 1 + (int)length / 4)
		return;
	/* Two letters changed into two others are no misspelling. */
	if (distance >= (int)strlen(candidate))
		return;
	if (suggestion->best && distance > suggestion->distance)
		return;
	/* Of two equally near, the one of the same length: letters were swapped. */
	if (suggestion->best && distance == suggestion->distance && strlen(candidate) != length)
		return;
	suggestion->best = candidate;
	suggestion->distance = distance;
}

const char *
suggestion_text(const struct suggestion *suggestion, char buffer[static 128])
{
	buffer[0] = '\0';
	if (suggestion->best)
		snprintf(buffer, 128, " (did you mean '%s'?)", suggestion->best);
	return buffer;
}
