/*
 * hlist.h - doubly linked lists with a head of one pointer
 *
 * A node knows where the pointer to it lies, so it can leave without its list.
 * The caller's lock protects every link it writes.
 */
#ifndef MACHINE_HLIST_H
#define MACHINE_HLIST_H

#include "machine/types.h"

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;	/* the pointer to this node; NULL: on no list */
};

struct hlist_head {
	struct hlist_node *first;
};

static __always_inline bool
hlist_unhashed(const struct hlist_node *node)
{
	return !node->pprev;
}

static __always_inline bool
hlist_empty(const struct hlist_head *head)
{
	return !head->first;
}

static __always_inline void
hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	if (head->first)
		head->first->pprev = &node->next;
	head->first = node;
	node->pprev = &head->first;
}

static __always_inline void
hlist_del_init(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	node->pprev = NULL;
}

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_entry_safe(ptr, type, member)                                                        \
	({                                                                                         \
		__typeof__(ptr) _node = (ptr);                                                     \
		_node ? hlist_entry(_node, type, member) : NULL;                                   \
	})
#define hlist_for_each_entry(pos, head, member)                                                    \
	for (pos = hlist_entry_safe((head)->first, __typeof__(*pos), member); pos;                 \
	     pos = hlist_entry_safe(pos->member.next, __typeof__(*pos), member))

#endif
