/*
 * hooks.h - what the compiler calls before each access; see README.md, "The seam"
 */
#ifndef MACHINE_VIRTUAL_HOOKS_H
#define MACHINE_VIRTUAL_HOOKS_H

#include "machine/types.h"

typedef unsigned __int128 u128;

#define MODEL_PLAIN(bytes)                                                                         \
	void model_read##bytes(const void *address);                                               \
	void model_write##bytes(const void *address);                                              \
	void model_unaligned_read##bytes(const void *address);                                     \
	void model_unaligned_write##bytes(const void *address);                                    \
	void model_read_write##bytes(const void *address);                                         \
	void model_unaligned_read_write##bytes(const void *address);                               \
	void model_volatile_read##bytes(const void *address);                                      \
	void model_volatile_write##bytes(const void *address);                                     \
	void model_unaligned_volatile_read##bytes(const void *address);                            \
	void model_unaligned_volatile_write##bytes(const void *address);

MODEL_PLAIN(1)
MODEL_PLAIN(2)
MODEL_PLAIN(4)
MODEL_PLAIN(8)
MODEL_PLAIN(16)

void model_read_range(const void *address, size_t size);
void model_write_range(const void *address, size_t size);

/* One set per width; orders are the compiler's __ATOMIC_*. */
#define MODEL_ATOMIC(bits, type)                                                                   \
	type model_atomic##bits##_load(const type *p, int order);                                  \
	void model_atomic##bits##_store(type *p, type value, int order);                           \
	type model_atomic##bits##_exchange(type *p, type value, int order);                        \
	type model_atomic##bits##_fetch_add(type *p, type value, int order);                       \
	type model_atomic##bits##_fetch_sub(type *p, type value, int order);                       \
	type model_atomic##bits##_fetch_and(type *p, type value, int order);                       \
	type model_atomic##bits##_fetch_or(type *p, type value, int order);                        \
	type model_atomic##bits##_fetch_xor(type *p, type value, int order);                       \
	type model_atomic##bits##_fetch_nand(type *p, type value, int order);                      \
	int model_atomic##bits##_compare_exchange_strong(type *p, type *expected, type value,      \
							 int order, int fail_order);               \
	int model_atomic##bits##_compare_exchange_weak(type *p, type *expected, type value,        \
						       int order, int fail_order);                 \
	type model_atomic##bits##_compare_exchange_val(type *p, type expected, type value,         \
						       int order, int fail_order);

MODEL_ATOMIC(8, u8)
MODEL_ATOMIC(16, u16)
MODEL_ATOMIC(32, u32)
MODEL_ATOMIC(64, u64)

void model_atomic_thread_fence(int order);
void model_atomic_signal_fence(int order);

void *model_memcpy(void *to, const void *from, size_t size);
void *model_memmove(void *to, const void *from, size_t size);
void *model_memset(void *to, int byte, size_t size);

/* Called and empty: the compiler announces itself and its functions. */
void model_init(void);
void model_func_entry(void *caller);
void model_func_exit(void);

#endif
