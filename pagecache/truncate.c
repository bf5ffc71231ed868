/*
 * truncate.c - taking folios out of a file; see filemap.h
 *
 * Mirrors mm/truncate.c. The size has shrunk before anybody comes here. A folio
 * that somebody holds leaves the cache all the same and is freed by its last
 * holder, who finds its mapping gone once it has the lock.
 *
 * Lock order: folio locks of one batch, by index > i_pages' lock.
 */
#include <errno.h>
#include <string.h>

#include "pagecache/filemap.h"
#include "pagecache/folio_batch.h"
#include "pagecache/folio_wait.h"

/* Referenced folios from *@index on; *@index moves behind the last. */
static void
find_get_entries(struct address_space *mapping, unsigned long *index, struct folio_batch *batch)
{
	XA_STATE(xas, &mapping->i_pages, *index);
	struct folio *folio;

	rcu_read_lock();
	while ((folio = find_get_entry(&xas, ~0ul))) {
		*index = folio->index + folio_nr_pages(folio);
		if (!folio_batch_add(batch, folio))
			break;
	}
	rcu_read_unlock();
}

/* Lock the batch's folios and drop those that left @mapping meanwhile. */
static void
lock_entries(struct address_space *mapping, struct folio_batch *batch)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < batch->nr; i++) {
		struct folio *folio = batch->folios[i];

		folio_lock(folio);
		if (folio->mapping == mapping) {
			batch->folios[kept++] = folio;
			continue;
		}
		folio_unlock(folio);
		folio_put(folio);
	}
	batch->nr = kept;
}

/* Take a batch of locked folios out, under one hold of the lock. */
static void
delete_from_page_cache_batch(struct address_space *mapping, struct folio_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (folio_test_dirty(batch->folios[i]))
			folio_clear_dirty(batch->folios[i]);
	}
	xa_lock(&mapping->i_pages);
	for (unsigned int i = 0; i < batch->nr; i++)
		__filemap_remove_folio(batch->folios[i]);
	xa_unlock(&mapping->i_pages);
	for (unsigned int i = 0; i < batch->nr; i++) {
		folio_unlock(batch->folios[i]);
		folio_put_refs(batch->folios[i], folio_nr_pages(batch->folios[i]));
	}
	folio_batch_release(batch);
}

/* Drop all folios that begin at @index or later. */
static void
truncate_inode_pages(struct address_space *mapping, unsigned long index)
{
	struct folio_batch batch;

	for (;;) {
		folio_batch_init(&batch);
		find_get_entries(mapping, &index, &batch);
		if (!batch.nr)
			return;
		lock_entries(mapping, &batch);
		delete_from_page_cache_batch(mapping, &batch);
	}
}

/*
 * Zero the rest of the folio that @newsize cuts, for a later growth to find.
 * Return: first index that may go.
 */
static unsigned long
truncate_partial_folio(struct address_space *mapping, loff_t newsize)
{
	struct folio *folio = filemap_get_entry(mapping, newsize >> PAGE_SHIFT);
	unsigned long next = DIV_ROUND_UP((unsigned long)newsize, PAGE_SIZE);
	size_t offset;

	if (!folio)
		return next;
	folio_lock(folio);
	offset = newsize & (folio_size(folio) - 1);
	if (folio->mapping == mapping && offset) {
		memset((char *)folio_address(folio) + offset, 0, folio_size(folio) - offset);
		next = folio->index + folio_nr_pages(folio);
	}
	folio_unlock(folio);
	folio_put(folio);
	return next;
}

void
truncate_pagecache(struct address_space *mapping, loff_t newsize)
{
	truncate_inode_pages(mapping, truncate_partial_folio(mapping, newsize));
}

void
truncate_inode_pages_final(struct address_space *mapping)
{
	truncate_inode_pages(mapping, 0);
	BUG_ON(mapping->nrpages, "%lu pages are left in a file", mapping->nrpages);
}
