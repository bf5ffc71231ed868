/*
 * filemap.h - files' pages in memory: lookup, insertion, reading, writing
 *
 * Mirrors mm/filemap.c and the data paths of mm/shmem.c.
 *
 * Lookup protocol, on which every lockless reader relies: load the slot, try to
 * take a reference, load the slot again; if it changed, drop and retry. Pages
 * are freed without waiting for RCU, so a reference may land on a page that is
 * somebody else's by now: the second load is what notices.
 *
 * Lock order: inode lock (vfs) > invalidate_lock > folio lock > i_pages lock.
 */
#ifndef PAGECACHE_FILEMAP_H
#define PAGECACHE_FILEMAP_H

#include "machine/rwsem.h"
#include "pagecache/folio.h"
#include "pagecache/xarray.h"

struct inode;
struct address_space;

/* What the owner of a mapping does for it; may be NULL, as may what follows. */
struct address_space_operations {
	/*
	 * Start to fill @folio, which is locked. When that ends, now or later, mark it
	 * uptodate if it worked, and unlock it in any case. May sleep. Return: 0 or -errno.
	 */
	int (*read_folio)(struct address_space *mapping, struct folio *folio);

	/*
	 * What reports call the file, written into [@buf, @buf + @size). Context: as
	 * for every namer. Return: where in @buf it starts, or NULL. NULL: no name.
	 */
	const char *(*name)(const struct address_space *mapping, char *buf, size_t size);
};

/* 152 bytes in the kernel; i_pages and host share line 0 as there. */
struct address_space {
	/* line 0, if the inode puts it on one */
	struct inode *host;		/* constant */
	struct xarray i_pages;		/* its xa_lock guards insertion, removal and nrpages */
	struct rw_semaphore invalidate_lock;
	u8 reserved_56[8];
	/* line 1 */
	int node;			/* where new pages come from; -1: the caller's node;
					   written under the inode lock */
	unsigned long nrpages;		/* in i_pages, under its lock */
	const struct address_space_operations *a_ops;	/* constant */
};

/* What reports call @mapping's file, in @buf; NULL: nothing. Context: as for every namer. */
const char *mapping_name(const struct address_space *mapping, char *buf, size_t size);

_Static_assert(offsetof(struct address_space, i_pages) == 8, "as in Linux");
_Static_assert(offsetof(struct address_space, invalidate_lock) == 24, "as in Linux");
_Static_assert(offsetof(struct address_space, node) == 64, "invalidate_lock ends line 0");

/* Read state of one open file. Whoever reads it writes it, without a lock: it is a hint. */
struct file_ra_state {
	loff_t prev_pos;	/* where the last read ended; marked */
};

/* Make an empty @mapping. Context: nobody else knows it yet. */
void address_space_init(struct address_space *mapping, struct inode *host,
			const struct address_space_operations *a_ops, int node);

/* Drop every page of @mapping, as when its inode goes. Context: task, no users left; may sleep. */
void truncate_inode_pages_final(struct address_space *mapping);

/* Drop the pages from @newsize on and zero the rest of the last one. Inode lock held; sleeps. */
void truncate_pagecache(struct address_space *mapping, loff_t newsize);

/*
 * Insert locked @folio at @index; takes the cache's references.
 * Context: task, folio locked. Return: 0, -EEXIST or -ENOMEM.
 */
int filemap_add_folio(struct address_space *mapping, struct folio *folio, unsigned long index);

/* Take @folio out. Context: folio locked and in the cache; drops the cache's references. */
void filemap_remove_folio(struct folio *folio);

/* The same under i_pages' lock, held by the caller; the references stay for the caller to drop. */
void __filemap_remove_folio(struct folio *folio);

/*
 * Take @folio out only if nobody but the cache and the caller holds it.
 * Context: folio locked. Return: true if it is out and frozen: the caller frees it.
 */
bool remove_mapping(struct address_space *mapping, struct folio *folio);

/*
 * The lookup protocol. A retry without an end is impossible: who froze the folio is
 * about to change the slot, and holds i_pages' lock, or unfreezes.
 * Context: any. Return: the folio at @index with a reference taken, or NULL.
 */
static __always_inline struct folio *
filemap_get_entry(struct address_space *mapping, unsigned long index)
{
	struct folio *folio;

	rcu_read_lock();
	for (;;) {
		XA_STATE(xas, &mapping->i_pages, index);

		folio = xas_load(&xas);
		if (xas_retry(&xas, folio))
			continue;
		if (!folio || xa_is_value(folio)) {
			folio = NULL;
			break;
		}
		if (unlikely(!folio_try_get(folio)))
			continue;
		if (likely(folio == xas_reload(&xas)))
			break;
		folio_put(folio);
	}
	rcu_read_unlock();
	return folio;
}

/*
 * The next folio from @xas on, up to index @max, with a reference taken, or NULL.
 * Context: RCU reader.
 */
struct folio *find_get_entry(struct xa_state *xas, unsigned long max);

/*
 * The first byte from @start on that is data (@data), or in a hole (else), of a file of
 * @end bytes whose only home is @mapping: whole pages are one or the other, and the end
 * of the file counts as a hole. Context: task; the caller's lock keeps size and pages.
 * Return: its offset, or -ENXIO: no more data, or @start is not in the file.
 */
loff_t mapping_seek_hole_data(struct address_space *mapping, loff_t start, loff_t end, bool data);

/*
 * Read [@pos, @pos + @count) into @buf, as a disk file system does (no folio
 * lock on uptodate folios). @i_size is the inode's size field; stops at it.
 * Context: task; sleeps. Return: bytes, 0 at the end, or -errno.
 */
ssize_t filemap_read(struct address_space *mapping, void *buf, size_t count, loff_t pos,
		     const loff_t *i_size, struct file_ra_state *ra);

/* The same for tmpfs, which locks each folio for a moment; holes read as zeroes. */
ssize_t shmem_read(struct address_space *mapping, void *buf, size_t count, loff_t pos,
		   const loff_t *i_size);

/*
 * Write @buf at @pos into tmpfs pages, growing *@i_size (release store).
 * Context: task, inode lock held exclusively; sleeps.
 * Return: bytes, or -errno when nothing was written (ENOSPC without memory).
 */
ssize_t shmem_write(struct address_space *mapping, const void *buf, size_t count, loff_t pos,
		    loff_t *i_size);

#endif
