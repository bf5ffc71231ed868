/*
 * page_ref.h - reference counts of pages
 *
 * Models: include/linux/page_ref.h. A page is *owned* (somebody holds at least
 * one reference) or *frozen*: free, or in the hands of one exclusive owner.
 * How the word says so is the policy's affair (page_ref/); everybody else goes
 * through the verbs below.
 *
 * Free pages are frozen from boot on. Allocation is the only thing that turns
 * a free page into an owned one: set_page_refcounted().
 *
 * A lookup may take a reference on a page that is free or somebody else's by
 * now, because pages are freed without waiting for RCU. Hence every page must
 * be freeable by dropping its last reference, whoever does it, and what is done
 * then must be read from the page itself.
 */
#ifndef PAGECACHE_PAGE_REF_H
#define PAGECACHE_PAGE_REF_H

#include "machine/bug.h"
#include "pagecache/page_ref/cas_loop.h"
#include "pagecache/page_ref/locked_bit.h"
#include "pagecache/page_ref/none.h"
#include "pagecache/page_ref/optimistic_cas.h"
#include "pagecache/policy.h"

/* One predicted switch on a value that never changes while tasks run. */
#define PAGE_REF_CALL(verb, ...)                                                                   \
	switch (policy_choice(page_ref)) {                                                         \
	case page_ref_cas_loop:                                                                    \
		return page_ref_cas_loop_##verb(__VA_ARGS__);                                      \
	case page_ref_locked_bit:                                                                  \
		return page_ref_locked_bit_##verb(__VA_ARGS__);                                    \
	case page_ref_none:                                                                        \
		return page_ref_none_##verb(__VA_ARGS__);                                          \
	case page_ref_optimistic_cas:                                                              \
	default:                                                                                   \
		return page_ref_optimistic_cas_##verb(__VA_ARGS__);                                \
	}

/* Return: references at this moment; 0 if frozen. No ordering. */
static __always_inline int
page_ref_count(const struct page *page)
{
	PAGE_REF_CALL(count, page)
}

/* Add @nr references. Context: the caller holds one. No ordering. */
static __always_inline void
page_ref_add(struct page *page, int nr)
{
	PAGE_REF_CALL(add, page, nr)
}

/* Add @nr references unless @page is frozen. Full barrier on success. */
static __always_inline bool __must_check
page_ref_add_unless_frozen(struct page *page, int nr)
{
	PAGE_REF_CALL(try_get, page, nr)
}

/*
 * Drop @nr references. Full barrier.
 * Return: true if they were the last: @page is frozen and the caller frees it.
 */
static __always_inline bool __must_check
page_ref_sub_and_test(struct page *page, int nr)
{
	PAGE_REF_CALL(put, page, nr)
}

/* Freeze @page if it has exactly @count references. Full barrier on success. */
static __always_inline bool __must_check
page_ref_freeze(struct page *page, int count)
{
	PAGE_REF_CALL(freeze, page, count)
}

/* Give @count references to @page, which the caller froze. Release. */
static __always_inline void
page_ref_unfreeze(struct page *page, int count)
{
	VM_BUG_ON(page_ref_count(page), "unfreeze of a page with count %d", page_ref_count(page));
	PAGE_REF_CALL(unfreeze, page, count)
}

/* Freeze a page that nobody can reach: boot only. */
static __always_inline void
set_page_count_frozen(struct page *page)
{
	PAGE_REF_CALL(set_frozen, page)
}

/* Hand out a free page: its first reference. Context: the allocator. */
static __always_inline void
set_page_refcounted(struct page *page)
{
	BUG_ON(page_ref_count(page) != 0, "free page has refcount %d",
	       atomic_read(&page->_refcount));
	atomic_set(&page->_refcount, 1);
}

#endif
