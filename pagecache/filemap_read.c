/*
 * filemap_read.c - reading a file through the page cache, as disk file systems do
 *
 * Mirrors filemap_read() of mm/filemap.c. An uptodate folio is read without its
 * lock: on the folio's line a read costs try_get and put, nothing else.
 *
 * The size is looked at twice. The first look saves work beyond the end; the
 * second comes after the folio was seen uptodate, so that a read that meets the
 * growing end of a file never returns bytes that the size does not cover yet:
 *
 *   writer: contents, uptodate (release), i_size (release)
 *   reader: uptodate (acquire), i_size (acquire), contents
 *
 * Differences from Linux: no readahead; a missing folio is read alone, a page
 * large. No asynchronous or non-waiting reads.
 */
#include <errno.h>

#include "machine/sched.h"
#include "pagecache/filemap.h"
#include "pagecache/folio_batch.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"
#include "pagecache/uaccess.h"

/*
 * Collect referenced folios from @index to @last, up to the first hole or the
 * first that is not uptodate (which is included).
 */
static void
filemap_get_read_batch(struct address_space *mapping, unsigned long index, unsigned long last,
		       struct folio_batch *batch)
{
	XA_STATE(xas, &mapping->i_pages, index);
	struct folio *folio;

	rcu_read_lock();
	folio = xas_load(&xas);
	while (folio) {
		if (xas_retry(&xas, folio)) {
			folio = xas_load(&xas);
			continue;
		}
		if (xas.xa_index > last || xa_is_value(folio))
			break;
		if (!folio_try_get(folio)) {
			xas_reset(&xas);
			folio = xas_load(&xas);
			continue;
		}
		if (unlikely(folio != xas_reload(&xas))) {
			folio_put(folio);
			xas_reset(&xas);
			folio = xas_load(&xas);
			continue;
		}
		if (!folio_batch_add(batch, folio) || !folio_test_uptodate(folio))
			break;
		if (folio_test_large(folio))
			xas_set(&xas, folio->index + folio_nr_pages(folio) - 1);
		folio = xas_next(&xas);
	}
	rcu_read_unlock();
}

/* Have @folio, locked, filled by the file system, and wait. Return: 0 or -errno. */
static int
filemap_read_folio(struct address_space *mapping, struct folio *folio)
{
	int err = mapping->a_ops->read_folio(mapping, folio);

	if (err)
		return err;
	folio_wait_locked(folio);
	return folio_test_uptodate(folio) ? 0 : -EIO;
}

/* Allocate the folio at @index, insert and fill it. Return: 0, -EEXIST to look again, -errno. */
static int
filemap_create_folio(struct address_space *mapping, unsigned long index, struct folio_batch *batch)
{
	struct folio *folio = folio_alloc(0, mapping->node);
	int err;

	if (!folio)
		return -ENOMEM;
	__folio_set_locked(folio);
	/* Keeps truncation away from the store's blocks until the folio is filled. */
	down_read(&mapping->invalidate_lock);
	err = filemap_add_folio(mapping, folio, index);
	if (err)
		folio_unlock(folio);
	else
		err = filemap_read_folio(mapping, folio);
	up_read(&mapping->invalidate_lock);
	if (err)
		folio_put(folio);
	else
		folio_batch_add(batch, folio);
	return err;
}

/* Fill a folio that was found not uptodate. Return: 0, -EEXIST to look again, -errno. */
static int
filemap_update_folio(struct address_space *mapping, struct folio *folio)
{
	int err = 0;

	down_read(&mapping->invalidate_lock);
	if (!folio_trylock(folio)) {
		/* Its reader needs nothing from us but time. */
		up_read(&mapping->invalidate_lock);
		folio_wait_locked(folio);
		return -EEXIST;
	}
	if (folio->mapping != mapping) {
		folio_unlock(folio);
		err = -EEXIST;
	} else if (folio_test_uptodate(folio)) {
		folio_unlock(folio);
	} else {
		err = filemap_read_folio(mapping, folio);
	}
	up_read(&mapping->invalidate_lock);
	return err;
}

/*
 * Fill @batch with folios from @index on, at least one and all uptodate.
 * Return: 0 or -errno.
 */
static int
filemap_get_pages(struct address_space *mapping, unsigned long index, unsigned long last,
		  struct folio_batch *batch)
{
	for (;;) {
		struct folio *folio;
		int err;

		filemap_get_read_batch(mapping, index, last, batch);
		if (!batch->nr) {
			err = filemap_create_folio(mapping, index, batch);
			if (err == -EEXIST)
				continue;
			return err;
		}
		folio = batch->folios[batch->nr - 1];
		if (likely(folio_test_uptodate(folio)))
			return 0;
		err = batch->nr > 1 ? -EAGAIN : filemap_update_folio(mapping, folio);
		if (!err)
			return 0;
		folio_put(folio);
		if (--batch->nr)
			return 0;
		if (err != -EEXIST)
			return err;
	}
}

/* Copy what of [@pos, @end) lies in @folio. Return: how much. */
static size_t
copy_folio_to_user(const struct folio *folio, void *buf, loff_t pos, loff_t end)
{
	size_t size = folio_size(folio);
	size_t offset = pos & (size - 1);
	size_t bytes = min((size_t)(end - pos), size - offset);

	copy_to_user(buf, (const char *)folio_address(folio) + offset, bytes);
	return bytes;
}

/* Read the next run of folios. Return: bytes, 0 at the end, or -errno. */
static ssize_t
filemap_read_run(struct address_space *mapping, void *buf, size_t count, loff_t pos,
		 const loff_t *i_size, struct file_ra_state *ra)
{
	struct folio_batch batch;
	loff_t end = pos + (loff_t)count;
	size_t done = 0;
	loff_t size;
	int err;

	if (pos >= smp_load_acquire(i_size))
		return 0;
	folio_batch_init(&batch);
	err = filemap_get_pages(mapping, pos >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT, &batch);
	if (err)
		return err;
	/* After uptodate: see the prologue. */
	size = smp_load_acquire(i_size);
	end = min(end, size);
	for (unsigned int i = 0; i < batch.nr && pos + (loff_t)done < end; i++) {
		struct folio *folio = batch.folios[i];

		/* Reading on within a page is one visit, not many. */
		if (i || (READ_ONCE(ra->prev_pos) - 1) >> PAGE_SHIFT != pos >> PAGE_SHIFT)
			folio_mark_accessed(folio);
		done += copy_folio_to_user(folio, (char *)buf + done, pos + done, end);
	}
	folio_batch_release(&batch);
	return done;
}

ssize_t
filemap_read(struct address_space *mapping, void *buf, size_t count, loff_t pos,
	     const loff_t *i_size, struct file_ra_state *ra)
{
	size_t done = 0;
	ssize_t got = 0;

	while (done < count) {
		got = filemap_read_run(mapping, (char *)buf + done, count - done,
				       pos + (loff_t)done, i_size, ra);
		if (got <= 0)
			break;
		done += got;
		WRITE_ONCE(ra->prev_pos, pos + (loff_t)done);
	}
	return done ? (ssize_t)done : got;
}
