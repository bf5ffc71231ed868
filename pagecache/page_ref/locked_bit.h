/*
 * page_ref/locked_bit.h - folio reference count with a frozen bit
 *
 * Models: the 2025-26 proposal "mm: improve folio refcount scalability"
 * (Gladyshev and Gorbunov; RFC of December 2025, v4 of June 2026; not merged).
 * Getting is one fetch_add, never a loop: N CPUs cost N line transfers, where
 * cas_loop.h costs at least 2N. The price is paid by the last put, a second
 * atomic on a line that it already owns, and by getters of a free page, which
 * now write to its line.
 *
 *   0x0000'0000  0x0000'0001 ...... 0x7fff'ffff  0x8000'0000  0x8000'0001 ...
 *   | staged     |  owned: that many references  | frozen     | frozen, and k
 *   | (last put  |                               |            | strays that were
 *   |  dropped)  |                               |            | not undone yet
 *
 * A frozen page stays frozen whatever strays add to it, until they carry out
 * of bit 31. Each stray tries once to undo all of them; from the reset limit on
 * it insists, so the carry would take 2^30 getters between fetch_add and reset.
 *
 * Context: any; never sleeps; no RCU needed by itself. The caller's lookup
 * protocol (load the slot, try_get, load the slot again) is what makes a
 * success on a reused page harmless.
 */
#ifndef PAGECACHE_PAGE_REF_LOCKED_BIT_H
#define PAGECACHE_PAGE_REF_LOCKED_BIT_H

#include "machine/bug.h"
#include "pagecache/page.h"

/* A test build makes the reset limit small enough to be reached. */
#ifndef PAGE_REF_RESET_BIT
#define PAGE_REF_RESET_BIT 30
#endif

#define PAGE_REF_FROZEN 0x80000000u
#define PAGE_REF_RESET_LIMIT (PAGE_REF_FROZEN | 1u << PAGE_REF_RESET_BIT)

/* What callers see is 0 for a frozen page, as with every other choice. */
static __always_inline int
page_ref_locked_bit_count(const struct page *page)
{
	int ref = atomic_read(&page->_refcount);

	return ref < 0 ? 0 : ref;
}

static __always_inline void
page_ref_locked_bit_add(struct page *page, int nr)
{
#ifdef POISON
	int old = atomic_fetch_add_relaxed(nr, &page->_refcount);

	BUG_ON(old <= 0, "get on a frozen page, count %#x", (unsigned int)old);
#else
	atomic_add(nr, &page->_refcount);
#endif
}

/*
 * Undo the strays on a frozen page after our own made @ref of it.
 *
 * Below the limit one attempt is enough: if it fails, somebody else added and
 * will try too, or the page was allocated and its count starts anew. A blind
 * subtraction instead would take a reference from that new life:
 *
 *   T1 try_get                 T2 allocate             word
 *   fetch_add  F -> F+1                                frozen + 1
 *                              store 1                 owned by T2
 *   fetch_sub  1 -> 0                                  T2's page looks staged
 *
 * Relaxed: nothing was acquired, and the reset publishes nothing.
 */
static inline __attribute__((cold)) void
page_ref_locked_bit_reset(struct page *page, unsigned int ref)
{
	bool insist = ref >= PAGE_REF_RESET_LIMIT;
	int old = (int)ref;

	while (!atomic_try_cmpxchg_relaxed(&page->_refcount, &old, (int)PAGE_REF_FROZEN)) {
		if (!insist || old >= 0)
			return;
	}
}

/*
 * Ordering: fetch_add is a full barrier. It pairs with the release store of
 * unfreeze, and with the full barrier of a put that brings the count to 0.
 * A count of 0 before is a page staged for freeing: the get revives it, and the
 * putter's second step fails.
 */
static __always_inline bool
page_ref_locked_bit_try_get(struct page *page, int nr)
{
	unsigned int ref = (unsigned int)atomic_fetch_add(nr, &page->_refcount) + nr;

	if (likely(!(ref & PAGE_REF_FROZEN)))
		return true;
	page_ref_locked_bit_reset(page, ref);
	return false;
}

/*
 * Drop @nr references.
 * Return: true if the caller just froze the page and must free it.
 *
 * Why cmpxchg and not an unconditional store of the frozen bit:
 *
 *   T1 put                     T2 try_get              word
 *   fetch_sub  1 -> 0                                  staged
 *                              fetch_add  0 -> 1       owned by T2
 *   store FROZEN                                       T2 holds a freed page
 *
 * With cmpxchg(0 -> FROZEN) T1 fails, and T2's own put will free the page.
 * Ordering: fetch_sub is a full barrier (pairs with try_get's fetch_add), so
 * all accesses under the dropped reference come before the free.
 *
 * Not closed: a put that stalls between its two steps can win the cmpxchg on
 * the page's *next* life (get, put, free and reallocation by others in
 * between). Harmless only if what freeing does is chosen from the page itself,
 * as __folio_put() does; reported on the list in June 2026.
 */
static __always_inline bool
page_ref_locked_bit_put(struct page *page, int nr)
{
	int old = atomic_fetch_sub(nr, &page->_refcount);
	int staged = 0;

	VM_BUG_ON(old < nr, "put of %d on a page with count %#x", nr, (unsigned int)old);
	if (old != nr)
		return false;
	return atomic_try_cmpxchg_relaxed(&page->_refcount, &staged, (int)PAGE_REF_FROZEN);
}

static __always_inline bool
page_ref_locked_bit_freeze(struct page *page, int count)
{
	return atomic_try_cmpxchg(&page->_refcount, &count, (int)PAGE_REF_FROZEN);
}

static __always_inline void
page_ref_locked_bit_unfreeze(struct page *page, int count)
{
	atomic_set_release(&page->_refcount, count);
}

static __always_inline void
page_ref_locked_bit_set_frozen(struct page *page)
{
	atomic_set(&page->_refcount, (int)PAGE_REF_FROZEN);
}

#endif
