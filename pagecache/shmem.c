/*
 * shmem.c - tmpfs: files whose only home is the page cache
 *
 * Mirrors shmem_file_read_iter(), shmem_get_folio() and shmem_write_begin/end()
 * of mm/shmem.c, without swap.
 *
 * Unlike filemap_read(), a read takes the folio's lock for a moment, so reading
 * 64 bytes is four RMWs on the folio's line: try_get, lock, unlock, put. With
 * many readers of one page some of them meet there and sleep.
 *
 * Context: writers hold the inode lock; readers hold nothing.
 */
#include <errno.h>
#include <string.h>

#include "machine/sched.h"
#include "pagecache/filemap.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"
#include "pagecache/uaccess.h"

/*
 * The folio at @index, locked and with a reference, or NULL. The lock is what
 * makes the test of the mapping last: truncation needs it, too.
 */
static __always_inline struct folio *
shmem_lock_folio(struct address_space *mapping, unsigned long index)
{
	for (;;) {
		struct folio *folio = filemap_get_entry(mapping, index);

		if (!folio)
			return NULL;
		folio_lock(folio);
		if (likely(folio->mapping == mapping)) {
			VM_BUG_ON(index - folio->index >= folio_nr_pages(folio),
				  "index %lu led to the folio of %lu", index, folio->index);
			return folio;
		}
		folio_unlock(folio);
		folio_put(folio);
	}
}

/* The folio at @index with valid contents and a reference; NULL is a hole. */
static __always_inline struct folio *
shmem_get_folio_read(struct address_space *mapping, unsigned long index)
{
	struct folio *folio = shmem_lock_folio(mapping, index);
	bool uptodate;

	if (!folio)
		return NULL;
	uptodate = folio_test_uptodate(folio);
	folio_unlock(folio);
	if (likely(uptodate))
		return folio;
	folio_put(folio);
	return NULL;
}

static void
copy_zeroes_to_user(void *buf, size_t bytes)
{
	copy_to_user(buf, page_address(kernel.pagecache->zero_page), bytes);
}

/* Read up to the end of one folio. Return: bytes, 0 at the end of the file. */
static __always_inline size_t
shmem_read_one(struct address_space *mapping, void *buf, size_t count, loff_t pos,
	       const loff_t *i_size)
{
	struct folio *folio;
	size_t size = PAGE_SIZE;
	size_t offset;
	loff_t end;

	if (pos >= smp_load_acquire(i_size))
		return 0;
	folio = shmem_get_folio_read(mapping, pos >> PAGE_SHIFT);
	/* Again, after the folio: it may have been cut off meanwhile, or have grown. */
	end = smp_load_acquire(i_size);
	if (unlikely(pos >= end)) {
		if (folio)
			folio_put(folio);
		return 0;
	}
	if (folio)
		size = folio_size(folio);
	offset = pos & (size - 1);
	count = min(count, size - offset);
	count = min(count, (size_t)(end - pos)); /* a sum with pos might overflow */
	if (unlikely(!folio)) {
		copy_zeroes_to_user(buf, count);
		return count;
	}
	if (!offset)
		folio_mark_accessed(folio);
	copy_to_user(buf, (const char *)folio_address(folio) + offset, count);
	folio_put(folio);
	return count;
}

/* The read goes on behind its first folio, of which @done bytes came. Return: all of them. */
static noinline ssize_t
shmem_read_on(struct address_space *mapping, char *buf, size_t count, loff_t pos,
	      const loff_t *i_size, size_t done)
{
	size_t got = done;

	while (got && done < count) {
		got = shmem_read_one(mapping, buf + done, count - done, pos + (loff_t)done,
				     i_size);
		done += got;
	}
	return done;
}

ssize_t
shmem_read(struct address_space *mapping, void *buf, size_t count, loff_t pos,
	   const loff_t *i_size)
{
	size_t done;

	if (unlikely(!count))
		return 0;
	done = shmem_read_one(mapping, buf, count, pos, i_size);
	/* Most reads lie in one folio. */
	if (likely(done == count))
		return done;
	return shmem_read_on(mapping, buf, count, pos, i_size, done);
}

/* A new folio at @index, locked and with a reference. Return: NULL without memory. */
static struct folio *
shmem_alloc_folio(struct address_space *mapping, unsigned long index)
{
	struct folio *folio = folio_alloc(0, mapping->node);

	if (!folio)
		return NULL;
	__folio_set_locked(folio);
	folio_set_swapbacked(folio);
	/* The inode lock keeps other inserters away, so only memory can be missing. */
	if (!filemap_add_folio(mapping, folio, index))
		return folio;
	folio_unlock(folio);
	folio_put(folio);
	return NULL;
}

/*
 * Copy @bytes to @offset of @folio. What a new folio's other bytes hold must
 * not be seen: they become zero before the contents are published.
 */
static void
shmem_fill_folio(struct folio *folio, size_t offset, const void *buf, size_t bytes)
{
	char *contents = folio_address(folio);

	copy_from_user(contents + offset, buf, bytes);
	if (folio_test_uptodate(folio))
		return;
	memset(contents, 0, offset);
	memset(contents + offset + bytes, 0, folio_size(folio) - offset - bytes);
	folio_mark_uptodate(folio);
}

/* Write up to the end of one folio. Return: bytes, or -ENOSPC. */
static ssize_t
shmem_write_one(struct address_space *mapping, const void *buf, size_t count, loff_t pos,
		loff_t *i_size)
{
	struct folio *folio = shmem_lock_folio(mapping, pos >> PAGE_SHIFT);
	size_t offset;
	size_t bytes;

	if (!folio)
		folio = shmem_alloc_folio(mapping, pos >> PAGE_SHIFT);
	if (!folio)
		return -ENOSPC;
	offset = pos & (folio_size(folio) - 1);
	bytes = min(count, folio_size(folio) - offset);
	shmem_fill_folio(folio, offset, buf, bytes);
	/* Release: pairs with the readers' acquire; what the size covers is there. */
	if (pos + (loff_t)bytes > *i_size)
		smp_store_release(i_size, pos + (loff_t)bytes);
	if (!folio_test_dirty(folio))
		folio_set_dirty(folio);
	folio_unlock(folio);
	folio_put(folio);
	return bytes;
}

ssize_t
shmem_write(struct address_space *mapping, const void *buf, size_t count, loff_t pos,
	    loff_t *i_size)
{
	size_t done = 0;

	while (done < count) {
		ssize_t put = shmem_write_one(mapping, (const char *)buf + done, count - done,
					      pos + (loff_t)done, i_size);

		if (put < 0)
			return done ? (ssize_t)done : put;
		done += put;
	}
	return done;
}
