/*
 * file_ref/inc_not_zero.h - `file_ref: inc-not-zero`: a count, and 0 is final
 *
 * Mirrors f_count of include/linux/fs.h, until 6.12: the word is the number of
 * references. A get loads it and exchanges it for one more, until that works or
 * it is 0: nobody gets a file whose last reference is gone, and a get that fails
 * has written nothing. The load brings the line shared, the cmpxchg once more to
 * change it, and under contention most attempts are in vain.
 *
 * There is no saturation: a count of 2^64 references needs more memory for the
 * pointers than there is.
 */
#ifndef VFS_FILE_REF_INC_NOT_ZERO_H
#define VFS_FILE_REF_INC_NOT_ZERO_H

#include "machine/bug.h"
#include "vfs/file_ref_types.h"

static __always_inline bool __must_check
file_ref_inc_not_zero_get(file_ref_t *ref)
{
	FILE_REF_WORD old = READ_ONCE(ref->counter);

	do {
		if (unlikely(!old))
			return false;
	} while (unlikely(!try_cmpxchg(&ref->counter, &old, file_ref_wrap(old, 1))));
	return true;
}

static __always_inline void
file_ref_inc_not_zero_inc(file_ref_t *ref)
{
	FILE_REF_WORD old = xadd_relaxed(&ref->counter, 1);

	BUG_ON(!old, "reference taken on a file without any");
}

static __always_inline bool __must_check
file_ref_inc_not_zero_put(file_ref_t *ref)
{
	FILE_REF_WORD old = xadd(&ref->counter, -1);

	BUG_ON(!old, "put of a file that is dead already");
	return unlikely(old == 1);
}

#endif
