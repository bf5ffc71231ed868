/*
 * err.h - a pointer or a negative errno in one word
 *
 * The last page of the address space holds no object: its addresses are errors.
 */
#ifndef MACHINE_ERR_H
#define MACHINE_ERR_H

#include "machine/types.h"

#define MAX_ERRNO 4095

/* @error: a negative errno. */
static __always_inline void *
ERR_PTR(long error)
{
	return (void *)error;
}

static __always_inline bool
IS_ERR(const void *pointer)
{
	return unlikely((unsigned long)pointer >= (unsigned long)-MAX_ERRNO);
}

static __always_inline bool
IS_ERR_OR_NULL(const void *pointer)
{
	return unlikely(!pointer) || IS_ERR(pointer);
}

static __always_inline int
PTR_ERR(const void *pointer)
{
	return (int)(long)pointer;
}

#endif
