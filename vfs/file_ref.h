/*
 * file_ref.h - reference count of an open file
 *
 * Mirrors include/linux/file_ref.h and fs/file.c (6.13 and later). Getting is
 * one unconditional fetch_add: N CPUs cost N line transfers, where a loop of
 * "increment unless zero" costs at least 2N. The word holds references - 1;
 * where it lies says what it means (signed; with the kernel's 64 bits):
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
 * Context: any; never sleeps. A get by pointer needs an RCU reader around it; a
 * put must not let a grace period end between its two steps. Tasks here are not
 * preempted, and a host thread's quiescent states are explicit, so a put needs
 * nothing for that.
 *
 * This file is the one choice of the `file_ref` family; another one gets a file
 * of its own with the same verbs, and a switch here.
 *
 * Differences from Linux: an unbalanced put is a BUG and not a warning, and so
 * is file_ref_inc() on a file that is not live.
 */
#ifndef VFS_FILE_REF_H
#define VFS_FILE_REF_H

#include "machine/atomic.h"
#include "machine/bug.h"

/* The contract test compiles this with s8: same zones, all within reach. */
#ifndef FILE_REF_WORD
#define FILE_REF_WORD s64
#endif

typedef struct {
	FILE_REF_WORD counter; /* anybody, by the functions below */
} file_ref_t;

#define FILE_REF_MIN ((FILE_REF_WORD)(1ull << (8 * sizeof(FILE_REF_WORD) - 1)))
#define FILE_REF_SATURATED ((FILE_REF_WORD)(FILE_REF_MIN / 4 * 3))
#define FILE_REF_RELEASED ((FILE_REF_WORD)(FILE_REF_MIN / 2))
#define FILE_REF_DEAD ((FILE_REF_WORD)(FILE_REF_MIN / 4))
#define FILE_REF_NOREF ((FILE_REF_WORD)-1)
#define FILE_REF_ONEREF ((FILE_REF_WORD)0)
#define FILE_REF_MAXREF ((FILE_REF_WORD)~FILE_REF_MIN)

/* Second half of a put that found nothing left; see file_ref.c. */
bool file_ref_put_slow(file_ref_t *ref, FILE_REF_WORD left);

/* Addition as the hardware does it: wraps, whatever the word's width. */
static __always_inline FILE_REF_WORD
file_ref_wrap(FILE_REF_WORD value, int delta)
{
	return (FILE_REF_WORD)((u64)value + (u64)delta);
}

/*
 * One reference, the caller's. The release makes a stray get that succeeds from
 * now on see the file's fields as they were set up (pairs with file_ref_get()).
 */
static __always_inline void
file_ref_init(file_ref_t *ref)
{
	smp_store_release(&ref->counter, FILE_REF_ONEREF);
}

/*
 * Take a reference unless the file is dead (or saturated).
 * Context: the memory is known to be a file, live or not.
 * Return: true with a reference taken.
 * Ordering: full barrier; the caller's second look at the slot that led here
 * must come after the increment.
 */
static __always_inline bool __must_check
file_ref_get(file_ref_t *ref)
{
	return likely(file_ref_wrap(xadd(&ref->counter, 1), 1) >= 0);
}

/* Another reference for a caller that has one already. Ordering: none. */
static __always_inline void
file_ref_inc(file_ref_t *ref)
{
	FILE_REF_WORD old = xadd_relaxed(&ref->counter, 1);

	BUG_ON(old < 0, "reference taken on a file without any: %#llx", (unsigned long long)old);
}

/*
 * Drop a reference.
 * Return: true if it was the last one and the caller must free the file.
 * Ordering: full barrier, so that every access under the dropped reference
 * comes before the free.
 */
static __always_inline bool __must_check
file_ref_put(file_ref_t *ref)
{
	FILE_REF_WORD left = file_ref_wrap(xadd(&ref->counter, -1), -1);

	if (likely(left >= 0))
		return false;
	return file_ref_put_slow(ref, left);
}

/*
 * Drop a reference that is probably the last one, as close() does: one atomic
 * (ONEREF -> DEAD) instead of two. Return and ordering as file_ref_put().
 */
static __always_inline bool __must_check
file_ref_put_close(file_ref_t *ref)
{
	FILE_REF_WORD old = READ_ONCE(ref->counter);

	if (likely(old == FILE_REF_ONEREF) && try_cmpxchg(&ref->counter, &old, FILE_REF_DEAD))
		return true;
	return file_ref_put(ref);
}

/* Return: references at this moment; 0 for a dead file; a huge number when saturated. */
static __always_inline u64
file_ref_read(const file_ref_t *ref)
{
	FILE_REF_WORD value = READ_ONCE(ref->counter);

	if (value < 0 && value >= FILE_REF_RELEASED)
		return 0;
	return (u64)value + 1;
}

#endif
