/*
 * fdget.c - taking a reference through a descriptor that others may close
 *
 * Mirrors __fget_files_rcu() of fs/file.c.
 */
#include "vfs/fdget.h"

enum outcome { FGET_DONE, FGET_AGAIN, FGET_STALE };

/*
 * One attempt. A file's memory may be reused as another file at once, so a
 * reference counts only if the slot still leads to the same file after it:
 *
 *   T1 fget(3)                       T2
 *   loads slot 3: F
 *                                    close(3): slot NULL, F dead and freed
 *                                    open() = 5: reuses F's memory
 *   file_ref_get(F) succeeds         F is descriptor 5's file now
 *   slot 3 is not F: drop it, again
 *
 * When T2's open got descriptor 3 again, the slot does lead to F, and F is
 * what descriptor 3 means. Ordering: file_ref_get() is a full barrier between
 * the two loads.
 *
 * Context: RCU reader. Return: FGET_STALE: *@result has a reference that the
 * caller must drop.
 */
static enum outcome
fget_once(struct files_struct *files, unsigned int fd, struct file **result)
{
	const struct fdtable *fdt = rcu_dereference(files->fdt);
	struct file *file = NULL;

	if (likely(fd < fdt->max_fds))
		file = rcu_dereference(fdt->fd[fd]);
	*result = file;
	if (unlikely(!file))
		return FGET_DONE;
	if (unlikely(!file_ref_get(file_refs(file))))
		return FGET_AGAIN;
	if (unlikely(file != rcu_dereference(fdt->fd[fd])) ||
	    unlikely(fdt != rcu_dereference(files->fdt)))
		return FGET_STALE;
	return FGET_DONE;
}

struct file *
fget_raw(unsigned int fd)
{
	struct files_struct *files = current->files;
	enum outcome outcome;
	struct file *file;

	do {
		rcu_read_lock();
		outcome = fget_once(files, fd, &file);
		rcu_read_unlock();
		if (unlikely(outcome == FGET_STALE))
			fput(file);
	} while (unlikely(outcome != FGET_DONE));
	return file;
}
