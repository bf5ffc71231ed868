/*
 * pattern.c - see pattern.h
 */
#include "engine/pattern.h"

/* The top byte of the offset times 2^64 / golden ratio: no period that a page could have. */
u8
pattern_byte(u64 offset)
{
	return offset * 0x9e3779b97f4a7c15ull >> 56;
}

void
pattern_fill(void *buffer, u64 bytes, u64 offset)
{
	u8 *p = buffer;

	for (u64 i = 0; i < bytes; i++)
		p[i] = pattern_byte(offset + i);
}

s64
pattern_check(const void *buffer, u64 bytes, u64 offset)
{
	const u8 *p = buffer;

	for (u64 i = 0; i < bytes; i++)
		if (p[i] != pattern_byte(offset + i))
			return i;
	return -1;
}
