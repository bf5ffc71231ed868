/*
 * folio_batch.h - a few folios at a time
 *
 * Models: include/linux/folio_batch.h; 31 entries make 256 bytes.
 */
#ifndef PAGECACHE_FOLIO_BATCH_H
#define PAGECACHE_FOLIO_BATCH_H

#include "pagecache/folio.h"

#define FOLIO_BATCH_SIZE 31

struct folio_batch {
	u8 nr;
	struct folio *folios[FOLIO_BATCH_SIZE];
};

_Static_assert(sizeof(struct folio_batch) == 256, "as in Linux");

static __always_inline void
folio_batch_init(struct folio_batch *batch)
{
	batch->nr = 0;
}

/* Context: batch not full. Return: free slots left. */
static __always_inline unsigned int
folio_batch_add(struct folio_batch *batch, struct folio *folio)
{
	batch->folios[batch->nr++] = folio;
	return FOLIO_BATCH_SIZE - batch->nr;
}

/* Drop the batch's references and empty it. */
static __always_inline void
folio_batch_release(struct folio_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		folio_put(batch->folios[i]);
	batch->nr = 0;
}

#endif
