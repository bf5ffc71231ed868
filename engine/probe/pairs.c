/*
 * pairs.c - see pairs.h
 */
#include "engine/probe/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/stats.h"

static void
for_each_pair(const struct layout *layout, void (*each)(void *context, const struct pair *pair),
	      void *context)
{
	for (int a = 0; a < layout->nr_cpus; a++) {
		for (int b = a + 1; b < layout->nr_cpus; b++) {
			const struct pair pair = {
				.a = a,
				.b = b,
				.distance = layout_distance(&layout->cpus[a], &layout->cpus[b]),
			};

			each(context, &pair);
		}
	}
}

static void
count_pair(void *context, const struct pair *pair)
{
	u64 *count = context;

	count[pair->distance]++;
}

struct choosing {
	u64 there[DISTANCE_MAX];	/* pairs of each class */
	u64 seen[DISTANCE_MAX];
	u64 wanted;			/* of each class, at most */
	struct pairs *pairs;
};

/* Of n pairs, w evenly spread ones are those at which a sum of w/n reaches a whole number. */
static void
choose_pair(void *context, const struct pair *pair)
{
	struct choosing *choosing = context;
	struct pairs *pairs = choosing->pairs;
	u64 there = choosing->there[pair->distance];
	u64 wanted = min(there, choosing->wanted);
	u64 seen = choosing->seen[pair->distance]++;

	if (seen * wanted % there < wanted)
		pairs->pair[pairs->count++] = *pair;
}

void
pairs_choose(const struct layout *layout, int per_class, struct pairs *pairs)
{
	struct choosing choosing = { .wanted = per_class, .pairs = pairs };

	for_each_pair(layout, count_pair, choosing.there);
	pairs->count = 0;
	pairs->pair = xcalloc((size_t)per_class * DISTANCE_MAX, sizeof(*pairs->pair));
	for_each_pair(layout, choose_pair, &choosing);
	pairs->complete = pairs->count == layout->nr_cpus * (layout->nr_cpus - 1) / 2;
}

void
pairs_clear(struct pairs *pairs)
{
	free(pairs->pair);
	memset(pairs, 0, sizeof(*pairs));
}

u64
pairs_reduce(const struct pairs *pairs, const u64 *figures, enum distance distance)
{
	u64 *measured = xcalloc(pairs->count, sizeof(*measured));
	struct summary summary = { 0 };
	int count = 0;

	for (int i = 0; i < pairs->count; i++)
		if (pairs->pair[i].distance == distance && figures[i])
			measured[count++] = figures[i];
	if (count)
		stats_summarise(measured, count, &summary);
	free(measured);
	return summary.median;
}
