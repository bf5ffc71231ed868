/*
 * xarray_find.c - iterating over an xarray, and the simple interface; see xarray.h
 *
 * Mirrors xas_find() and xas_find_marked() of lib/xarray.c. A reader's cursor
 * may rest in a node that leaves the tree meanwhile. It goes on from there: the
 * node lives as long as the reader's RCU section, and what it misses it would
 * have missed by being earlier.
 */
#include "pagecache/xarray.h"

/* Let xa_index be the first index of slot @offset. */
static void
xas_move_index(struct xa_state *xas, unsigned int offset)
{
	unsigned int shift = xas->xa_node->shift;

	xas->xa_index &= shift + XA_CHUNK_SHIFT >= 64 ? 0 : ~0ul << (shift + XA_CHUNK_SHIFT);
	xas->xa_index |= (unsigned long)offset << shift;
	xas->xa_offset = offset;
}

/* Up to the next slot to the right of the cursor. Return: false at the array's end. */
static bool
xas_step(struct xa_state *xas)
{
	while (xas->xa_node && xas->xa_offset == XA_CHUNK_MASK) {
		xas->xa_offset = xas->xa_node->offset;
		xas->xa_node = rcu_dereference(xas->xa_node->parent);
	}
	if (!xas->xa_node)
		return false;
	xas_move_index(xas, xas->xa_offset + 1);
	return true;
}

/* Whether the cursor's slot, or something below it, has @mark; every slot if there is none. */
static bool
slot_wanted(const struct xa_state *xas, xa_mark_t mark)
{
	return mark == XA_MAX_MARKS || xa_node_marked(xas->xa_node, xas->xa_offset, mark);
}

/* First wanted entry from the cursor's slot on. XA_MAX_MARKS wants them all. */
static void *
xas_scan(struct xa_state *xas, unsigned long max, xa_mark_t mark)
{
	while (xas->xa_index <= max) {
		void *entry = slot_wanted(xas, mark) ?
				      rcu_dereference(xas->xa_node->slots[xas->xa_offset]) :
				      NULL;

		if (xa_is_node(entry)) {
			xas->xa_node = xa_to_node(entry);
			xas_move_index(xas, 0);
			continue;
		}
		if (entry && !xa_is_sibling(entry))
			return entry;
		if (!xas_step(xas))
			break;
	}
	return xas_set_nowhere(xas, XAS_BOUNDS);
}

/* One entry, at index 0. */
static void *
xas_find_at_head(struct xa_state *xas, xa_mark_t mark)
{
	void *entry = xas->xa_index ? NULL : rcu_dereference(xas->xa->xa_head);

	if (!entry || (mark != XA_MAX_MARKS && !xa_marked(xas->xa, mark)))
		return xas_set_nowhere(xas, XAS_BOUNDS);
	xas->xa_node = NULL;
	return entry;
}

static void *
__xas_find(struct xa_state *xas, unsigned long max, xa_mark_t mark)
{
	void *head;
	void *entry;

	if (xas->xa_node == XAS_RESTART) {
		head = rcu_dereference(xas->xa->xa_head);
		if (!xa_is_node(head))
			return xas_find_at_head(xas, mark);
		entry = __xas_load(xas, head);
		if (!xas_in_node(xas))
			return NULL;
		/* A large entry that began before xa_index counts, too. */
		if (entry && slot_wanted(xas, mark) && xas->xa_index <= max)
			return entry;
	}
	if (!xas_in_node(xas) || !xas_step(xas))
		return xas_set_nowhere(xas, XAS_BOUNDS);
	return xas_scan(xas, max, mark);
}

void *
xas_find(struct xa_state *xas, unsigned long max)
{
	return __xas_find(xas, max, XA_MAX_MARKS);
}

void *
xas_find_marked(struct xa_state *xas, unsigned long max, xa_mark_t mark)
{
	return __xas_find(xas, max, mark);
}

/* --- the simple interface --- */

void *
xa_load(struct xarray *xa, unsigned long index)
{
	XA_STATE(xas, xa, index);
	void *entry;

	rcu_read_lock();
	do {
		entry = xas_load(&xas);
	} while (xas_retry(&xas, entry));
	rcu_read_unlock();
	return entry;
}

int
xa_store(struct xarray *xa, unsigned long index, unsigned int order, void *entry)
{
	XA_STATE_ORDER(xas, xa, index, order);

	xa_lock(xa);
	xas_store(&xas, entry);
	xa_unlock(xa);
	return xas_error(&xas);
}

void *
xa_erase(struct xarray *xa, unsigned long index)
{
	XA_STATE(xas, xa, index);
	void *old;

	xa_lock(xa);
	old = xas_store(&xas, NULL);
	xa_unlock(xa);
	return old;
}

void
xa_set_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	XA_STATE(xas, xa, index);

	xa_lock(xa);
	if (xas_load(&xas))
		xas_set_mark(&xas, mark);
	xa_unlock(xa);
}

void
xa_clear_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	XA_STATE(xas, xa, index);

	xa_lock(xa);
	if (xas_load(&xas))
		xas_clear_mark(&xas, mark);
	xa_unlock(xa);
}

bool
xa_get_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	XA_STATE(xas, xa, index);
	bool marked;

	rcu_read_lock();
	marked = xas_load(&xas) && xas_get_mark(&xas, mark);
	rcu_read_unlock();
	return marked;
}
