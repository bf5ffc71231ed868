/*
 * page_ref/none.h - the floor: counting without atomics
 *
 * Models: nothing in any kernel. Plain additions, correct while one task runs;
 * what remains of an operation's time is the price of everything else.
 *
 *   0        1 ........ 0x7fff'ffff
 *   frozen   owned: that many references
 */
#ifndef PAGECACHE_PAGE_REF_NONE_H
#define PAGECACHE_PAGE_REF_NONE_H

#include "pagecache/page.h"

static __always_inline int
page_ref_none_count(const struct page *page)
{
	return page->_refcount.counter;
}

static __always_inline void
page_ref_none_add(struct page *page, int nr)
{
	page->_refcount.counter += nr;
}

static __always_inline bool
page_ref_none_try_get(struct page *page, int nr)
{
	if (unlikely(!page->_refcount.counter))
		return false;
	page->_refcount.counter += nr;
	return true;
}

static __always_inline bool
page_ref_none_put(struct page *page, int nr)
{
	VM_BUG_ON(page->_refcount.counter < nr, "put of %d on a page with count %d", nr,
		  page->_refcount.counter);
	page->_refcount.counter -= nr;
	return page->_refcount.counter == 0;
}

static __always_inline bool
page_ref_none_freeze(struct page *page, int count)
{
	if (page->_refcount.counter != count)
		return false;
	page->_refcount.counter = 0;
	return true;
}

static __always_inline void
page_ref_none_unfreeze(struct page *page, int count)
{
	page->_refcount.counter = count;
}

static __always_inline void
page_ref_none_set_frozen(struct page *page)
{
	page->_refcount.counter = 0;
}

#endif
