/*
 * list_bl.h - hash chains whose lock is a bit of their head
 *
 * Mirrors include/linux/list_bl.h. Bit 0 of the head is a bit_spinlock; it
 * guards every link of the chain. Readers under RCU take no lock: links that
 * they follow are stored by hlist_bl_add_head_rcu() and hlist_bl_del_rcu(), and
 * a node that was taken out keeps its next pointer until a grace period later.
 */
#ifndef MACHINE_LIST_BL_H
#define MACHINE_LIST_BL_H

#include "machine/bit_spinlock.h"

struct hlist_bl_node {
	struct hlist_bl_node *next;	/* stores: the chain's lock; loads: RCU */
	struct hlist_bl_node **pprev;	/* NULL: on no chain; the chain's lock, loads marked */
};

struct hlist_bl_head {
	unsigned long first;		/* address of the first node; bit 0: locked */
};

#define HLIST_BL_LOCKED 1ul

/* Acquire; pairs with the release in hlist_bl_unlock(). */
static __always_inline void
hlist_bl_lock(struct hlist_bl_head *head)
{
	bit_spin_lock(0, &head->first);
}

static __always_inline void
hlist_bl_unlock(struct hlist_bl_head *head)
{
	bit_spin_unlock(0, &head->first);
}

/* The first node. Context: RCU, or the chain's lock held. */
static __always_inline struct hlist_bl_node *
hlist_bl_first_rcu(const struct hlist_bl_head *head)
{
	return (struct hlist_bl_node *)(rcu_dereference(head->first) & ~HLIST_BL_LOCKED);
}

static __always_inline bool
hlist_bl_unhashed(const struct hlist_bl_node *node)
{
	return !READ_ONCE(node->pprev);
}

/* Context: the chain's lock held. The release publishes the node's object. */
static __always_inline void
hlist_bl_add_head_rcu(struct hlist_bl_node *node, struct hlist_bl_head *head)
{
	struct hlist_bl_node *first = hlist_bl_first_rcu(head);

	WRITE_ONCE(node->next, first);
	if (first)
		WRITE_ONCE(first->pprev, &node->next);
	WRITE_ONCE(node->pprev, (struct hlist_bl_node **)&head->first);
	smp_store_release(&head->first, (unsigned long)node | HLIST_BL_LOCKED);
}

/* Context: the chain's lock held, @node is on the chain. Readers may still stand on it. */
static __always_inline void
hlist_bl_del_rcu(struct hlist_bl_node *node, struct hlist_bl_head *head)
{
	struct hlist_bl_node **pprev = READ_ONCE(node->pprev);
	struct hlist_bl_node *next = rcu_dereference(node->next);

	if (pprev == (struct hlist_bl_node **)&head->first)
		smp_store_release(&head->first, (unsigned long)next | HLIST_BL_LOCKED);
	else
		smp_store_release(pprev, next);
	if (next)
		WRITE_ONCE(next->pprev, pprev);
	WRITE_ONCE(node->pprev, NULL);
}

#define hlist_bl_next_rcu(node) rcu_dereference((node)->next)
#define hlist_bl_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_bl_for_each_entry_rcu(pos, node, head, member)                                       \
	for (node = hlist_bl_first_rcu(head);                                                      \
	     node && (pos = hlist_bl_entry(node, __typeof__(*pos), member), true);                 \
	     node = hlist_bl_next_rcu(node))

#endif
