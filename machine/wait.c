/*
 * wait.c - wait queues
 *
 * Models kernel/sched/wait.c. An entry belongs to the sleeper's stack, and a
 * waker must not touch it once the sleeper may have left. Both the links and
 * the flags are written under the queue's lock; the sleeper learns without the
 * lock that it is off the queue from WQ_FLAG_WOKEN:
 *
 *   waker, lock held                 sleeper
 *   wake_up_process()
 *   list_del_init()                  finish_wait():
 *   flags |= WOKEN (release)           flags & WOKEN (acquire): off the queue
 *                                      otherwise: take the lock, unlink
 */
#include "machine/wait.h"

void
init_waitqueue_head(struct wait_queue_head *queue)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->head);
}

/* Wake the entry's task and take it off the queue. Nothing may touch the entry after. */
static int
autoremove_wake_function(struct wait_queue_entry *entry, void *key)
{
	unsigned int flags = READ_ONCE(entry->flags);

	if (!wake_up_process(entry->task))
		return 0;
	list_del_init(&entry->entry);
	smp_store_release(&entry->flags, flags | WQ_FLAG_WOKEN);
	return 1;
}

void
init_wait(struct wait_queue_entry *entry)
{
	entry->flags = 0;
	entry->task = current;
	entry->func = autoremove_wake_function;
	INIT_LIST_HEAD(&entry->entry);
}

void
prepare_to_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	spin_lock(&queue->lock);
	WRITE_ONCE(entry->flags, 0);
	if (list_empty(&entry->entry))
		list_add(&entry->entry, &queue->head);
	set_current_state(TASK_UNINTERRUPTIBLE);
	spin_unlock(&queue->lock);
}

void
prepare_to_wait_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	spin_lock(&queue->lock);
	WRITE_ONCE(entry->flags, WQ_FLAG_EXCLUSIVE);
	if (list_empty(&entry->entry))
		list_add_tail(&entry->entry, &queue->head);
	set_current_state(TASK_UNINTERRUPTIBLE);
	spin_unlock(&queue->lock);
}

void
finish_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	__set_current_state(TASK_RUNNING);
	if (smp_load_acquire(&entry->flags) & WQ_FLAG_WOKEN)
		return;
	spin_lock(&queue->lock);
	list_del_init(&entry->entry);
	spin_unlock(&queue->lock);
}

void
__wake_up_locked(struct wait_queue_head *queue, int nr, void *key)
{
	struct wait_queue_entry *entry;
	struct wait_queue_entry *next;

	list_for_each_entry_safe (entry, next, &queue->head, entry) {
		bool exclusive = READ_ONCE(entry->flags) & WQ_FLAG_EXCLUSIVE;
		int woken = entry->func(entry, key);

		if (woken < 0 || (woken && exclusive && !--nr))
			break;
	}
}

void
__wake_up(struct wait_queue_head *queue, int nr, void *key)
{
	spin_lock(&queue->lock);
	__wake_up_locked(queue, nr, key);
	spin_unlock(&queue->lock);
}
