/*
 * race.c - vector clocks over every access (see race.h)
 *
 * After FastTrack (Flanagan and Freund, PLDI 2009) and the C11 edges as in
 * ThreadSanitizer, but exact: a cell keeps one entry per CPU and kind instead
 * of the last few. Nothing here depends on addresses of this process.
 *
 * Glossary
 *   clock   a CPU's own count of releases; an access carries its CPU's clock
 *   vector  per CPU: the latest clock of every CPU that it knows of
 *   cell    the accesses to one granule of eight bytes that may still race
 *   sync    the vector that a word of four bytes hands to whoever acquires it
 */
#include "machine/virtual/race.h"

#include <string.h>

#include "machine/bug.h"
#include "machine/names.h"
#include "machine/virtual/lines.h"

#define GRANULE 8
#define SYNC_WORD 4

struct entry {
	u32 next;		/* in the cell, or in the free list; 0 ends it */
	u32 clock;
	u16 cpu;
	u8 kind;		/* enum race_kind */
	u8 mask;		/* bytes of the granule */
	const void *pc;
};

/* One pool: entries are numbered from 1, so that 0 can mean none. */
struct pool {
	char *memory;
	size_t item;		/* bytes */
	u32 used;
	u32 limit;
};

static struct {
	const char *arena_base;
	size_t arena_size;
	int cpus;
	u32 *cells;		/* per granule: first entry; EXEMPT: not looked at */
	u32 *syncs;		/* per word: number of its vector in sync_pool */
	struct pool entries;
	u32 free_entry;
	struct pool sync_pool;
	u32 *vector;		/* cpus x cpus */
	u32 *fence_release;	/* cpus x cpus: the vector at the last release fence */
	u32 *pending_acquire;	/* cpus x cpus: what relaxed loads saw, for a fence to take */
	u32 *grace;		/* what the quiescent CPUs handed over */
	u32 *grace_start;	/* what the waiters knew as the grace period began */
	u32 *grace_due;		/* cpus x cpus: what a waiter takes over once it goes on */
} race;

#define EXEMPT 0xffffffffu

static u32 *
vector_of(u32 *matrix, int cpu)
{
	return matrix + (size_t)cpu * race.cpus;
}

static void
join(u32 *to, const u32 *from)
{
	for (int i = 0; i < race.cpus; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

static void
pool_init(struct pool *pool, size_t item, u32 limit)
{
	*pool = (struct pool){ .item = item, .used = 1, .limit = limit };
	pool->memory = model_map(item * limit);
}

static void
pool_free(struct pool *pool)
{
	model_unmap(pool->memory, pool->item * pool->limit);
}

static void *
pool_item(const struct pool *pool, u32 number)
{
	return pool->memory + pool->item * number;
}

static u32
pool_take(struct pool *pool)
{
	if (pool->used == pool->limit)
		runtime_panic(VERDICT_FAILED, NULL, NULL, "--races: more state than %u items",
			      pool->limit);
	return pool->used++;
}

static size_t
row_bytes(void)
{
	return (size_t)race.cpus * sizeof(u32);
}

static size_t
matrix_bytes(void)
{
	return (size_t)race.cpus * row_bytes();
}

static size_t
cells_bytes(void)
{
	return race.arena_size / GRANULE * sizeof(u32);
}

static size_t
syncs_bytes(void)
{
	return race.arena_size / SYNC_WORD * sizeof(u32);
}

void
race_boot(int nr_cpus, const void *arena_base, size_t arena_size)
{
	race.arena_base = arena_base;
	race.arena_size = arena_size;
	race.cpus = nr_cpus;
	race.free_entry = 0;
	race.cells = model_map(cells_bytes());
	race.syncs = model_map(syncs_bytes());
	race.vector = model_map(matrix_bytes());
	race.fence_release = model_map(matrix_bytes());
	race.pending_acquire = model_map(matrix_bytes());
	race.grace = model_map(row_bytes());
	race.grace_start = model_map(row_bytes());
	race.grace_due = model_map(matrix_bytes());
	pool_init(&race.entries, sizeof(struct entry), 1u << 28);
	pool_init(&race.sync_pool, row_bytes(), 1u << 22);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		vector_of(race.vector, cpu)[cpu] = 1;
}

void
race_shutdown(void)
{
	model_unmap(race.cells, cells_bytes());
	model_unmap(race.syncs, syncs_bytes());
	model_unmap(race.vector, matrix_bytes());
	model_unmap(race.fence_release, matrix_bytes());
	model_unmap(race.pending_acquire, matrix_bytes());
	model_unmap(race.grace, row_bytes());
	model_unmap(race.grace_start, row_bytes());
	model_unmap(race.grace_due, matrix_bytes());
	pool_free(&race.entries);
	pool_free(&race.sync_pool);
	memset(&race, 0, sizeof(race));
}

/* --- accesses --------------------------------------------------------- */

static bool
is_write(u8 kind)
{
	return kind == RACE_PLAIN_WRITE || kind == RACE_ATOMIC_WRITE || kind == RACE_ATOMIC_RMW;
}

static bool
is_atomic(u8 kind)
{
	return kind >= RACE_ATOMIC_READ;
}

static const char *
kind_name(u8 kind)
{
	static const char *const names[] = { "plain read", "plain write", "atomic read",
					     "atomic write", "atomic read-modify-write" };

	return names[kind];
}

__attribute__((noreturn, cold)) static void
report(const struct entry *old, const struct race_access *access)
{
	struct object_name object = { .name = "arena" };
	const char *address = race.arena_base + access->offset;

	modelled_size = 0; /* namers look at objects, and may not race with them once more */
	if (!name_of(address, &object) || !object.start)
		object.start = race.arena_base;
	runtime_panic(VERDICT_BUG, old->pc, access->pc,
		      "data race on %s +%td: %s by CPU %d and %s by CPU %d", object.name,
		      address - (const char *)object.start, kind_name(old->kind), old->cpu,
		      kind_name(access->kind), access->cpu);
}

/*
 * Whoever would race with @old would race with the new access as well, so @old
 * need not be kept. Only asked when @old is ordered before the new access.
 */
static bool
supersedes(const struct race_access *access, u8 mask, const struct entry *old)
{
	return !(old->mask & ~mask) && (is_write(access->kind) || !is_write(old->kind)) &&
	       (!is_atomic(access->kind) || is_atomic(old->kind));
}

static void
entry_add(u32 *cell, const struct race_access *access, u8 mask)
{
	u32 number = race.free_entry;
	struct entry *entry;

	if (number)
		race.free_entry = ((struct entry *)pool_item(&race.entries, number))->next;
	else
		number = pool_take(&race.entries);
	entry = pool_item(&race.entries, number);
	*entry = (struct entry){ .next = *cell,
				 .clock = vector_of(race.vector, access->cpu)[access->cpu],
				 .cpu = access->cpu,
				 .kind = access->kind,
				 .mask = mask,
				 .pc = access->pc };
	*cell = number;
}

static void
entry_drop(u32 *link, struct entry *entry)
{
	u32 number = *link;

	*link = entry->next;
	entry->next = race.free_entry;
	race.free_entry = number;
}

static void
check_granule(u32 *cell, const struct race_access *access, u8 mask)
{
	const u32 *known = vector_of(race.vector, access->cpu);
	u32 *link = cell;

	if (*cell == EXEMPT)
		return;
	while (*link) {
		struct entry *old = pool_item(&race.entries, *link);
		bool ordered = old->cpu == access->cpu || old->clock <= known[old->cpu];

		if (!ordered && (old->mask & mask) &&
		    (is_write(old->kind) || is_write(access->kind)) &&
		    !(is_atomic(old->kind) && is_atomic(access->kind)))
			report(old, access);
		if (ordered && supersedes(access, mask, old))
			entry_drop(link, old);
		else
			link = &old->next;
	}
	entry_add(cell, access, mask);
}

static void
check_cells(const struct race_access *access)
{
	u64 at = access->offset;
	u64 end = at + access->size;

	while (at < end) {
		unsigned int first = at % GRANULE;
		unsigned int bytes = min((u64)(GRANULE - first), end - at);

		check_granule(&race.cells[at / GRANULE], access, ((1u << bytes) - 1) << first);
		at += bytes;
	}
}

/* --- edges ------------------------------------------------------------ */

static bool
order_acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
	       order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool
order_releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void
sync_acquire(u32 sync, const struct race_access *access)
{
	if (!sync)
		return;
	join(vector_of(order_acquires(access->order) ? race.vector : race.pending_acquire,
		       access->cpu),
	     pool_item(&race.sync_pool, sync));
}

/*
 * A release hands over the CPU's vector, a relaxed store the vector of its last
 * release fence. A store of the whole word starts anew; a read-modify-write, or
 * a store to a part of it (the locked byte of a spinlock), continues the
 * release sequence.
 */
static void
sync_release(u32 *sync, const struct race_access *access, bool whole)
{
	u32 *matrix = order_releases(access->order) ? race.vector : race.fence_release;
	const u32 *from = vector_of(matrix, access->cpu);
	u32 *to;

	if (!*sync)
		*sync = pool_take(&race.sync_pool);
	to = pool_item(&race.sync_pool, *sync);
	if (whole && access->kind == RACE_ATOMIC_WRITE)
		memcpy(to, from, race.cpus * sizeof(u32));
	else
		join(to, from);
}

static void
sync_words(const struct race_access *access)
{
	u64 first = access->offset / SYNC_WORD;
	u64 last = (access->offset + access->size - 1) / SYNC_WORD;

	for (u64 word = first; word <= last; word++) {
		if (access->kind != RACE_ATOMIC_WRITE)
			sync_acquire(race.syncs[word], access);
		if (access->kind != RACE_ATOMIC_READ)
			sync_release(&race.syncs[word], access, access->size >= SYNC_WORD);
	}
	if (access->kind != RACE_ATOMIC_READ)
		vector_of(race.vector, access->cpu)[access->cpu]++;
}

void
race_check(const struct race_access *access)
{
	check_cells(access);
	if (is_atomic(access->kind))
		sync_words(access);
}

void
race_fence(int cpu, int order)
{
	u32 *vector = vector_of(race.vector, cpu);

	if (order_acquires(order))
		join(vector, vector_of(race.pending_acquire, cpu));
	if (order_releases(order)) {
		memcpy(vector_of(race.fence_release, cpu), vector, race.cpus * sizeof(u32));
		vector[cpu]++;
	}
}

void
race_edge(int from, int to)
{
	if (from == to)
		return;
	join(vector_of(race.vector, to), vector_of(race.vector, from));
	vector_of(race.vector, from)[from]++;
}

void
race_grace_begin(void)
{
	memset(race.grace, 0, row_bytes());
	memset(race.grace_start, 0, row_bytes());
}

void
race_grace_wait(int cpu)
{
	u32 *vector = vector_of(race.vector, cpu);

	join(race.grace_start, vector);
	vector[cpu]++;
}

void
race_grace_quiescent(int cpu)
{
	u32 *vector = vector_of(race.vector, cpu);

	join(race.grace, vector);
	vector[cpu]++;
	join(vector, race.grace_start);
}

void
race_grace_over(int cpu)
{
	join(vector_of(race.grace_due, cpu), race.grace);
}

void
race_grace_end(int cpu)
{
	join(vector_of(race.vector, cpu), vector_of(race.grace_due, cpu));
}

/* --- memory ----------------------------------------------------------- */

static void
cells_reset(u64 offset, size_t size, u32 value)
{
	for (u64 granule = offset / GRANULE; granule < (offset + size) / GRANULE; granule++) {
		u32 *cell = &race.cells[granule];

		while (*cell && *cell != EXEMPT)
			entry_drop(cell, pool_item(&race.entries, *cell));
		*cell = value;
	}
}

void
race_forget(u64 offset, size_t size)
{
	cells_reset(offset, size, 0);
	memset(&race.syncs[offset / SYNC_WORD], 0, size / SYNC_WORD * sizeof(u32));
}

void
race_exempt(u64 offset, size_t size)
{
	cells_reset(offset, size, EXEMPT);
}
