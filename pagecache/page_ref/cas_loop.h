/*
 * page_ref/cas_loop.h - folio reference count, zero meaning frozen
 *
 * Models: include/linux/page_ref.h of all releases so far. Getting a reference
 * must not revive a frozen page, so it loads the count and then exchanges it
 * in a loop. N CPUs cost at least 2N line transfers: the load demotes the owner
 * of the line to shared, the cmpxchg claims it again, and it fails if anybody
 * got in between.
 *
 *   0        1 ........ 0x7fff'ffff
 *   frozen   owned: that many references
 *
 * Context: any; never sleeps; no RCU needed by itself.
 */
#ifndef PAGECACHE_PAGE_REF_CAS_LOOP_H
#define PAGECACHE_PAGE_REF_CAS_LOOP_H

#include "machine/bug.h"
#include "pagecache/page.h"

static __always_inline int
page_ref_cas_loop_count(const struct page *page)
{
	return atomic_read(&page->_refcount);
}

static __always_inline void
page_ref_cas_loop_add(struct page *page, int nr)
{
#ifdef POISON
	int old = atomic_fetch_add_relaxed(nr, &page->_refcount);

	BUG_ON(old <= 0, "get on a frozen page, count %d", old);
#else
	atomic_add(nr, &page->_refcount);
#endif
}

/*
 * Ordering: a success is a full barrier and pairs with the release store of
 * unfreeze, so that what the freezer changed is seen; a failure orders nothing.
 */
static __always_inline bool
page_ref_cas_loop_try_get(struct page *page, int nr)
{
	int old = atomic_read(&page->_refcount);

	do {
		if (unlikely(!old))
			return false;
	} while (!atomic_try_cmpxchg(&page->_refcount, &old, old + nr));
	return true;
}

/*
 * Ordering: full barrier. All accesses under the dropped references come
 * before the free, done by whoever brings the count to 0.
 */
static __always_inline bool
page_ref_cas_loop_put(struct page *page, int nr)
{
	int old = atomic_fetch_sub(nr, &page->_refcount);

	VM_BUG_ON(old < nr, "put of %d on a page with count %d", nr, old);
	return old == nr;
}

static __always_inline bool
page_ref_cas_loop_freeze(struct page *page, int count)
{
	return atomic_try_cmpxchg(&page->_refcount, &count, 0);
}

static __always_inline void
page_ref_cas_loop_unfreeze(struct page *page, int count)
{
	atomic_set_release(&page->_refcount, count);
}

static __always_inline void
page_ref_cas_loop_set_frozen(struct page *page)
{
	atomic_set(&page->_refcount, 0);
}

#endif
