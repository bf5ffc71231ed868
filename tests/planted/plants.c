/*
 * plants.c - a kernel with faults, to see that each is caught and named
 *
 * Linked in front of sys_pread() of an otherwise whole kernel: a pread at one of
 * these offsets, far beyond the end of every file, commits its fault first.
 */
#include "machine/cpu_relax.h"
#include "machine/rcu.h"
#include "pagecache/filemap.h"
#include "pagecache/page_alloc.h"
#include "vfs/fdget.h"
#include "vfs/file.h"
#include "vfs/inode.h"
#include "vfs/syscalls.h"

enum plant {
	PLANT_DROPPED_PUT = 1 << 30,
	PLANT_FREED_FOLIO,
	PLANT_FREED_FILE,
	PLANT_PLAIN_COUNT,
	PLANT_ENDLESS_LOOP,
};

ssize_t __wrap_sys_pread(int fd, void *buf, size_t count, loff_t pos);

/* A reference on the file's first folio that nobody will drop. */
static void
dropped_put(int fd)
{
	struct fd f = fdget((unsigned int)fd);

	BUG_ON(!filemap_get_entry(fd_file(f)->f_mapping, 0), "the file is empty");
	fdput(f);
}

/* The contents of a folio that was given back. */
static void
freed_folio(void)
{
	struct folio *folio = folio_alloc(0, -1);
	char *contents = folio_address(folio);

	folio_put(folio);
	contents[0] = 1;
}

/* A field of a file after its last reference and a grace period. */
static void
freed_file(int fd)
{
	struct file *file = fget_raw((unsigned int)fd);

	sys_close(fd);
	fput_close(file);
	rcu_barrier();
	file->f_mode = 0;
}

/* Everybody's count, counted without an atomic. */
static void
plain_count(int fd)
{
	struct fd f = fdget((unsigned int)fd);

	fd_file(f)->f_inode->i_count.counter++;
	barrier();
	fd_file(f)->f_inode->i_count.counter--;
	fdput(f);
}

/* Nobody ever ends it, and on the virtual kind nobody else runs. */
__attribute__((noreturn)) static void
endless_loop(void)
{
	for (;;)
		cpu_relax();
}

ssize_t
__wrap_sys_pread(int fd, void *buf, size_t count, loff_t pos)
{
	switch ((enum plant)pos) {
	case PLANT_DROPPED_PUT:
		dropped_put(fd);
		break;
	case PLANT_FREED_FOLIO:
		freed_folio();
		break;
	case PLANT_FREED_FILE:
		freed_file(fd);
		break;
	case PLANT_PLAIN_COUNT:
		plain_count(fd);
		break;
	case PLANT_ENDLESS_LOOP:
		endless_loop();
	}
	return sys_pread(fd, buf, count, pos);
}
