/*
 * file_ref/zones.h - `file_ref: file-ref`: one addition; its result says everything
 *
 * Mirrors include/linux/file_ref.h (6.13). Getting is one unconditional
 * fetch_add: N CPUs cost N line transfers, where a loop of "increment unless
 * zero" costs at least 2N. The word holds references - 1; where it lies says what
 * it means (signed; with the kernel's 64 bits):
 *
 *   0x8000..0      0xa000..0     0xc000..0      0xe000..0     0xffff..f  0x0000..0  0x7fff..f
 *   MIN            SATURATED     RELEASED       DEAD          NOREF      ONEREF     MAXREF
 *   |  saturated: too many,      |  dead: being freed,        | last     |  live: word + 1
 *   |  never freed any more      |  or free                   | dropped  |  references
 *
 * Each zone is wide enough for every racing operation that can pile up in it:
 * from DEAD it takes 2^61 stray gets to look like NOREF.
 *
 * Files are SLAB_TYPESAFE_BY_RCU: memory that a get still touches may be another
 * file by now. So a failed get leaves its increment behind and never writes
 * DEAD back, which could kill that other file:
 *
 *   T1 fget of F                 T2                         word
 *   fetch_add fails                                         DEAD + 1
 *                                reallocates F, init        ONEREF
 *   store DEAD                                              somebody else's live file is dead
 *
 * A put must not let a grace period end between its two steps. Tasks here are not
 * preempted, and a host thread's quiescent states are explicit, so a put needs
 * nothing for that.
 */
#ifndef VFS_FILE_REF_ZONES_H
#define VFS_FILE_REF_ZONES_H

#include "machine/bug.h"
#include "vfs/file_ref_types.h"

#define FILE_REF_MIN ((FILE_REF_WORD)(1ull << (8 * sizeof(FILE_REF_WORD) - 1)))
#define FILE_REF_SATURATED ((FILE_REF_WORD)(FILE_REF_MIN / 4 * 3))
#define FILE_REF_RELEASED ((FILE_REF_WORD)(FILE_REF_MIN / 2))
#define FILE_REF_DEAD ((FILE_REF_WORD)(FILE_REF_MIN / 4))
#define FILE_REF_NOREF ((FILE_REF_WORD)-1)
#define FILE_REF_ONEREF ((FILE_REF_WORD)0)
#define FILE_REF_MAXREF ((FILE_REF_WORD)~FILE_REF_MIN)

/* Second half of a put that found nothing left; see file_ref.c. */
bool file_ref_put_slow(file_ref_t *ref, FILE_REF_WORD left);

static __always_inline bool __must_check
file_ref_zones_get(file_ref_t *ref)
{
	return likely(file_ref_wrap(xadd(&ref->counter, 1), 1) >= 0);
}

static __always_inline void
file_ref_zones_inc(file_ref_t *ref)
{
	FILE_REF_WORD old = xadd_relaxed(&ref->counter, 1);

	BUG_ON(old < 0, "reference taken on a file without any: %#llx", (unsigned long long)old);
}

static __always_inline bool __must_check
file_ref_zones_put(file_ref_t *ref)
{
	FILE_REF_WORD left = file_ref_wrap(xadd(&ref->counter, -1), -1);

	if (likely(left >= 0))
		return false;
	return file_ref_put_slow(ref, left);
}

/* One atomic (ONEREF -> DEAD) instead of two, when it is the last one. */
static __always_inline bool __must_check
file_ref_zones_put_close(file_ref_t *ref)
{
	FILE_REF_WORD old = READ_ONCE(ref->counter);

	if (likely(old == FILE_REF_ONEREF) && try_cmpxchg(&ref->counter, &old, FILE_REF_DEAD))
		return true;
	return file_ref_zones_put(ref);
}

/* Return: what @value, of the word, says. */
static __always_inline u64
file_ref_zones_count(FILE_REF_WORD value)
{
	if (value < 0 && value >= FILE_REF_RELEASED)
		return 0;
	return (u64)value + 1;
}

#endif
