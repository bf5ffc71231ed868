/*
 * filemap.c - the page cache: which folio is where in which file; see filemap.h
 *
 * Mirrors mm/filemap.c and __remove_mapping() of mm/vmscan.c.
 *
 * Two ways out of the cache. Truncation empties the slot and leaves whoever
 * holds the folio with it; reclaim wants the memory and may take a folio only
 * when nobody holds it:
 *
 *   remove_mapping()               filemap_get_entry()
 *                                  load slot: folio
 *   freeze: cache + caller -> 0
 *                                  try_get fails: load again
 *   slot = NULL
 *                                  load slot: NULL
 *   free
 *
 * Had try_get come first, the freeze would have failed: both are full-barrier
 * RMWs on one word.
 */
#include "pagecache/filemap.h"

#include <errno.h>

void
address_space_init(struct address_space *mapping, struct inode *host,
		   const struct address_space_operations *a_ops, int node)
{
	mapping->host = host;
	xa_init(&mapping->i_pages);
	init_rwsem(&mapping->invalidate_lock);
	mapping->node = node;
	mapping->nrpages = 0;
	mapping->a_ops = a_ops;
}

struct folio *
find_get_entry(struct xa_state *xas, unsigned long max)
{
	struct folio *folio;

	while ((folio = xas_find(xas, max))) {
		if (xas_retry(xas, folio) || xa_is_value(folio))
			continue;
		if (likely(folio_try_get(folio))) {
			if (likely(folio == xas_reload(xas)))
				break;
			folio_put(folio);
		}
		xas_reset(xas);
	}
	return folio;
}

/*
 * Differences from Linux: in the last page that there can be, whose end is no loff_t, 6.18
 * finds no data, and holes at negative offsets.
 */
loff_t
mapping_seek_hole_data(struct address_space *mapping, loff_t start, loff_t end, bool data)
{
	XA_STATE(xas, &mapping->i_pages, (unsigned long)start >> PAGE_SHIFT);
	unsigned long last = (unsigned long)(end - 1) >> PAGE_SHIFT;
	u64 at = (u64)start;
	struct folio *folio;

	if (start < 0 || start >= end)
		return -ENXIO;
	rcu_read_lock();
	while ((folio = find_get_entry(&xas, last))) {
		u64 first = (u64)folio->index << PAGE_SHIFT;
		u64 next = first + folio_size(folio);
		bool uptodate = folio_test_uptodate(folio);

		folio_put(folio);
		if (first > at && !data)
			break; /* a hole lies before it */
		at = max(at, first);
		if (uptodate == data)
			break;
		at = next;
	}
	rcu_read_unlock();
	if (data && !folio)
		return -ENXIO;
	return (loff_t)min(at, (u64)end);
}

/* Whether a folio lies in the range that @xas will cover. Context: xa_lock held. */
static bool
range_has_folio(struct xarray *pages, unsigned long first, unsigned long last)
{
	XA_STATE(xas, pages, first);
	void *entry;

	xas_for_each(&xas, entry, last) {
		if (!xa_is_value(entry))
			return true;
	}
	return false;
}

int
filemap_add_folio(struct address_space *mapping, struct folio *folio, unsigned long index)
{
	XA_STATE_ORDER(xas, &mapping->i_pages, index, folio_order(folio));
	unsigned long nr = folio_nr_pages(folio);
	int err;

	BUG_ON(!folio_test_locked(folio), "unlocked folio for index %lu", index);
	BUG_ON(index & (nr - 1), "folio of %lu pages at index %lu", nr, index);
	/* Before it can be found: references, then what a finder will check. */
	folio_ref_add(folio, nr);
	folio->mapping = mapping;
	folio->index = index;

	xa_lock(&mapping->i_pages);
	if (range_has_folio(&mapping->i_pages, index, index + nr - 1)) {
		err = -EEXIST;
	} else {
		xas_store(&xas, folio);
		err = xas_error(&xas);
	}
	if (!err)
		WRITE_ONCE(mapping->nrpages, mapping->nrpages + nr); /* stat looks */
	xa_unlock(&mapping->i_pages);

	if (err) {
		folio->mapping = NULL;
		folio_put_refs(folio, nr);
	}
	return err;
}

/* Empty the folio's slots; the index stays for who still holds it. Context: xa_lock held. */
static void
page_cache_delete(struct address_space *mapping, struct folio *folio)
{
	XA_STATE_ORDER(xas, &mapping->i_pages, folio->index, folio_order(folio));
	void *old = xas_store(&xas, NULL);

	BUG_ON(old != folio, "slot %lu does not hold its folio", folio->index);
	folio->mapping = NULL;
	WRITE_ONCE(mapping->nrpages, mapping->nrpages - folio_nr_pages(folio));
}

void
__filemap_remove_folio(struct folio *folio)
{
	BUG_ON(!folio_test_locked(folio), "unlocked folio at index %lu", folio->index);
	page_cache_delete(folio->mapping, folio);
}

void
filemap_remove_folio(struct folio *folio)
{
	struct address_space *mapping = folio->mapping;

	xa_lock(&mapping->i_pages);
	__filemap_remove_folio(folio);
	xa_unlock(&mapping->i_pages);
	folio_put_refs(folio, folio_nr_pages(folio));
}

/*
 * The dirty bit is tested after the freeze: nobody can set it any more without
 * a reference, and the freeze's full barrier orders the test behind it.
 */
static bool
freeze_clean(struct folio *folio, int expected)
{
	if (!folio_ref_freeze(folio, expected))
		return false;
	if (!folio_test_dirty(folio))
		return true;
	folio_ref_unfreeze(folio, expected);
	return false;
}

bool
remove_mapping(struct address_space *mapping, struct folio *folio)
{
	bool removed;

	BUG_ON(!folio_test_locked(folio), "unlocked folio at index %lu", folio->index);
	xa_lock(&mapping->i_pages);
	removed = folio->mapping == mapping && freeze_clean(folio, 1 + folio_nr_pages(folio));
	if (removed)
		page_cache_delete(mapping, folio);
	xa_unlock(&mapping->i_pages);
	return removed;
}
