/*
 * pagecache.h - the room's state and its two ends
 */
#ifndef PAGECACHE_PAGECACHE_H
#define PAGECACHE_PAGECACHE_H

#include "machine/percpu.h"

struct folio_wait_bucket;
struct kmem_cache;
struct page;
struct zone;

/* Everything is constant after pagecache_boot(): a line that all CPUs share. */
struct pagecache {
	struct page *vmemmap;		/* page N at vmemmap[N] */
	char *frames;			/* contents of page N at frames + N * PAGE_SIZE */
	struct folio_wait_bucket *folio_wait_table;
	struct zone **zones;		/* by node */
	struct page *zero_page;		/* what holes read as */
	struct kmem_cache *xa_node_cache;
	unsigned long max_pfn;		/* one past the last page */
	struct percpu pcp;		/* struct per_cpu_pages, one for each zone */
} ____cacheline_aligned;

/*
 * Lay out @memory_bytes of page frames over the nodes, with their vmemmap, and
 * start the allocator. Context: boot, after machine_boot(). Return: 0 or -errno.
 */
int pagecache_boot(u64 memory_bytes);

/* Context: no task runs, every mapping is gone. BUG if a page is still in use. */
void pagecache_shutdown(void);

#endif
