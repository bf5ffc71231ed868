/*
 * uaccess.h - moving bytes between a file's pages and user memory
 *
 * Models: copy_to_user() and copy_from_user(). User memory lies outside the
 * arena: what the copy costs beyond the accesses to the page is charged as
 * COST_copy_start, and COST_copy_per_64B for each 64 bytes begun.
 *
 * Differences from Linux: user memory is always there; nothing is short.
 */
#ifndef PAGECACHE_UACCESS_H
#define PAGECACHE_UACCESS_H

#include <string.h>

#include "machine/cost.h"
#include "machine/types.h"

/*
 * racy_copy - memcpy out of memory that others may be writing
 *
 * A read() may overlap a write() of the same bytes, and Linux lets it see any
 * mixture of old and new ones. It is the only plain access that is meant to
 * race; ThreadSanitizer must not look.
 */
#if defined(MACHINE_HOST) && defined(__SANITIZE_THREAD__)
void racy_copy(void *to, const void *from, size_t size);
#else
static __always_inline void
racy_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}
#endif

static __always_inline void
charge_copy(size_t size)
{
	spend(COST_copy_start);
	for (size_t lines = DIV_ROUND_UP(size, CACHE_LINE); lines; lines--)
		spend(COST_copy_per_64B);
}

/* Copy @size bytes of a page's contents to user memory. Context: task; reference held. */
static __always_inline void
copy_to_user(void *to, const void *from, size_t size)
{
	racy_copy(to, from, size);
	charge_copy(size);
}

/* The other way. Context: task; folio locked. */
static __always_inline void
copy_from_user(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	charge_copy(size);
}

#endif
