/*
 * shared/random.c - see random.h
 */
#include "machine/random.h"

#include "machine/shared/exponential.h"

/* FNV-1a, 64 bits. */
static u64
hash_name(const char *name)
{
	u64 hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 0x100000001b3;
	return hash;
}

void
random_init(struct random_stream *stream, u64 seed, const char *name)
{
	u64 mixed = splitmix64(&seed) ^ hash_name(name);

	for (int i = 0; i < 4; i++)
		stream->state[i] = splitmix64(&mixed);
}

static u64
rotate_left(u64 x, int bits)
{
	return x << bits | x >> (64 - bits);
}

u64
random_u64(struct random_stream *stream)
{
	u64 *s = stream->state;
	u64 result = rotate_left(s[1] * 5, 7) * 9;
	u64 shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

/*
 * The high half of a 128-bit product (Lemire, "Fast random integer generation
 * in an interval", 2019). Products whose low half is below 2^64 mod @bound would
 * give some results once too often and are drawn again.
 */
u64
random_below(struct random_stream *stream, u64 bound)
{
	unsigned __int128 product = (unsigned __int128)random_u64(stream) * bound;

	if ((u64)product < bound) {
		u64 surplus = -bound % bound;

		while ((u64)product < surplus)
			product = (unsigned __int128)random_u64(stream) * bound;
	}
	return product >> 64;
}

/*
 * -ln(1 - u) for a uniform u: the table's entry for u's first bits, then a
 * straight line to the next entry, which puts the mean 8e-5 too high. In the
 * last step the curve runs to infinity; but there the distribution repeats
 * itself ln(steps) further on, so add that and draw again.
 */
u64
random_exponential(struct random_stream *stream, u64 mean)
{
	u64 value = 0; /* EXPONENTIAL_ONE is 1 */
	u64 bits = random_u64(stream);
	u64 step = bits >> (64 - EXPONENTIAL_BITS);
	u64 rest;

	while (step == EXPONENTIAL_STEPS - 1) {
		value += exponential_table[step];
		bits = random_u64(stream);
		step = bits >> (64 - EXPONENTIAL_BITS);
	}
	rest = bits << EXPONENTIAL_BITS >> 32;
	value += exponential_table[step];
	value += (exponential_table[step + 1] - exponential_table[step]) * rest >> 32;
	return (unsigned __int128)mean * value / EXPONENTIAL_ONE;
}
