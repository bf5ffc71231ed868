/*
 * secant.h - the argument for which a nearly straight function is zero
 */
#ifndef ENGINE_CALIBRATE_SECANT_H
#define ENGINE_CALIBRATE_SECANT_H

#include "machine/types.h"

struct secant {
	double (*function)(void *context, u64 x);
	void *context;
	u64 smallest;
	u64 largest;
	u64 step;		/* the root is wanted to this much */
	double tolerance;	/* of the function's value */
};

/*
 * Start at @start. Return: the root; the bound on its side if it lies outside;
 * @start if the function does not react.
 */
u64 secant_root(const struct secant *secant, u64 start);

#endif
