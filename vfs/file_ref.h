/*
 * file_ref.h - reference count of an open file
 *
 * Mirrors include/linux/file_ref.h and fs/file.c. The choices of the `file_ref`
 * family are a file each in file_ref/, which say what the word means; the verbs
 * here and their contracts are the same for all.
 *
 * Files are SLAB_TYPESAFE_BY_RCU: a get by pointer may meet memory that was freed,
 * or is another file by now. The first must fail; the second the caller finds out by
 * looking at the slot again (fdget.c).
 *
 * Context: any; never sleeps. A get by pointer needs an RCU reader around it.
 *
 * Differences from Linux: an unbalanced put is a BUG and not a warning, and so
 * is file_ref_inc() on a file that is not live.
 */
#ifndef VFS_FILE_REF_H
#define VFS_FILE_REF_H

#include "vfs/file_ref/inc_not_zero.h"
#include "vfs/file_ref/zones.h"
#include "vfs/policy.h"

static __always_inline bool
file_ref_is_zoned(void)
{
	return likely(policy_value[POLICY_file_ref] == file_ref_file_ref);
}

/* Memory that is no file yet: every get fails. Context: nobody else knows @ref. */
static __always_inline void
file_ref_init_dead(file_ref_t *ref)
{
	atomic_init(ref, file_ref_is_zoned() ? FILE_REF_DEAD : 0);
}

/*
 * One reference, the caller's. The release makes a stray get that succeeds from
 * now on see the file's fields as they were set up (pairs with file_ref_get()).
 */
static __always_inline void
file_ref_init(file_ref_t *ref)
{
	smp_store_release(&ref->counter, file_ref_is_zoned() ? FILE_REF_ONEREF : 1);
}

/*
 * Take a reference unless the file is dead (or saturated).
 * Context: the memory is known to be a file, live or not.
 * Return: true with a reference taken.
 * Ordering: full barrier on success; the caller's second look at the slot that
 * led here must come after the increment.
 */
static __always_inline bool __must_check
file_ref_get(file_ref_t *ref)
{
	return file_ref_is_zoned() ? file_ref_zones_get(ref) : file_ref_inc_not_zero_get(ref);
}

/* Another reference for a caller that has one already. Ordering: none. */
static __always_inline void
file_ref_inc(file_ref_t *ref)
{
	if (file_ref_is_zoned())
		file_ref_zones_inc(ref);
	else
		file_ref_inc_not_zero_inc(ref);
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
	return file_ref_is_zoned() ? file_ref_zones_put(ref) : file_ref_inc_not_zero_put(ref);
}

/*
 * Drop a reference that is probably the last one, as close() does. Return and
 * ordering as file_ref_put().
 */
static __always_inline bool __must_check
file_ref_put_close(file_ref_t *ref)
{
	return file_ref_is_zoned() ? file_ref_zones_put_close(ref) : file_ref_inc_not_zero_put(ref);
}

/*
 * Return: references at this moment; 0 for a dead file; a huge number when saturated.
 * Ordering: acquire; pairs with the puts, so that whoever finds itself alone sees
 * what the others did to the file.
 */
static __always_inline u64
file_ref_read(const file_ref_t *ref)
{
	FILE_REF_WORD value = smp_load_acquire(&ref->counter);

	return file_ref_is_zoned() ? file_ref_zones_count(value) : (u64)value;
}

#endif
