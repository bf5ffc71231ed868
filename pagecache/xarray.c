/*
 * xarray.c - see xarray.h
 *
 * Mirrors lib/xarray.c: walking, storing, and the tree's shape. Start reading at
 * __xas_load(), then xas_store(). Iteration is in xarray_find.c.
 *
 * What readers rely on:
 *  - a node is complete before a release store makes it reachable, and lives
 *    until a grace period after it is not;
 *  - a node that leaves the tree with an entry still in it has that slot set to
 *    XA_RETRY_ENTRY first, so nobody mistakes an orphan's slot for the array's;
 *  - while a large entry is being stored or emptied, a reader may resolve a
 *    sibling to a slot that holds something else by then. Its second look,
 *    xas_reload(), starts from its own index and notices.
 *
 * Lock order: xa_lock is a leaf but for the slab's own locks.
 */
#include "pagecache/xarray.h"

#include <errno.h>
#include <string.h>

#include "machine/bitops.h"
#include "machine/kernel.h"
#include "machine/slab.h"
#include "pagecache/pagecache.h"

static unsigned int
get_offset(unsigned long index, const struct xa_node *node)
{
	return index >> node->shift & XA_CHUNK_MASK;
}

/* Largest index below @node. */
static unsigned long
max_index(const struct xa_node *node)
{
	return node->shift + XA_CHUNK_SHIFT >= 64 ? ~0ul :
						    BIT(node->shift + XA_CHUNK_SHIFT) - 1;
}

/*
 * Largest index that the tree must have room for. Only an entry of one index may
 * lie in xa_head, so one that would fill the whole tree asks for an index more,
 * and gets a node above it.
 */
static unsigned long
xas_max(const struct xa_state *xas)
{
	unsigned long mask = ((xas->xa_sibs + 1ul) << xas->xa_shift) - 1;
	unsigned long max = xas->xa_index | mask;

	return mask && max == mask ? max + 1 : max;
}

int
xas_error(const struct xa_state *xas)
{
	return xas->xa_node == XAS_NOMEM ? -ENOMEM : 0;
}

/* --- loading --- */

/*
 * Go to the slot of @node that covers xa_index; a sibling leads to its first slot.
 * That may be a sibling again by now, of an entry that is larger still:
 *
 *   reader of index 5                  writer
 *   loads slot 5: sibling of 4
 *                                      erases 4 .. 7, stores 0 .. 7
 *   loads slot 4: sibling of 0
 *   loads slot 0: the new entry
 */
static void *
xas_descend(struct xa_state *xas, struct xa_node *node)
{
	unsigned int offset = get_offset(xas->xa_index, node);
	void *entry = rcu_dereference(node->slots[offset]);

	while (xa_is_sibling(entry)) {
		offset = xa_to_sibling(entry);
		entry = rcu_dereference(node->slots[offset]);
		/* The large entry went and smaller ones came: not what covers us. */
		if (xa_is_node(entry))
			entry = XA_RETRY_ENTRY;
	}
	xas->xa_node = node;
	xas->xa_offset = offset;
	return entry;
}

/* Out of line half of xas_load(): @head is a node. */
void *
__xas_load(struct xa_state *xas, void *head)
{
	struct xa_node *node = xa_to_node(head);
	void *entry;

	if (xas->xa_index > max_index(node))
		return xas_set_nowhere(xas, XAS_BOUNDS);
	for (;;) {
		entry = xas_descend(xas, node);
		if (likely(!xa_is_node(entry)))
			return entry;
		node = xa_to_node(entry);
	}
}

/* --- growing --- */

static struct xa_node *
xas_alloc(struct xa_state *xas, struct xa_node *parent, unsigned int shift, unsigned int offset)
{
	struct xa_node *node = kmem_cache_alloc(kernel.pagecache->xa_node_cache);

	if (!node) {
		xas_set_nowhere(xas, XAS_NOMEM);
		return NULL;
	}
	node->shift = shift;
	node->offset = offset;
	node->count = 0;
	node->parent = parent;
	memset(node->slots, 0, sizeof(node->slots));
	memset(node->marks, 0, sizeof(node->marks));
	return node;
}

/* Put a node above the present head, which stays reachable all the time. */
static struct xa_node *
xas_add_level(struct xa_state *xas, void *head, unsigned int shift)
{
	struct xarray *xa = xas->xa;
	struct xa_node *node = xas_alloc(xas, NULL, shift, 0);

	if (!node)
		return NULL;
	node->count = 1;
	node->slots[0] = head;
	for (xa_mark_t mark = 0; mark < XA_MAX_MARKS; mark++) {
		if (xa->xa_flags & BIT(mark))
			node->marks[mark] = 1;
	}
	if (xa_is_node(head))
		rcu_assign_pointer(xa_to_node(head)->parent, node);
	rcu_assign_pointer(xa->xa_head, xa_mk_node(node));
	return node;
}

/*
 * Make the tree tall enough for the cursor's entry.
 * Return: index bits below the head, or -1 without memory.
 */
static int
xas_expand(struct xa_state *xas)
{
	void *head = xas->xa->xa_head;
	unsigned long max = xas_max(xas);
	unsigned int shift = 0;

	if (!head) {
		/* Index bits the tree will need; only index 0 can do without a node. */
		while (shift < 64 && max >> shift)
			shift += XA_CHUNK_SHIFT;
		return shift;
	}
	if (xa_is_node(head))
		shift = xa_to_node(head)->shift + XA_CHUNK_SHIFT;
	while (shift < 64 && max >> shift) {
		struct xa_node *node = xas_add_level(xas, head, shift);

		if (!node)
			return -1;
		head = xas->xa->xa_head;
		shift += XA_CHUNK_SHIFT;
	}
	return shift;
}

/* --- shrinking --- */

static void
xa_node_free_rcu(struct rcu_head *head)
{
	kmem_cache_free(kernel.pagecache->xa_node_cache,
			container_of(head, struct xa_node, rcu_head));
}

/* A tree whose only entry is in slot 0 needs no top node. */
static void
xas_shrink(struct xarray *xa)
{
	for (;;) {
		struct xa_node *node = xa_to_node(xa->xa_head);
		void *entry;

		if (!xa_is_node(xa->xa_head) || node->count != 1)
			return;
		entry = node->slots[0];
		if (!entry || (!xa_is_node(entry) && node->shift))
			return;
		rcu_assign_pointer(xa->xa_head, entry);
		if (xa_is_node(entry))
			rcu_assign_pointer(xa_to_node(entry)->parent, NULL);
		else
			rcu_assign_pointer(node->slots[0], XA_RETRY_ENTRY);
		call_rcu(&node->rcu_head, xa_node_free_rcu);
	}
}

/* Free @node and every empty node above it, then flatten what is left. */
static void
xas_delete_node(struct xa_state *xas)
{
	struct xa_node *node = xas->xa_node;

	while (node && !node->count) {
		struct xa_node *parent = node->parent;

		if (parent) {
			parent->count--;
			rcu_assign_pointer(parent->slots[node->offset], NULL);
		} else {
			rcu_assign_pointer(xas->xa->xa_head, NULL);
		}
		call_rcu(&node->rcu_head, xa_node_free_rcu);
		node = parent;
	}
	xas_shrink(xas->xa);
	xas_reset(xas);
}

/* Take back what was added before memory ran out; @node may be empty. */
static void *
xas_undo_create(struct xa_state *xas, struct xa_node *node)
{
	xas->xa_node = node;
	xas_delete_node(xas);
	return xas_set_nowhere(xas, XAS_NOMEM);
}

/*
 * Walk to the slot for the cursor's entry and make the nodes on the way.
 * Return: what is in the slot; with xas_error() set, nothing.
 */
static void *
xas_create(struct xa_state *xas)
{
	int shift = xas_expand(xas);
	void **slot = &xas->xa->xa_head;
	struct xa_node *node = NULL;
	void *entry;

	if (shift < 0)
		return xas_undo_create(xas, NULL);
	entry = *slot;
	xas->xa_node = NULL;
	xas->xa_offset = 0;
	while (shift > xas->xa_shift) {
		shift -= XA_CHUNK_SHIFT;
		if (!entry) {
			struct xa_node *parent = node;

			node = xas_alloc(xas, parent, shift, xas->xa_offset);
			if (!node)
				return xas_undo_create(xas, parent);
			if (parent)
				parent->count++;
			rcu_assign_pointer(*slot, xa_mk_node(node));
		} else {
			BUG_ON(!xa_is_node(entry), "index %lu is inside a larger entry",
			       xas->xa_index);
			node = xa_to_node(entry);
		}
		xas->xa_offset = get_offset(xas->xa_index, node);
		xas->xa_node = node;
		slot = &node->slots[xas->xa_offset];
		entry = *slot;
	}
	return entry;
}

/* Free the nodes below @top, which a large entry has replaced, and @top itself. */
static void
xas_free_nodes(struct xa_node *top)
{
	struct xa_node *node = top;
	unsigned int offset = 0;

	for (;;) {
		void *entry = node->slots[offset];

		if (xa_is_node(entry)) {
			node = xa_to_node(entry);
			offset = 0;
			continue;
		}
		if (entry)
			rcu_assign_pointer(node->slots[offset], XA_RETRY_ENTRY);
		while (++offset == XA_CHUNK_SIZE) {
			struct xa_node *parent = node == top ? NULL : node->parent;

			offset = node->offset;
			call_rcu(&node->rcu_head, xa_node_free_rcu);
			if (!parent)
				return;
			node = parent;
		}
	}
}

/* --- marks --- */

/* Summaries above: the first node that has the bit set has it set upwards, too. */
void
xas_set_mark(struct xa_state *xas, xa_mark_t mark)
{
	struct xa_node *node = xas->xa_node;
	unsigned int offset = xas->xa_offset;

	if (!xas_in_node(xas) && node)
		return;
	while (node) {
		if (xa_node_marked(node, offset, mark))
			return;
		WRITE_ONCE(node->marks[mark], node->marks[mark] | BIT(offset));
		offset = node->offset;
		node = node->parent;
	}
	WRITE_ONCE(xas->xa->xa_flags, xas->xa->xa_flags | BIT(mark));
}

/* Upwards until a node in which another slot has the mark. */
void
xas_clear_mark(struct xa_state *xas, xa_mark_t mark)
{
	struct xa_node *node = xas->xa_node;
	unsigned int offset = xas->xa_offset;

	if (!xas_in_node(xas) && node)
		return;
	while (node) {
		if (!xa_node_marked(node, offset, mark))
			return;
		WRITE_ONCE(node->marks[mark], node->marks[mark] & ~BIT(offset));
		if (node->marks[mark])
			return;
		offset = node->offset;
		node = node->parent;
	}
	WRITE_ONCE(xas->xa->xa_flags, xas->xa->xa_flags & ~BIT(mark));
}

bool
xas_get_mark(const struct xa_state *xas, xa_mark_t mark)
{
	if (xas_in_node(xas))
		return xa_node_marked(xas->xa_node, xas->xa_offset, mark);
	return !xas->xa_node && xa_marked(xas->xa, mark);
}

static void
xas_clear_marks(struct xa_state *xas)
{
	for (xa_mark_t mark = 0; mark < XA_MAX_MARKS; mark++)
		xas_clear_mark(xas, mark);
}

/* --- storing --- */

/* Slots of the entry at the cursor beyond the first. */
static unsigned int
count_siblings(const struct xa_node *node, unsigned int offset)
{
	unsigned int n = 0;

	while (offset + n + 1 < XA_CHUNK_SIZE &&
	       node->slots[offset + n + 1] == xa_mk_internal(offset))
		n++;
	return n;
}

/* An entry may replace others, but must not cut one in two. */
static void
check_overlap(const struct xa_state *xas)
{
	const struct xa_node *node = xas->xa_node;
	unsigned int end = xas->xa_offset + xas->xa_sibs + 1;
	const void *behind = end < XA_CHUNK_SIZE ? node->slots[end] : NULL;

	BUG_ON(xa_is_sibling(node->slots[xas->xa_offset]), "index %lu is inside a larger entry",
	       xas->xa_index);
	BUG_ON(xa_is_sibling(behind) && xa_to_sibling(behind) < end,
	       "entry at %lu would cut a larger one", xas->xa_index);
}

/* Empty the cursor's entry, all its slots. */
static void
xas_erase_entry(struct xa_state *xas)
{
	struct xa_node *node = xas->xa_node;
	unsigned int sibs;

	xas_clear_marks(xas);
	if (!node) {
		rcu_assign_pointer(xas->xa->xa_head, NULL);
		return;
	}
	sibs = count_siblings(node, xas->xa_offset);
	for (unsigned int i = 0; i <= sibs; i++)
		rcu_assign_pointer(node->slots[xas->xa_offset + i], NULL);
	node->count -= sibs + 1;
	if (!node->count || node->count == 1)
		xas_delete_node(xas);
}

/*
 * Fill the cursor's slots: the entry first, then its siblings. Marks stay if an
 * entry of the same size is replaced; siblings carry none.
 */
static void
xas_fill(struct xa_state *xas, void *entry)
{
	struct xa_node *node = xas->xa_node;
	unsigned int first = xas->xa_offset;
	bool same;

	check_overlap(xas);
	same = !xa_is_node(node->slots[first]) && count_siblings(node, first) == xas->xa_sibs;
	for (unsigned int i = 0; i <= xas->xa_sibs; i++) {
		void **slot = &node->slots[first + i];
		void *old = *slot;

		xas->xa_offset = first + i;
		if (old && !same)
			xas_clear_marks(xas);
		rcu_assign_pointer(*slot, i ? xa_mk_internal(first) : entry);
		if (!old)
			node->count++;
		else if (xa_is_node(old))
			xas_free_nodes(xa_to_node(old));
	}
	xas->xa_offset = first;
}

void *
xas_store(struct xa_state *xas, void *entry)
{
	void *old = entry ? xas_create(xas) : xas_load(xas);

	if (!entry) {
		if (old)
			xas_erase_entry(xas);
		return old;
	}
	if (xas_error(xas))
		return NULL;
	if (xas->xa_node)
		xas_fill(xas, entry);
	else
		rcu_assign_pointer(xas->xa->xa_head, entry);
	return xa_is_node(old) ? NULL : old;
}
