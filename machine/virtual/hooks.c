/*
 * hooks.c - every load, store and atomic of the mini-kernel comes through here
 *
 * Compiled objects call __tsan_*; linking renames that to model_* (hooks.syms).
 * A plain access is announced and then made by the compiled code itself; an
 * atomic is made here, as a plain operation: one OS thread executes all CPUs,
 * and nobody else sees the arena.
 *
 * Addresses outside the arena are nobody's business: registers' spill slots of
 * boot code, user buffers, constants.
 */
#include "machine/virtual/hooks.h"

#include <string.h>

#include "machine/bug.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/counting.h"
#include "machine/virtual/lines.h"
#include "machine/virtual/scheduler.h"
#include "machine/virtual/watch.h"

#define PC __builtin_return_address(0)

#ifdef POISON
noinline __attribute__((cold)) static void
poisoned(const void *address, size_t size, const void *pc)
{
	const char *start = address;

	while (!arena_is_poisoned(start, 1))
		start++;
	runtime_panic(VERDICT_BUG, pc, NULL, "use after free of %s: %zu bytes at arena +%#zx",
		      arena_poison_what(start), size, arena_offset(address));
}

/* Boot code is checked as well. */
static __always_inline void
check_poison(const void *address, size_t size, const void *pc)
{
	if (!arena_contains(address))
		return;
	for (size_t done = 0; done < size; done += CACHE_LINE) {
		const char *part = (const char *)address + done;

		if (unlikely(arena_is_poisoned(part, min(size - done, (size_t)CACHE_LINE))))
			poisoned(part, min(size - done, (size_t)CACHE_LINE), pc);
	}
}
#else
static __always_inline void
check_poison(const void *address, size_t size, const void *pc)
{
}
#endif

static noinline void
access_slow(u64 offset, size_t size, enum access_kind kind, int order, const void *pc)
{
	const struct access access = {
		.offset = offset, .size = size, .kind = kind, .order = order, .pc = pc
	};

	scheduler->access(running_cpu, &access);
	if (unlikely(model.watched))
		watch_access(&access);
}

/* Compilers call for 16 bytes where 8 are aligned: a struct of two pointers may span lines. */
static __always_inline bool
in_one_line(u64 offset, size_t size)
{
	return size <= 8 || offset % CACHE_LINE <= CACHE_LINE - size;
}

/*
 * The running CPU's turn to make this access has come when this returns.
 * Return: whether the address is the model's.
 */
static __always_inline bool
model_access(const void *address, size_t size, enum access_kind kind, int order, const void *pc)
{
	u64 offset = (u64)address - (u64)arena_range.base;
	struct line *line;
	struct cpu *cpu;

	check_poison(address, size, pc);
	if (offset >= modelled_size)
		return false;
	cpu = running_cpu;
	line = &lines[offset >> LINE_SHIFT];
	model.accesses++;
	if (likely(line->owner == cpu->fast_owner && kind != ACCESS_RMW &&
		   in_one_line(offset, size) &&
		   cpu->now < heap_next_time(&model.events) + model.spec.run_ahead_ps)) {
		cpu->now += model.spec.hit_ps;
		line->last = cpu->now;
		if (kind == ACCESS_STORE)
			line->dirty = true;
		return true;
	}
	access_slow(offset, size, kind, order, pc);
	return true;
}

/* An access that may span lines. */
static void
model_range(const void *address, size_t size, enum access_kind kind, const void *pc)
{
	u64 offset = (u64)address - (u64)arena_range.base;

	if (!size)
		return;
	check_poison(address, size, pc);
	if (offset >= modelled_size)
		return;
	model.accesses++;
	access_slow(offset, size, kind, ORDER_PLAIN, pc);
}

/* --- plain accesses ------------------------------------------------------- */

#define DEFINE_PLAIN(bytes)                                                                        \
	void model_read##bytes(const void *address)                                                \
	{                                                                                          \
		model_access(address, bytes, ACCESS_LOAD, ORDER_PLAIN, PC);                        \
	}                                                                                          \
	void model_write##bytes(const void *address)                                               \
	{                                                                                          \
		model_access(address, bytes, ACCESS_STORE, ORDER_PLAIN, PC);                       \
	}                                                                                          \
	void model_read_write##bytes(const void *address)                                          \
	{                                                                                          \
		model_access(address, bytes, ACCESS_LOAD, ORDER_PLAIN, PC);                        \
		model_access(address, bytes, ACCESS_STORE, ORDER_PLAIN, PC);                       \
	}                                                                                          \
	void model_unaligned_read##bytes(const void *address)                                      \
	{                                                                                          \
		model_range(address, bytes, ACCESS_LOAD, PC);                                      \
	}                                                                                          \
	void model_unaligned_write##bytes(const void *address)                                     \
	{                                                                                          \
		model_range(address, bytes, ACCESS_STORE, PC);                                     \
	}                                                                                          \
	void model_unaligned_read_write##bytes(const void *address)                                \
	{                                                                                          \
		model_range(address, bytes, ACCESS_LOAD, PC);                                      \
		model_range(address, bytes, ACCESS_STORE, PC);                                     \
	}                                                                                          \
	void model_volatile_read##bytes(const void *address)                                       \
	{                                                                                          \
		model_access(address, bytes, ACCESS_LOAD, ORDER_PLAIN, PC);                        \
	}                                                                                          \
	void model_volatile_write##bytes(const void *address)                                      \
	{                                                                                          \
		model_access(address, bytes, ACCESS_STORE, ORDER_PLAIN, PC);                       \
	}                                                                                          \
	void model_unaligned_volatile_read##bytes(const void *address)                             \
	{                                                                                          \
		model_range(address, bytes, ACCESS_LOAD, PC);                                      \
	}                                                                                          \
	void model_unaligned_volatile_write##bytes(const void *address)                            \
	{                                                                                          \
		model_range(address, bytes, ACCESS_STORE, PC);                                     \
	}

DEFINE_PLAIN(1)
DEFINE_PLAIN(2)
DEFINE_PLAIN(4)
DEFINE_PLAIN(8)
DEFINE_PLAIN(16)

void
model_read_range(const void *address, size_t size)
{
	model_range(address, size, ACCESS_LOAD, PC);
}

void
model_write_range(const void *address, size_t size)
{
	model_range(address, size, ACCESS_STORE, PC);
}

/* --- memory functions ------------------------------------------------------ */

/* Charged by the line: loads of the whole source, then stores to the whole target. */
void *
model_memcpy(void *to, const void *from, size_t size)
{
	model_range(from, size, ACCESS_LOAD, PC);
	model_range(to, size, ACCESS_STORE, PC);
	return memcpy(to, from, size);
}

void *
model_memmove(void *to, const void *from, size_t size)
{
	model_range(from, size, ACCESS_LOAD, PC);
	model_range(to, size, ACCESS_STORE, PC);
	return memmove(to, from, size);
}

void *
model_memset(void *to, int byte, size_t size)
{
	model_range(to, size, ACCESS_STORE, PC);
	return memset(to, byte, size);
}

/* --- atomics ---------------------------------------------------------------- */

/* An atomic store with full order is an exchange on x86. */
static __always_inline enum access_kind
store_kind(int order)
{
	return order == __ATOMIC_SEQ_CST ? ACCESS_RMW : ACCESS_STORE;
}

#define DEFINE_FETCH(bits, type, name, expression)                                                 \
	type model_atomic##bits##_##name(type *p, type value, int order)                           \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		if (!model_access(p, sizeof(*p), ACCESS_RMW, order, PC) && !arena_contains(p))     \
			return HOST_##name(p, value);                                              \
		old = *p;                                                                          \
		*p = (expression);                                                                 \
		return old;                                                                        \
	}

#define HOST_exchange(p, value) __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_add(p, value) __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_sub(p, value) __atomic_fetch_sub(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_and(p, value) __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_or(p, value) __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_xor(p, value) __atomic_fetch_xor(p, value, __ATOMIC_SEQ_CST)
#define HOST_fetch_nand(p, value) __atomic_fetch_nand(p, value, __ATOMIC_SEQ_CST)

/*
 * Where a failed cmpxchg does not write (`failed_cas_writes: false`), one that
 * is about to fail is a load that misses, not a request to own the line.
 */
static __always_inline enum access_kind
cmpxchg_kind(bool will_succeed)
{
	return model.spec.failed_cas_writes || will_succeed ? ACCESS_RMW : ACCESS_LOAD;
}

/* Context: @access->offset lies in the arena. Nothing is charged to boot code. */
static void
cmpxchg_charge(struct access *access, bool will_succeed)
{
	access->kind = cmpxchg_kind(will_succeed);
	check_poison(arena_range.base + access->offset, access->size, access->pc);
	if (access->offset >= modelled_size)
		return;
	model.accesses++;
	scheduler->access(running_cpu, access);
}

/* A cmpxchg that failed is a load, whatever its line went through. */
static void
cmpxchg_done(struct access *access, bool failed, int fail_order)
{
	if (access->offset >= modelled_size)
		return;
	count_cmpxchg(access->offset, access->pc, failed);
	access->failed = failed;
	if (failed)
		access->order = fail_order;
	if (unlikely(model.watched))
		watch_access(access);
}

#define DEFINE_CMPXCHG(bits, type)                                                                 \
	static __always_inline bool cmpxchg##bits(type *p, type *expected, type value, int order,  \
						  int fail_order, const void *pc)                  \
	{                                                                                          \
		struct access access = { .offset = (u64)p - (u64)arena_range.base,                 \
					 .size = sizeof(*p),                                       \
					 .order = order,                                           \
					 .pc = pc };                                               \
		bool failed;                                                                       \
                                                                                                   \
		if (!arena_contains(p))                                                            \
			return __atomic_compare_exchange_n(p, expected, value, false,              \
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
		cmpxchg_charge(&access, *p == *expected);                                          \
		/* Changed while its line was on the way: now it would succeed. */                 \
		if (access.kind == ACCESS_LOAD && *p == *expected)                                 \
			cmpxchg_charge(&access, true);                                             \
		failed = *p != *expected;                                                          \
		cmpxchg_done(&access, failed, fail_order);                                         \
		if (failed)                                                                        \
			*expected = *p;                                                            \
		else                                                                               \
			*p = value;                                                                \
		return !failed;                                                                    \
	}                                                                                          \
	int model_atomic##bits##_compare_exchange_strong(type *p, type *expected, type value,      \
							 int order, int fail_order)                \
	{                                                                                          \
		return cmpxchg##bits(p, expected, value, order, fail_order, PC);                   \
	}                                                                                          \
	int model_atomic##bits##_compare_exchange_weak(type *p, type *expected, type value,        \
						       int order, int fail_order)                  \
	{                                                                                          \
		return cmpxchg##bits(p, expected, value, order, fail_order, PC);                   \
	}                                                                                          \
	type model_atomic##bits##_compare_exchange_val(type *p, type expected, type value,         \
						       int order, int fail_order)                  \
	{                                                                                          \
		cmpxchg##bits(p, &expected, value, order, fail_order, PC);                         \
		return expected;                                                                   \
	}

#define DEFINE_ATOMICS(bits, type)                                                                 \
	type model_atomic##bits##_load(const type *p, int order)                                   \
	{                                                                                          \
		model_access(p, sizeof(*p), ACCESS_LOAD, order, PC);                               \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                       \
	}                                                                                          \
	void model_atomic##bits##_store(type *p, type value, int order)                            \
	{                                                                                          \
		model_access(p, sizeof(*p), store_kind(order), order, PC);                         \
		__atomic_store_n(p, value, __ATOMIC_RELEASE);                                      \
	}                                                                                          \
	DEFINE_FETCH(bits, type, exchange, value)                                                  \
	DEFINE_FETCH(bits, type, fetch_add, old + value)                                           \
	DEFINE_FETCH(bits, type, fetch_sub, old - value)                                           \
	DEFINE_FETCH(bits, type, fetch_and, old & value)                                           \
	DEFINE_FETCH(bits, type, fetch_or, old | value)                                            \
	DEFINE_FETCH(bits, type, fetch_xor, old ^ value)                                           \
	DEFINE_FETCH(bits, type, fetch_nand, ~(old & value))                                       \
	DEFINE_CMPXCHG(bits, type)

DEFINE_ATOMICS(8, u8)
DEFINE_ATOMICS(16, u16)
DEFINE_ATOMICS(32, u32)
DEFINE_ATOMICS(64, u64)

/* Weaker fences are instructions of no cost on x86; here they matter to the race check alone. */
void
model_atomic_thread_fence(int order)
{
	if (!running_cpu)
		return;
	if (order == __ATOMIC_SEQ_CST)
		scheduler->fence(running_cpu);
	if (model.watched)
		watch_fence(order);
}

void
model_atomic_signal_fence(int order)
{
}

void
model_init(void)
{
}

void
model_func_entry(void *caller)
{
}

void
model_func_exit(void)
{
}
