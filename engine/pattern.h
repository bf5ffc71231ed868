/*
 * pattern.h - what files contain: a pattern that depends on the offset
 *
 * So `verify: true` can tell a right page from a wrong one, and a write from
 * any task leaves what every reader expects.
 */
#ifndef ENGINE_PATTERN_H
#define ENGINE_PATTERN_H

#include "machine/types.h"

void pattern_fill(void *buffer, u64 bytes, u64 offset);

/* Return: index of the first wrong byte, or -1 if all @bytes are right. */
s64 pattern_check(const void *buffer, u64 bytes, u64 offset);

u8 pattern_byte(u64 offset);

#endif
