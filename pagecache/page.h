/*
 * page.h - struct page, and how pages, frames, numbers and nodes map to each other
 *
 * Models: include/linux/mm_types.h and the vmemmap memory model.
 * All struct pages form one array: page number N is the line at base + 64 * N.
 * Everything that is written often about a page of order 0 (flags, list links,
 * mapping, mapcount and refcount) shares that one line.
 *
 * Zone line of flags:
 *
 *   63 ..... 54 | 53 ... 22 | 21 ........ 8 | 7 ............................ 0
 *   node        | 0         | other PG_*    | PG_* that an unlock or the end of
 *                                             an I/O flips, PG_waiters as sign
 *
 * Layout of the array: node after node, each starting at a multiple of the
 * largest buddy block; numbers between nodes belong to no page. Each part is
 * homed on its frames' node.
 */
#ifndef PAGECACHE_PAGE_H
#define PAGECACHE_PAGE_H

#include "machine/atomic.h"
#include "machine/bug.h"
#include "machine/kernel.h"
#include "machine/list.h"
#include "pagecache/pagecache.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE (1ul << PAGE_SHIFT)

/* Checks on values that are at hand anyway; in builds with poisoning only. */
#ifdef POISON
#define VM_BUG_ON(condition, fmt, ...) BUG_ON(condition, fmt, ##__VA_ARGS__)
#else
#define VM_BUG_ON(condition, fmt, ...) ((void)sizeof(condition))
#endif

struct address_space;

struct page {
	/* see above; anybody who may, by atomic bit operations once the page is shared */
	unsigned long flags;
	union {
		/* free: on a buddy or per-CPU list, under that list's lock */
		struct list_head lru;
		/* tail page: address of the head | 1; written before the head is published */
		unsigned long compound_head;
	};
	/* Owner; written under folio lock and i_pages' lock, read under either; or TAIL_MAPPING */
	struct address_space *mapping;
	unsigned long index;	/* page number in the file; written with mapping */
	unsigned long private;	/* owner's; free: buddy order, under zone->lock */
	union {
		atomic_t _mapcount;	/* page-table entries - 1 */
		u32 page_type;		/* PGTY_* in the top byte, or all ones for none */
	};
	atomic_t _refcount;	/* page_ref.h and nothing else */
	unsigned long memcg_data;
} __attribute__((aligned(16)));

_Static_assert(sizeof(struct page) == CACHE_LINE, "one line each");
_Static_assert(offsetof(struct page, compound_head) == 8, "bit 0 must be a link's");
_Static_assert(offsetof(struct page, mapping) == 24, "as in Linux");
_Static_assert(offsetof(struct page, index) == 32, "as in Linux");
_Static_assert(offsetof(struct page, private) == 40, "as in Linux");
_Static_assert(offsetof(struct page, _mapcount) == 48, "as in Linux");
_Static_assert(offsetof(struct page, _refcount) == 52, "as in Linux");
_Static_assert(offsetof(struct page, memcg_data) == 56, "as in Linux");

/* What a tail's mapping says, so that a forgotten compound_head() shows. */
#define TAIL_MAPPING ((struct address_space *)0x400ul)

/* The node sits in the top bits of flags, written once at boot. */
#define NODES_PGSHIFT 54

static __always_inline unsigned long
page_to_pfn(const struct page *page)
{
	return page - kernel.pagecache->vmemmap;
}

static __always_inline struct page *
pfn_to_page(unsigned long pfn)
{
	return kernel.pagecache->vmemmap + pfn;
}

/* Contents of @page; a block's frames are contiguous. */
static __always_inline void *
page_address(const struct page *page)
{
	return kernel.pagecache->frames + (page_to_pfn(page) << PAGE_SHIFT);
}

static __always_inline int
page_to_nid(const struct page *page)
{
	return READ_ONCE(page->flags) >> NODES_PGSHIFT;
}

#endif
