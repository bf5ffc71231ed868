/*
 * secant.c - see secant.h
 */
#include "engine/calibrate/secant.h"

#include <math.h>

#define ROUNDS_MAX 8

/* @x rounded to a whole number of steps, inside the bounds. */
static u64
settle(const struct secant *secant, double x)
{
	double steps = floor(x / secant->step + 0.5);

	if (x <= secant->smallest)
		return secant->smallest;
	if (x >= secant->largest)
		return secant->largest;
	return min(max((u64)steps * secant->step, secant->smallest), secant->largest);
}

/* A tenth away, on the side where there is room. */
static u64
neighbour(const struct secant *secant, u64 x)
{
	u64 distance = max(x / 10, 10 * secant->step);

	return settle(secant, x + distance <= secant->largest ? (double)x + distance
							      : (double)x - distance);
}

u64
secant_root(const struct secant *secant, u64 start)
{
	u64 before = start;
	double value_before = secant->function(secant->context, before);
	u64 x = neighbour(secant, start);

	if (fabs(value_before) <= secant->tolerance)
		return start;
	for (int round = 0; round < ROUNDS_MAX && x != before; round++) {
		double value = secant->function(secant->context, x);
		double slope = (value - value_before) / ((double)x - (double)before);
		u64 next;

		if (fabs(value) <= secant->tolerance)
			return x;
		if (slope == 0)
			return start;
		next = settle(secant, x - value / slope);
		before = x;
		value_before = value;
		x = next;
	}
	return x;
}
