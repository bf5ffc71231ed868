/*
 * objective.c - see objective.h
 */
#include "engine/calibrate/objective.h"

#include <math.h>

#define PULL_DEVIATION 0.15
#define PULL_WEIGHT 0.02

double
ratio_error(u64 modelled, u64 published)
{
	double m = modelled;
	double p = published;

	return modelled && published ? (m - p) / sqrt(m * p) : OBJECTIVE_FAILED;
}

double
rms(const double *errors, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += errors[i] * errors[i];
	return sqrt(sum / n);
}

double
pull(u64 value, u64 published)
{
	return published ? PULL_WEIGHT * ratio_error(value, published) / PULL_DEVIATION : 0;
}
