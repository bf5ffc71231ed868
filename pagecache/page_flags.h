/*
 * page_flags.h - the bits of page->flags and the types of page->page_type
 *
 * Models: include/linux/page-flags.h, numbering of Linux 7.x: what the end of
 * an I/O or an unlock flips lies in the low byte, and PG_waiters is that byte's
 * sign bit, so one locked xor both unlocks and tells whether somebody waits.
 *
 * All helpers act on a folio, that is on its head page. folio_set_x() and
 * folio_clear_x() are relaxed RMWs; names with two underscores are plain and
 * for a folio that nobody else can reach yet, or no longer.
 */
#ifndef PAGECACHE_PAGE_FLAGS_H
#define PAGECACHE_PAGE_FLAGS_H

#include "machine/bitops.h"
#include "pagecache/page.h"

enum pageflags {
	PG_locked = 0,
	PG_writeback = 1,
	PG_referenced = 2,
	PG_uptodate = 3,
	PG_dirty = 4,
	PG_lru = 5,
	PG_head = 6,		/* first page of a compound page */
	PG_waiters = 7,		/* somebody sleeps on this folio; written under its bucket's lock */
	PG_active = 8,
	PG_workingset = 9,
	PG_owner_priv_1 = 10,
	PG_owner_2 = 11,
	PG_arch_1 = 12,
	PG_reserved = 13,
	PG_private = 14,
	PG_private_2 = 15,
	PG_reclaim = 16,
	PG_swapbacked = 17,	/* anonymous or tmpfs memory */
	PG_unevictable = 18,
	PG_dropbehind = 19,
	PG_mlocked = 20,
	PG_hwpoison = 21,
	__NR_PAGEFLAGS,
};

_Static_assert(PG_waiters == 7, "xor_unlock_is_negative_byte() tests bit 7");
_Static_assert(__NR_PAGEFLAGS <= NODES_PGSHIFT, "flags must not reach the node");

/* Must be clear when a page is freed: somebody still counts on the page. */
#define PAGE_FLAGS_CHECK_AT_FREE                                                                   \
	(BIT(PG_lru) | BIT(PG_locked) | BIT(PG_private) | BIT(PG_private_2) | BIT(PG_writeback) |  \
	 BIT(PG_reserved) | BIT(PG_active) | BIT(PG_unevictable) | BIT(PG_mlocked))

/* All flag bits; clear in every free page. */
#define PAGE_FLAGS_MASK (BIT(__NR_PAGEFLAGS) - 1)

/* page_type >> 24; 0xff is a plain mapcount. */
enum pagetype {
	PGTY_buddy = 0xf0,
};

/* Context: zone->lock held for both; only that lock's holder looks. */
static __always_inline bool
PageBuddy(const struct page *page)
{
	return page->page_type >> 24 == PGTY_buddy;
}

static __always_inline void
__SetPageBuddy(struct page *page)
{
	page->page_type = (u32)PGTY_buddy << 24;
}

static __always_inline void
__ClearPageBuddy(struct page *page)
{
	page->page_type = ~0u;
}

/* compound_head - the head of @page's compound page, or @page itself */
static __always_inline struct page *
compound_head(struct page *page)
{
	unsigned long link = READ_ONCE(page->compound_head);

	return unlikely(link & 1) ? (struct page *)(link - 1) : page;
}

static __always_inline bool
PageTail(const struct page *page)
{
	return READ_ONCE(page->compound_head) & 1;
}

static __always_inline bool
PageHead(const struct page *page)
{
	return test_bit(PG_head, &page->flags);
}

#endif
