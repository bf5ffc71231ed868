/*
 * list.h - intrusive doubly linked circular lists
 *
 * The caller's lock protects every link it writes, the neighbours' included.
 */
#ifndef MACHINE_LIST_H
#define MACHINE_LIST_H

#include "machine/types.h"

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

#define LIST_HEAD_INIT(name)                                                                       \
	{                                                                                          \
		&(name), &(name)                                                                   \
	}

static __always_inline void
INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static __always_inline bool
list_empty(const struct list_head *head)
{
	return head->next == head;
}

static __always_inline void
__list_add(struct list_head *item, struct list_head *prev, struct list_head *next)
{
	next->prev = item;
	item->next = next;
	item->prev = prev;
	prev->next = item;
}

/* Insert @item right after @head: a stack. */
static __always_inline void
list_add(struct list_head *item, struct list_head *head)
{
	__list_add(item, head, head->next);
}

/* Insert @item right before @head: a queue. */
static __always_inline void
list_add_tail(struct list_head *item, struct list_head *head)
{
	__list_add(item, head->prev, head);
}

static __always_inline void
list_del(struct list_head *item)
{
	item->next->prev = item->prev;
	item->prev->next = item->next;
}

static __always_inline void
list_del_init(struct list_head *item)
{
	list_del(item);
	INIT_LIST_HEAD(item);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)

/* Whether a walk has come back to @head; there is no entry around that, so none is accessed. */
#define list_entry_is_head(pos, head, member)                                                      \
	((char *)(pos) + offsetof(__typeof__(*(pos)), member) == (char *)(head))
#define list_for_each_entry(pos, head, member)                                                     \
	for (pos = list_first_entry(head, __typeof__(*pos), member);                               \
	     !list_entry_is_head(pos, head, member);                                               \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

/* The body may unlink @pos, and only that. */
#define list_for_each_entry_safe(pos, tmp, head, member)                                           \
	for (pos = list_first_entry(head, __typeof__(*pos), member);                               \
	     !list_entry_is_head(pos, head, member) &&                                             \
	     (tmp = list_entry(pos->member.next, __typeof__(*pos), member), true);                 \
	     pos = tmp)

#endif
