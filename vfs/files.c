/*
 * files.c - descriptor tables as a whole: made, copied, given up
 *
 * Mirrors dup_fd() and put_files_struct() of fs/file.c.
 */
#include <errno.h>
#include <string.h>

#include "machine/bitops.h"
#include "machine/slab.h"
#include "vfs/fdtable.h"
#include "vfs/vfs.h"

int
files_boot(void)
{
	kernel.vfs->files_cache =
		kmem_cache_create("files_struct", sizeof(struct files_struct), SLAB_ZERO, NULL);
	return kernel.vfs->files_cache ? 0 : -ENOMEM;
}

void
files_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->files_cache);
}

struct files_struct *
files_create(void)
{
	struct files_struct *files = kmem_cache_alloc(kernel.vfs->files_cache);

	if (!files)
		return NULL;
	atomic_init(&files->count, 1);
	spin_lock_init(&files->file_lock);
	init_waitqueue_head(&files->resize_wait);
	files->fdtab.max_fds = NR_OPEN_DEFAULT;
	files->fdtab.fd = files->fd_array;
	files->fdtab.close_on_exec = files->close_on_exec_init;
	files->fdtab.open_fds = files->open_fds_init;
	files->fdtab.full_fds_bits = files->full_fds_bits_init;
	files->fdt = &files->fdtab;
	return files;
}

/* Free a table that nobody else can see. */
static void
files_free(struct files_struct *files)
{
	if (files->fdt != &files->fdtab)
		free_fdtable(files->fdt);
	kmem_cache_free(kernel.vfs->files_cache, files);
}

/* Return: slots up to the last word that has an open one; at least the embedded table's. */
static unsigned int
count_open_slots(const struct fdtable *fdt)
{
	unsigned int words = fdt->max_fds / BITS_PER_LONG;

	while (words > 1 && !fdt->open_fds[words - 1])
		words--;
	return words * BITS_PER_LONG;
}

/*
 * Give @files, which nobody else knows, as many slots as @old uses.
 * Context: @old's file_lock held; drops it and takes it again.
 * Return: those slots, or 0 without memory; lock held in either case.
 */
static unsigned int
match_size(struct files_struct *files, struct files_struct *old)
{
	unsigned int slots = count_open_slots(old->fdt);

	while (files->fdt->max_fds < slots) {
		struct fdtable *fdt;

		spin_unlock(&old->file_lock);
		fdt = alloc_fdtable(slots);
		if (fdt && files->fdt != &files->fdtab)
			free_fdtable(files->fdt);
		if (fdt)
			files->fdt = fdt;
		spin_lock(&old->file_lock);
		if (!fdt)
			return 0;
		slots = count_open_slots(old->fdt);
	}
	return slots;
}

/*
 * Copy the first @slots slots, with a reference on every file; a slot that is
 * only reserved is free in the copy. Context: @old's file_lock held, which keeps
 * its files open; an fd_install() may store into a reserved slot meanwhile.
 */
static void
copy_slots(struct fdtable *to, const struct fdtable *old, unsigned int slots)
{
	for (unsigned int fd = 0; fd < slots; fd++) {
		struct file *file = rcu_dereference(old->fd[fd]);

		to->fd[fd] = file;
		if (file) {
			get_file(file);
		} else if (__test_bit(fd, to->open_fds)) {
			__clear_bit(fd, to->open_fds);
			__clear_bit(fd / BITS_PER_LONG, to->full_fds_bits);
		}
	}
	memset(to->fd + slots, 0, (to->max_fds - slots) * sizeof(*to->fd));
}

struct files_struct *
dup_fd(struct files_struct *old)
{
	struct files_struct *files = files_create();
	unsigned int slots;

	if (!files)
		return NULL;
	spin_lock(&old->file_lock);
	slots = match_size(files, old);
	if (slots) {
		copy_fd_bitmaps(files->fdt, old->fdt, slots);
		copy_slots(files->fdt, old->fdt, slots);
	}
	spin_unlock(&old->file_lock);
	if (!slots) {
		files_free(files);
		return NULL;
	}
	return files;
}

/* Context: the caller was the last user. */
static void
close_files(struct fdtable *fdt)
{
	for (unsigned int word = 0; word * BITS_PER_LONG < fdt->max_fds; word++) {
		unsigned long open = fdt->open_fds[word];

		for (; open; open &= open - 1) {
			unsigned int bit = (unsigned int)__builtin_ctzl(open);
			struct file *file = fdt->fd[word * BITS_PER_LONG + bit];

			if (file)
				fput_close(file);
		}
	}
}

void
put_files_struct(struct files_struct *files)
{
	/* Full barrier: pairs with the acquire in fdget() of the task that is left alone. */
	if (!atomic_dec_and_test(&files->count))
		return;
	close_files(files->fdt);
	files_free(files);
}
