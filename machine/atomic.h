/*
 * atomic.h - marked accesses: the kernel's atomics over compiler builtins
 *
 * Every field that two CPUs may touch at once is accessed through these
 * wrappers and nothing else; all other accesses are plain. On the host kind a
 * wrapper is one instruction. On the virtual kind the compiler turns each of
 * them into a call that carries its memory order (see virtual/hooks.c), so the
 * model and the race check see exactly what is written here.
 *
 * Orders, as in the kernel: a value-returning operation without a suffix is
 * fully ordered, a conditional one only when it succeeds; one that returns
 * nothing is relaxed.
 *
 * Context: any.
 *
 * Differences from Linux: READ_ONCE and WRITE_ONCE are relaxed atomic accesses
 * and not volatile ones; they take scalars of at most eight bytes.
 */
#ifndef MACHINE_ATOMIC_H
#define MACHINE_ATOMIC_H

#include "machine/types.h"

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/*
 * Address dependencies order rcu_dereference() in the kernel; C11 has no usable
 * form of that, so it is an acquire here (free on x86, exact for the race
 * check). Pairs with rcu_assign_pointer().
 */
#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

/* libtsan 12 does not know fences; the runtime gives it a seq_cst RMW instead. */
#if defined(MACHINE_HOST) && defined(__SANITIZE_THREAD__)
void runtime_tsan_fence(void);
#define smp_mb() runtime_tsan_fence()
#define smp_rmb() runtime_tsan_fence()
#define smp_wmb() runtime_tsan_fence()
#else
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#define barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Exchange, add and compare-exchange on plain-typed fields; the old value is returned. */
#define xadd(p, v) __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define xadd_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define try_cmpxchg_order(p, old, new, order)                                                      \
	__atomic_compare_exchange_n((p), (old), (new), false, (order), __ATOMIC_RELAXED)
#define try_cmpxchg(p, old, new) try_cmpxchg_order(p, old, new, __ATOMIC_SEQ_CST)
#define try_cmpxchg_acquire(p, old, new) try_cmpxchg_order(p, old, new, __ATOMIC_ACQUIRE)
#define try_cmpxchg_release(p, old, new) try_cmpxchg_order(p, old, new, __ATOMIC_RELEASE)
#define try_cmpxchg_relaxed(p, old, new) try_cmpxchg_order(p, old, new, __ATOMIC_RELAXED)

/* Set and initialise; plain because nobody else can see the object yet. */
#define atomic_init(v, i) ((void)((v)->counter = (i)))

#define DEFINE_ATOMIC(prefix, type, base)                                                          \
	static __always_inline base prefix##_read(const type *v)                                   \
	{                                                                                          \
		return READ_ONCE(v->counter);                                                      \
	}                                                                                          \
	static __always_inline base prefix##_read_acquire(const type *v)                           \
	{                                                                                          \
		return smp_load_acquire(&v->counter);                                              \
	}                                                                                          \
	static __always_inline void prefix##_set(type *v, base i)                                  \
	{                                                                                          \
		WRITE_ONCE(v->counter, i);                                                         \
	}                                                                                          \
	static __always_inline void prefix##_set_release(type *v, base i)                          \
	{                                                                                          \
		smp_store_release(&v->counter, i);                                                 \
	}                                                                                          \
	static __always_inline void prefix##_add(base i, type *v)                                  \
	{                                                                                          \
		__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline void prefix##_sub(base i, type *v)                                  \
	{                                                                                          \
		__atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline void prefix##_inc(type *v)                                          \
	{                                                                                          \
		prefix##_add(1, v);                                                                \
	}                                                                                          \
	static __always_inline void prefix##_dec(type *v)                                          \
	{                                                                                          \
		prefix##_sub(1, v);                                                                \
	}                                                                                          \
	static __always_inline base prefix##_fetch_add(base i, type *v)                            \
	{                                                                                          \
		return __atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);                       \
	}                                                                                          \
	static __always_inline base prefix##_fetch_add_relaxed(base i, type *v)                    \
	{                                                                                          \
		return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);                       \
	}                                                                                          \
	static __always_inline base prefix##_fetch_sub(base i, type *v)                            \
	{                                                                                          \
		return __atomic_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST);                       \
	}                                                                                          \
	static __always_inline base prefix##_fetch_sub_release(base i, type *v)                    \
	{                                                                                          \
		return __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELEASE);                       \
	}                                                                                          \
	static __always_inline bool prefix##_sub_and_test(base i, type *v)                         \
	{                                                                                          \
		return prefix##_fetch_sub(i, v) == i;                                              \
	}                                                                                          \
	static __always_inline bool prefix##_dec_and_test(type *v)                                 \
	{                                                                                          \
		return prefix##_sub_and_test(1, v);                                                \
	}                                                                                          \
	static __always_inline bool prefix##_try_cmpxchg(type *v, base *old, base new)             \
	{                                                                                          \
		return try_cmpxchg(&v->counter, old, new);                                         \
	}                                                                                          \
	static __always_inline bool prefix##_try_cmpxchg_acquire(type *v, base *old, base new)     \
	{                                                                                          \
		return try_cmpxchg_acquire(&v->counter, old, new);                                 \
	}                                                                                          \
	static __always_inline bool prefix##_try_cmpxchg_release(type *v, base *old, base new)     \
	{                                                                                          \
		return try_cmpxchg_release(&v->counter, old, new);                                 \
	}                                                                                          \
	static __always_inline bool prefix##_try_cmpxchg_relaxed(type *v, base *old, base new)     \
	{                                                                                          \
		return try_cmpxchg_relaxed(&v->counter, old, new);                                 \
	}                                                                                          \
	static __always_inline base prefix##_xchg(type *v, base new)                               \
	{                                                                                          \
		return xchg(&v->counter, new);                                                     \
	}

DEFINE_ATOMIC(atomic, atomic_t, int)
DEFINE_ATOMIC(atomic64, atomic64_t, s64)

#endif
