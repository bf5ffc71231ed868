/*
 * folio.h - a folio: one page, or a compound page seen as one
 *
 * Models: struct folio of include/linux/mm_types.h and the helpers of
 * include/linux/mm.h. A folio pointer is never a tail page. Line 0 is the head
 * page; line 1, the first tail, exists for order >= 1 only and says how large
 * the folio is, so that a lookup of a small folio stays on one line.
 *
 * Differences from Linux: lines 2 and 3 (deferred split, hugetlb) have no
 * users here and are not named.
 */
#ifndef PAGECACHE_FOLIO_H
#define PAGECACHE_FOLIO_H

#include "pagecache/page_flags.h"
#include "pagecache/page_ref.h"

struct folio {
	/* line 0: the head page, under its own names */
	union {
		struct {
			unsigned long flags;
			struct list_head lru;
			struct address_space *mapping;
			unsigned long index;
			unsigned long private;
			atomic_t _mapcount;
			atomic_t _refcount;
			unsigned long memcg_data;
		};
		struct page page;
	};
	/* line 1: the first tail; constant but for the mapcounts while the folio lives */
	union {
		struct {
			unsigned long _flags_1;		/* low byte: order */
			unsigned long _head_1;		/* link to the head */
			atomic_t _large_mapcount;	/* all mappings - 1 */
			atomic_t _nr_pages_mapped;
			atomic_t _entire_mapcount;
			atomic_t _pincount;
			unsigned long _mm_ids[2];
			u64 _count_1;			/* the tail's own mapcount and refcount */
			unsigned long _nr_pages;
		};
		struct page __page_1;
	};
};

#define FOLIO_MATCH(page_field, folio_field)                                                       \
	_Static_assert(offsetof(struct page, page_field) == offsetof(struct folio, folio_field),   \
		       "a folio overlays its pages")
FOLIO_MATCH(flags, flags);
FOLIO_MATCH(lru, lru);
FOLIO_MATCH(mapping, mapping);
FOLIO_MATCH(index, index);
FOLIO_MATCH(private, private);
FOLIO_MATCH(_mapcount, _mapcount);
FOLIO_MATCH(_refcount, _refcount);
FOLIO_MATCH(memcg_data, memcg_data);
#undef FOLIO_MATCH
_Static_assert(offsetof(struct folio, _head_1) == 64 + offsetof(struct page, compound_head),
	       "the first tail's link");
_Static_assert(offsetof(struct folio, _large_mapcount) == 80, "as in Linux");
_Static_assert(offsetof(struct folio, _pincount) == 92, "as in Linux");
_Static_assert(offsetof(struct folio, _nr_pages) == 120, "as in Linux");

#define FOLIO_FLAG(name)                                                                           \
	static __always_inline bool folio_test_##name(const struct folio *folio)                   \
	{                                                                                          \
		return test_bit(PG_##name, &folio->flags);                                         \
	}                                                                                          \
	static __always_inline void folio_set_##name(struct folio *folio)                          \
	{                                                                                          \
		set_bit(PG_##name, &folio->flags);                                                 \
	}                                                                                          \
	static __always_inline void folio_clear_##name(struct folio *folio)                        \
	{                                                                                          \
		clear_bit(PG_##name, &folio->flags);                                               \
	}

FOLIO_FLAG(referenced)
FOLIO_FLAG(dirty)
FOLIO_FLAG(workingset)
FOLIO_FLAG(waiters)
FOLIO_FLAG(swapbacked)
#undef FOLIO_FLAG

static __always_inline bool
folio_test_locked(const struct folio *folio)
{
	return test_bit(PG_locked, &folio->flags);
}

/* Lock @folio, which nobody else can reach yet. */
static __always_inline void
__folio_set_locked(struct folio *folio)
{
	__set_bit(PG_locked, &folio->flags);
}

/*
 * Return: true if the contents are valid and may be read from now on.
 * The acquire pairs with the write barrier in folio_mark_uptodate().
 */
static __always_inline bool
folio_test_uptodate(const struct folio *folio)
{
	return test_bit_acquire(PG_uptodate, &folio->flags);
}

/*
 * Publish the contents of @folio. Context: folio locked, contents written.
 * The write barrier pairs with the acquire in folio_test_uptodate().
 */
static __always_inline void
folio_mark_uptodate(struct folio *folio)
{
	smp_wmb();
	set_bit(PG_uptodate, &folio->flags);
}

/*
 * Remember a use of @folio. Context: reference held.
 * Differences from Linux: the second step, activation, needs LRU lists.
 */
static __always_inline void
folio_mark_accessed(struct folio *folio)
{
	if (unlikely(!folio_test_referenced(folio)))
		folio_set_referenced(folio);
}

static __always_inline bool
folio_test_large(const struct folio *folio)
{
	return PageHead(&folio->page);
}

static __always_inline unsigned int
folio_order(const struct folio *folio)
{
	return folio_test_large(folio) ? folio->_flags_1 & 0xff : 0;
}

static __always_inline unsigned long
folio_nr_pages(const struct folio *folio)
{
	return folio_test_large(folio) ? folio->_nr_pages : 1;
}

static __always_inline size_t
folio_size(const struct folio *folio)
{
	return folio_nr_pages(folio) << PAGE_SHIFT;
}

static __always_inline struct folio *
page_folio(struct page *page)
{
	return (struct folio *)compound_head(page);
}

static __always_inline void *
folio_address(const struct folio *folio)
{
	return page_address(&folio->page);
}

/*
 * References. The expected number is one for each page in the page cache plus
 * whatever the holders took; readers that found a stale pointer add some for a
 * moment.
 */
static __always_inline int
folio_ref_count(const struct folio *folio)
{
	return page_ref_count(&folio->page);
}

/* Context: the caller holds a reference already. No ordering. */
static __always_inline void
folio_ref_add(struct folio *folio, int nr)
{
	page_ref_add(&folio->page, nr);
}

static __always_inline void
folio_get(struct folio *folio)
{
	page_ref_add(&folio->page, 1);
}

/* Take a reference unless @folio is frozen. Full barrier on success. */
static __always_inline bool __must_check
folio_try_get(struct folio *folio)
{
	return page_ref_add_unless_frozen(&folio->page, 1);
}

/* Own @folio exclusively if it has exactly @count references. Full barrier on success. */
static __always_inline bool __must_check
folio_ref_freeze(struct folio *folio, int count)
{
	return page_ref_freeze(&folio->page, count);
}

/* Give frozen @folio @count references. Release: pairs with folio_try_get(). */
static __always_inline void
folio_ref_unfreeze(struct folio *folio, int count)
{
	page_ref_unfreeze(&folio->page, count);
}

/* The last reference is gone: free the folio. Context: any; never sleeps. */
void __folio_put(struct folio *folio);

/* Drop @nr references; the last one frees. Full barrier. Context: any; never sleeps. */
static __always_inline void
folio_put_refs(struct folio *folio, int nr)
{
	if (page_ref_sub_and_test(&folio->page, nr))
		__folio_put(folio);
}

static __always_inline void
folio_put(struct folio *folio)
{
	folio_put_refs(folio, 1);
}

#endif
