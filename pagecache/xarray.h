/*
 * xarray.h - a sparse array of pointers: RCU readers, one writer at a time
 *
 * Models: include/linux/xarray.h. A tree of nodes with 64 slots; its height
 * grows and shrinks with the largest index in use. One entry at index 0 lives
 * in xa_head, without a node.
 *
 * Two interfaces, as in the kernel: xa_*() takes what lock it needs; xas_*()
 * works on a cursor on the caller's stack, under rcu_read_lock() for reading
 * and xa_lock() for writing.
 *
 * What a slot holds, by its low bits:
 *
 *   63 .......................................... 2 | 1  0
 *   0, or a pointer                                 | 0  0   an entry, or nothing
 *   a number of 63 bits                                  1   a value: an entry, too
 *   0 .. 63                                         | 1  0   sibling of that slot
 *   256                                             | 1  0   XA_RETRY_ENTRY
 *   a pointer, above 1024                           | 1  0   a node one level down
 *
 * A large folio of 2^k pages covers 2^k indices: its first slot holds the
 * pointer, the others siblings; from 64 pages on, slots of a higher node.
 *
 * Names: @xa the array, @xas the cursor, @index, @entry, @node, @offset of a
 * slot within its node, @shift: index bits below the node.
 *
 * Differences from Linux: no reserved (zero) entries, no allocating array, no
 * splitting: a store that overlaps a larger entry without covering it is a BUG.
 */
#ifndef PAGECACHE_XARRAY_H
#define PAGECACHE_XARRAY_H

#include "machine/bug.h"
#include "machine/list.h"
#include "machine/rcu.h"
#include "machine/spinlock.h"

#define XA_CHUNK_SHIFT 6
#define XA_CHUNK_SIZE (1ul << XA_CHUNK_SHIFT)
#define XA_CHUNK_MASK (XA_CHUNK_SIZE - 1)

/* Marks: one bit per entry, summed up in every node above it. */
typedef unsigned int xa_mark_t;
#define XA_MARK_0 0u
#define XA_MARK_1 1u
#define XA_MARK_2 2u
#define XA_MAX_MARKS 3u

struct xarray {
	spinlock_t xa_lock;	/* all writing below, and in every node */
	u32 xa_flags;		/* bit m: some entry has mark m */
	void *xa_head;		/* NULL, the entry at index 0, or a node */
};

struct xa_node {
	u8 shift;		/* constant */
	u8 offset;		/* slot in the parent; constant */
	u8 count;		/* slots in use; xa_lock */
	struct xa_node *parent;	/* NULL: the top; marked, readers climb it */
	u8 reserved_16[8];	/* array */
	struct rcu_head rcu_head;
	void *slots[XA_CHUNK_SIZE];
	unsigned long marks[XA_MAX_MARKS];
};

_Static_assert(sizeof(struct xa_node) == 576, "seven to a page in Linux");
_Static_assert(offsetof(struct xa_node, slots) == 40, "as in Linux");
_Static_assert(offsetof(struct xa_node, marks) == 552, "as in Linux");

/* --- entries --- */

static __always_inline bool
xa_is_value(const void *entry)
{
	return (unsigned long)entry & 1;
}

static __always_inline void *
xa_mk_value(unsigned long value)
{
	return (void *)(value << 1 | 1);
}

static __always_inline unsigned long
xa_to_value(const void *entry)
{
	return (unsigned long)entry >> 1;
}

static __always_inline bool
xa_is_internal(const void *entry)
{
	return ((unsigned long)entry & 3) == 2;
}

static __always_inline void *
xa_mk_internal(unsigned long value)
{
	return (void *)(value << 2 | 2);
}

/* The slot was emptied by a change of the tree's shape: start again. */
#define XA_RETRY_ENTRY xa_mk_internal(256)

static __always_inline bool
xa_is_sibling(const void *entry)
{
	return xa_is_internal(entry) && entry < xa_mk_internal(XA_CHUNK_SIZE);
}

static __always_inline unsigned int
xa_to_sibling(const void *entry)
{
	return (unsigned long)entry >> 2;
}

static __always_inline bool
xa_is_node(const void *entry)
{
	return xa_is_internal(entry) && (unsigned long)entry > 4096;
}

static __always_inline void *
xa_mk_node(const struct xa_node *node)
{
	return (void *)((unsigned long)node | 2);
}

static __always_inline struct xa_node *
xa_to_node(const void *entry)
{
	return (struct xa_node *)((unsigned long)entry - 2);
}

/* --- the cursor --- */

struct xa_state {
	struct xarray *xa;
	unsigned long xa_index;
	u8 xa_shift;		/* of the entry to store: order, down to a multiple of 6 */
	u8 xa_sibs;		/* slots that it covers beyond the first */
	u8 xa_offset;		/* where in xa_node the last entry was */
	struct xa_node *xa_node;	/* NULL: at xa_head; or one of the following */
};

#define XAS_BOUNDS ((struct xa_node *)1ul)	/* beyond the largest index */
#define XAS_RESTART ((struct xa_node *)3ul)	/* walk from the top */
#define XAS_NOMEM ((struct xa_node *)5ul)	/* a node could not be allocated */

#define XA_STATE_ORDER(name, array, index, order)                                                  \
	struct xa_state name = {                                                                   \
		.xa = (array),                                                                     \
		.xa_index = ((index) >> (order)) << (order),                                       \
		.xa_shift = (order) - (order) % XA_CHUNK_SHIFT,                                    \
		.xa_sibs = (1u << (order) % XA_CHUNK_SHIFT) - 1,                                   \
		.xa_node = XAS_RESTART,                                                            \
	}
#define XA_STATE(name, array, index) XA_STATE_ORDER(name, array, index, 0)

static __always_inline void
xas_reset(struct xa_state *xas)
{
	xas->xa_node = XAS_RESTART;
}

/* The cursor is at no slot, for the reason @why. Return: NULL, for callers to return. */
static __always_inline void *
xas_set_nowhere(struct xa_state *xas, struct xa_node *why)
{
	xas->xa_node = why;
	return NULL;
}

/* Continue at @index, from the top. */
static __always_inline void
xas_set(struct xa_state *xas, unsigned long index)
{
	xas->xa_index = index;
	xas->xa_node = XAS_RESTART;
}

/* Return: 0 or -ENOMEM, of the last store. */
int xas_error(const struct xa_state *xas);

/* True if the cursor is at a slot of a node (not at xa_head, nor nowhere). */
static __always_inline bool
xas_in_node(const struct xa_state *xas)
{
	return xas->xa_node && !((unsigned long)xas->xa_node & 1);
}

/*
 * Return: true if @entry means that the tree changed shape under the reader;
 * the cursor is reset and the caller loads again.
 */
static __always_inline bool
xas_retry(struct xa_state *xas, const void *entry)
{
	if (likely(entry != XA_RETRY_ENTRY))
		return false;
	xas_reset(xas);
	return true;
}

void *__xas_load(struct xa_state *xas, void *head);

/*
 * Walk to the entry that covers xa_index. Context: rcu_read_lock or xa_lock.
 * Return: the entry, NULL, or XA_RETRY_ENTRY (readers only).
 */
static __always_inline void *
xas_load(struct xa_state *xas)
{
	void *head = rcu_dereference(xas->xa->xa_head);

	if (xa_is_node(head)) {
		/* A copy: a cursor that is pointed to would not stay in registers. */
		struct xa_state walk = *xas;
		void *entry = __xas_load(&walk, head);

		*xas = walk;
		return entry;
	}
	xas->xa_node = xas->xa_index ? XAS_BOUNDS : NULL;
	return xas->xa_index ? NULL : head;
}

/*
 * Load the same slot once more, without walking: did it change meanwhile?
 * Context: as xas_load(), in the same RCU section. Acquire.
 */
static __always_inline void *
xas_reload(const struct xa_state *xas)
{
	const struct xa_node *node = xas->xa_node;
	void *entry;

	if (!node)
		return rcu_dereference(xas->xa->xa_head);
	entry = rcu_dereference(node->slots[xas->xa_index >> node->shift & XA_CHUNK_MASK]);
	if (xa_is_sibling(entry))
		entry = rcu_dereference(node->slots[xa_to_sibling(entry)]);
	return entry;
}

/* Return: the entry at the next index, NULL if there is none. Context: as xas_load(). */
static __always_inline void *
xas_next(struct xa_state *xas)
{
	const struct xa_node *node = xas->xa_node;
	void *entry;

	xas->xa_index++;
	if (xas_in_node(xas) && !node->shift && xas->xa_offset != XA_CHUNK_MASK) {
		entry = rcu_dereference(node->slots[xas->xa_offset + 1]);
		if (likely(!xa_is_internal(entry))) {
			xas->xa_offset++;
			return entry;
		}
	}
	return xas_load(xas);
}

/*
 * The next entry from xa_index on (from behind the last one found, after the
 * first call), up to @max. Context: as xas_load().
 * Return: the entry, with xa_index where it was met, or NULL when there is no more.
 */
void *xas_find(struct xa_state *xas, unsigned long max);

/* The same among the entries with @mark. */
void *xas_find_marked(struct xa_state *xas, unsigned long max, xa_mark_t mark);

/* @entry runs over all entries up to @max; start at xas.xa_index. */
#define xas_for_each(xas, entry, max)                                                              \
	for (entry = xas_find(xas, max); entry; entry = xas_find(xas, max))

/*
 * Store @entry where the cursor says, or empty the whole entry there (NULL).
 * Marks survive the replacement by an entry of the same size, and nothing else.
 * Context: xa_lock held; never sleeps.
 * Return: what was at the first index; xas_error() says whether it worked.
 */
void *xas_store(struct xa_state *xas, void *entry);

/* Marks of the entry that the cursor is at. Context: xa_lock held. */
void xas_set_mark(struct xa_state *xas, xa_mark_t mark);
void xas_clear_mark(struct xa_state *xas, xa_mark_t mark);
bool xas_get_mark(const struct xa_state *xas, xa_mark_t mark);

/* --- the simple interface --- */

static __always_inline void
xa_init(struct xarray *xa)
{
	spin_lock_init(&xa->xa_lock);
	xa->xa_flags = 0;
	xa->xa_head = NULL;
}

#define xa_lock(xa) spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa) spin_unlock(&(xa)->xa_lock)

static __always_inline bool
xa_empty(const struct xarray *xa)
{
	return !READ_ONCE(xa->xa_head);
}

/* Whether slot @offset of @node, or something below it, has @mark. */
static __always_inline bool
xa_node_marked(const struct xa_node *node, unsigned int offset, xa_mark_t mark)
{
	return READ_ONCE(node->marks[mark]) & BIT(offset);
}

static __always_inline bool
xa_marked(const struct xarray *xa, xa_mark_t mark)
{
	return READ_ONCE(xa->xa_flags) & BIT(mark);
}

/* Context: any; takes rcu_read_lock. */
void *xa_load(struct xarray *xa, unsigned long index);

/* Context: any; takes xa_lock. Return: 0 or -ENOMEM. */
int __must_check xa_store(struct xarray *xa, unsigned long index, unsigned int order, void *entry);

/* Context: any; takes xa_lock. Return: the entry that covered @index, all of it gone now. */
void *xa_erase(struct xarray *xa, unsigned long index);

/* Context: any; takes xa_lock. An absent entry is left alone. */
void xa_set_mark(struct xarray *xa, unsigned long index, xa_mark_t mark);
void xa_clear_mark(struct xarray *xa, unsigned long index, xa_mark_t mark);
bool xa_get_mark(struct xarray *xa, unsigned long index, xa_mark_t mark);

#endif
