/*
 * random.h - named random streams
 *
 * Each user of randomness draws from its own stream, seeded from the run's
 * seed and the stream's name, so that one more draw here shifts nothing there.
 * The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), seeded by splitmix64.
 */
#ifndef MACHINE_RANDOM_H
#define MACHINE_RANDOM_H

#include "machine/types.h"

struct random_stream {
	u64 state[4];
};

/* The next of splitmix64's numbers (Steele, Lea and Flood, "Fast splittable PRNGs", 2014). */
static inline u64
splitmix64(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void random_init(struct random_stream *stream, u64 seed, const char *name);
u64 random_u64(struct random_stream *stream);

/* Uniform in 0 .. @bound - 1, without bias; @bound > 0. */
u64 random_below(struct random_stream *stream, u64 bound);

/* Exponentially distributed with mean @mean, from a committed table; no floats. */
u64 random_exponential(struct random_stream *stream, u64 mean);

#endif
