/*
 * fdtable.c - memory of descriptor tables, and growing them
 *
 * Mirrors alloc_fdtable() to expand_files() of fs/file.c; see fdtable.h for the
 * protocol.
 */
#include "vfs/fdtable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/arena.h"
#include "vfs/vfs.h"

#define MIN_SLOTS 128 /* one KiB of pointers */

static size_t
open_words(unsigned int slots)
{
	return slots / BITS_PER_LONG;
}

static size_t
full_words(unsigned int slots)
{
	return DIV_ROUND_UP(open_words(slots), BITS_PER_LONG);
}

static size_t
bitmaps_size(unsigned int slots)
{
	return (2 * open_words(slots) + full_words(slots)) * sizeof(unsigned long);
}

struct fdtable *
alloc_fdtable(unsigned int slots)
{
	int node = numa_node_id();
	unsigned int nr = MIN_SLOTS;
	struct fdtable *fdt;

	while (nr < slots)
		nr *= 2;
	fdt = arena_alloc(sizeof(*fdt), CACHE_LINE, node);
	if (!fdt)
		return NULL;
	fdt->max_fds = nr;
	fdt->fd = arena_alloc(nr * sizeof(*fdt->fd), CACHE_LINE, node);
	if (!fdt->fd)
		goto free_table;
	fdt->open_fds = arena_alloc(bitmaps_size(nr), CACHE_LINE, node);
	if (!fdt->open_fds)
		goto free_slots;
	fdt->close_on_exec = fdt->open_fds + open_words(nr);
	fdt->full_fds_bits = fdt->close_on_exec + open_words(nr);
	return fdt;

free_slots:
	arena_free(fdt->fd, nr * sizeof(*fdt->fd));
free_table:
	arena_free(fdt, sizeof(*fdt));
	return NULL;
}

void
free_fdtable(struct fdtable *fdt)
{
	arena_free(fdt->open_fds, bitmaps_size(fdt->max_fds));
	arena_free(fdt->fd, fdt->max_fds * sizeof(*fdt->fd));
	arena_free(fdt, sizeof(*fdt));
}

static void
free_fdtable_rcu(struct rcu_head *rcu)
{
	free_fdtable(container_of(rcu, struct fdtable, rcu));
}

/* Copy @words words and clear the rest, up to @all. */
static void
copy_bitmap(unsigned long *to, const unsigned long *from, size_t words, size_t all)
{
	memcpy(to, from, words * sizeof(*to));
	memset(to + words, 0, (all - words) * sizeof(*to));
}

void
copy_fd_bitmaps(struct fdtable *to, const struct fdtable *from, unsigned int slots)
{
	size_t words = open_words(slots);
	size_t all = open_words(to->max_fds);

	copy_bitmap(to->open_fds, from->open_fds, words, all);
	copy_bitmap(to->close_on_exec, from->close_on_exec, words, all);
	copy_bitmap(to->full_fds_bits, from->full_fds_bits, full_words(slots),
		    full_words(to->max_fds));
}

static void
copy_fdtable(struct fdtable *to, const struct fdtable *from)
{
	size_t slots = from->max_fds;

	memcpy(to->fd, from->fd, slots * sizeof(*to->fd));
	memset(to->fd + slots, 0, (to->max_fds - slots) * sizeof(*to->fd));
	copy_fd_bitmaps(to, from, from->max_fds);
}

/* Replace the table by one that has slot @fd. Context, return: as expand_files(). */
static int
expand_fdtable(struct files_struct *files, unsigned int fd)
{
	struct fdtable *old = files->fdt;
	struct fdtable *new;

	spin_unlock(&files->file_lock);
	new = alloc_fdtable(fd + 1);
	/* Wait for every fd_install() that did not see resize_in_progress. */
	if (atomic_read(&files->count) > 1)
		synchronize_rcu();
	spin_lock(&files->file_lock);
	if (!new)
		return -ENOMEM;
	copy_fdtable(new, old);
	/* Pairs with the rcu_dereference() of lookups. */
	rcu_assign_pointer(files->fdt, new);
	if (old != &files->fdtab)
		call_rcu(&old->rcu, free_fdtable_rcu);
	return 0;
}

int
expand_files(struct files_struct *files, unsigned int fd)
{
	int error;

	if (fd >= kernel.vfs->nr_open)
		return -EMFILE;
	if (files->resize_in_progress) {
		spin_unlock(&files->file_lock);
		wait_event(&files->resize_wait, !READ_ONCE(files->resize_in_progress));
		spin_lock(&files->file_lock);
		return 0;
	}
	WRITE_ONCE(files->resize_in_progress, true);
	error = expand_fdtable(files, fd);
	/* Pairs with the acquire in fd_install(): who reads false sees the new table. */
	smp_store_release(&files->resize_in_progress, false);
	wake_up_all(&files->resize_wait);
	return error;
}

static bool
lies_in(const void *address, const void *start, size_t size)
{
	return (size_t)((const char *)address - (const char *)start) < size;
}

bool
fdtable_name(const struct fdtable *fdt, const void *address, struct object_name *name)
{
	const char *what;
	const void *start;

	if (lies_in(address, fdt, sizeof(*fdt))) {
		what = "fdtable";
		start = fdt;
	} else if (lies_in(address, fdt->fd, fdt->max_fds * sizeof(*fdt->fd))) {
		what = "descriptors";
		start = fdt->fd;
	} else if (lies_in(address, fdt->open_fds, bitmaps_size(fdt->max_fds))) {
		what = "descriptor bitmaps";
		start = fdt->open_fds;
	} else {
		return false;
	}
	name->type = start == fdt ? "fdtable" : NULL;
	name->start = start;
	snprintf(name->name, sizeof(name->name), "%s of %u", what, fdt->max_fds);
	return true;
}
