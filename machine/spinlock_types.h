/*
 * spinlock_types.h - the word that is a spinlock
 *
 * Little endian; every choice of the `spinlock` family reads it its own way:
 *
 *            31 ............ 16 | 15 ... 8 | 7 ... 0
 *   queued   tail: CPU + 1      | pending  | locked
 *   ticket   next               | owner
 *   test-and-set                            locked
 *
 * 0 is free everywhere, and so are equal halves of a ticket lock.
 */
#ifndef MACHINE_SPINLOCK_TYPES_H
#define MACHINE_SPINLOCK_TYPES_H

#include "machine/types.h"

typedef struct spinlock {
	union {
		u32 word;
		struct {
			u8 locked;
			u8 pending;
			u16 tail;
		};
		struct {
			u16 locked_pending;
			u16 unused;
		};
		struct {
			u16 owner;
			u16 next;
		};
	};
} spinlock_t;

_Static_assert(sizeof(spinlock_t) == 4, "a spinlock is four bytes");

#endif
