/*
 * file_ref_types.h - the word that counts an open file's references
 */
#ifndef VFS_FILE_REF_TYPES_H
#define VFS_FILE_REF_TYPES_H

#include "machine/atomic.h"

/* The contract test compiles this with s8: same zones, all within reach. */
#ifndef FILE_REF_WORD
#define FILE_REF_WORD s64
#endif

typedef struct {
	FILE_REF_WORD counter; /* anybody, by the functions of file_ref.h */
} file_ref_t;

/* Addition as the hardware does it: wraps, whatever the word's width. */
static __always_inline FILE_REF_WORD
file_ref_wrap(FILE_REF_WORD value, int delta)
{
	return (FILE_REF_WORD)((u64)value + (u64)delta);
}

#endif
