/*
 * symbolise.h - from code addresses and offsets to what the source calls them
 *
 * The program reads its own debug information (libdw on /proc/self/exe), so no
 * table is kept by hand. Addresses may come from a child: it is a fork and has
 * the same mapping.
 */
#ifndef ENGINE_SYMBOLISE_H
#define ENGINE_SYMBOLISE_H

#include "machine/types.h"

/*
 * Source line of an access or call. @pc is its return address; the line is that
 * of the innermost frame outside machine/ of the chain of inlined functions at
 * @pc - 1, so an atomic is found where it is used and not in its wrapper.
 * Return: "pagecache/filemap.c:120" relative to the repository, or "?" without
 * debug information; malloc()ed.
 */
char *symbolise_site(u64 pc);

/*
 * Name of the field of `struct @type` at @offset: "_refcount", "slots[3]",
 * "f_ref.refcnt". Return: malloc()ed, or NULL when there is no such field.
 */
char *symbolise_field(const char *type, u64 offset);

/* Forget what was read. */
void symbolise_done(void);

#endif
