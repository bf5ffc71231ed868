/*
 * dirent64.h - what getdents64(2) fills a buffer with
 */
#ifndef TESTS_DIRENT64_H
#define TESTS_DIRENT64_H

#include <dirent.h>

#include "machine/types.h"

/* The manual page's; the C library's struct dirent64 is longer than an entry may be. */
struct linux_dirent64 {
	u64 d_ino;
	s64 d_off;
	u16 d_reclen;
	u8 d_type;
	char d_name[];
};

/* The entries in the @bytes at @buf; none if that is an error. */
#define for_each_dirent64(entry, buf, bytes)                                                       \
	for (const struct linux_dirent64 *entry = (const void *)(buf);                             \
	     (const char *)entry < (buf) + (bytes);                                                \
	     entry = (const void *)((const char *)entry + entry->d_reclen))

#endif
