/*
 * file_ref.c - the rare end of a put, where zones are counted
 *
 * Mirrors __file_ref_put() in fs/file.c.
 */
#include "vfs/file_ref.h"

/*
 * @left is what the caller's decrement made of the word; it is negative.
 * Return: as file_ref_put().
 *
 * Why the last put marks the file dead with a cmpxchg and not with a store:
 *
 *   T1 put                        T2 get                     word
 *   fetch_sub  ONEREF -> NOREF                               NOREF
 *                                 fetch_add  -> ONEREF       T2 owns the file
 *   store DEAD                                               T2 owns a freed file
 *
 * With cmpxchg(NOREF -> DEAD) T1 fails, and T2's own put frees the file. When
 * T2 has dropped it again before T1's cmpxchg, both find NOREF; one of the two
 * cmpxchg succeeds, and that one frees:
 *
 *   T1 put                        T2                         word
 *   fetch_sub  ONEREF -> NOREF                               NOREF
 *                                 get, put: back to NOREF    NOREF
 *   cmpxchg(NOREF -> DEAD) ok                                DEAD: T1 frees
 *                                 cmpxchg fails              T2 does not
 *
 * Ordering: the cmpxchg is full; its acquire half matters when it reads what
 * T2's put wrote, and pairs with the release half of that xadd.
 */
bool
file_ref_put_slow(file_ref_t *ref, FILE_REF_WORD left)
{
	FILE_REF_WORD seen = FILE_REF_NOREF;

	if (left == FILE_REF_NOREF)
		return try_cmpxchg(&ref->counter, &seen, FILE_REF_DEAD);
	BUG_ON(left >= FILE_REF_RELEASED, "put of a file that is dead already: %#llx",
	       (unsigned long long)left);
	/* Saturated: back to the middle of the zone, so that puts never get it out again. */
	WRITE_ONCE(ref->counter, FILE_REF_SATURATED);
	return false;
}
