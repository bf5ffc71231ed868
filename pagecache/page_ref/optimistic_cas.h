/*
 * page_ref/optimistic_cas.h - cas_loop without its load
 *
 * Models: the alternative to a frozen bit discussed with "mm: improve folio
 * refcount scalability" in March 2026: start from the guess that the cache is
 * the page's only holder. A right guess costs one line transfer; a wrong one
 * learns the count from the failed cmpxchg, which on x86 has taken the line
 * already. The word is that of cas_loop.h, and so are all verbs but one.
 *
 * Context: any; never sleeps; no RCU needed by itself.
 */
#ifndef PAGECACHE_PAGE_REF_OPTIMISTIC_CAS_H
#define PAGECACHE_PAGE_REF_OPTIMISTIC_CAS_H

#include "pagecache/page_ref/cas_loop.h"

/* Ordering: as page_ref_cas_loop_try_get(). */
static __always_inline bool
page_ref_optimistic_cas_try_get(struct page *page, int nr)
{
	int old = 1;

	do {
		if (likely(atomic_try_cmpxchg(&page->_refcount, &old, old + nr)))
			return true;
	} while (old);
	return false;
}

static __always_inline int
page_ref_optimistic_cas_count(const struct page *page)
{
	return page_ref_cas_loop_count(page);
}

static __always_inline void
page_ref_optimistic_cas_add(struct page *page, int nr)
{
	page_ref_cas_loop_add(page, nr);
}

static __always_inline bool
page_ref_optimistic_cas_put(struct page *page, int nr)
{
	return page_ref_cas_loop_put(page, nr);
}

static __always_inline bool
page_ref_optimistic_cas_freeze(struct page *page, int count)
{
	return page_ref_cas_loop_freeze(page, count);
}

static __always_inline void
page_ref_optimistic_cas_unfreeze(struct page *page, int count)
{
	page_ref_cas_loop_unfreeze(page, count);
}

static __always_inline void
page_ref_optimistic_cas_set_frozen(struct page *page)
{
	page_ref_cas_loop_set_frozen(page);
}

#endif
