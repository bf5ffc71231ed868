/*
 * page_alloc.h - allocating and freeing pages
 *
 * Models: mm/page_alloc.c. Blocks of more than one page are always compound
 * pages, as __GFP_COMP makes them. A page is handed out with one reference and
 * undefined contents, and comes back when the last reference is dropped.
 *
 * Differences from Linux: no gfp flags; nobody waits for memory. Without a free
 * block on any node, other CPUs' lists are drained, and then there is none.
 */
#ifndef PAGECACHE_PAGE_ALLOC_H
#define PAGECACHE_PAGE_ALLOC_H

#include "pagecache/buddy.h"
#include "pagecache/folio.h"

/*
 * Allocate 2^@order pages, from @node if it has some, else from the next nodes
 * (-1: the caller's node). Context: task; never sleeps. Return: NULL without memory.
 */
struct page *alloc_pages(unsigned int order, int node);

static __always_inline struct folio *
folio_alloc(unsigned int order, int node)
{
	return (struct folio *)alloc_pages(order, node);
}

/* Free a block that the caller froze. Context: any; never sleeps. */
void free_frozen_pages(struct page *page, unsigned int order);

/* Drop one reference of a page from alloc_pages(). Context: any; never sleeps. */
void put_page(struct page *page);

/* Pages that are neither free nor on a per-CPU list. Context: no task runs. */
unsigned long nr_used_pages(void);

/* BUG if a page is in use, naming the first one. Context: shutdown. */
void check_page_leaks(void);

#endif
