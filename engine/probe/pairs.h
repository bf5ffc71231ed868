/*
 * pairs.h - which hardware threads hand a line to each other, and what that says of a class
 *
 * The matrix of all pairs grows with the square of the machine: of each class
 * of distance as many pairs are measured as there is time for, evenly spread
 * over the machine.
 */
#ifndef ENGINE_PROBE_PAIRS_H
#define ENGINE_PROBE_PAIRS_H

#include "engine/probe/layout.h"

struct pair {
	int a;			/* index into layout->cpus, the smaller of the two */
	int b;
	enum distance distance;
};

struct pairs {
	int count;
	struct pair *pair;
	bool complete;		/* every pair of the machine is there */
};

/* Choose at most @per_class pairs of each class. Free with pairs_clear(). */
void pairs_choose(const struct layout *layout, int per_class, struct pairs *pairs);
void pairs_clear(struct pairs *pairs);

/*
 * What a hand-over costs at @distance: the median over its pairs. @figures has one
 * entry for each of @pairs, 0 where nothing was measured. Return: 0 if no pair was.
 */
u64 pairs_reduce(const struct pairs *pairs, const u64 *figures, enum distance distance);

#endif
