/*
 * wait.h - wait queues with real sleepers
 *
 * A waiter puts an entry on its own stack into the queue and sleeps; a waker
 * runs each entry's function under the queue's lock. Exclusive waiters go to
 * the tail, and a wake-up stops after @nr of them.
 */
#ifndef MACHINE_WAIT_H
#define MACHINE_WAIT_H

#include "machine/list.h"
#include "machine/sched.h"
#include "machine/spinlock.h"

struct wait_queue_head {
	spinlock_t lock;	/* guards the list and every entry on it */
	struct list_head head;
};

struct wait_queue_entry;

/*
 * Wake one entry. Context: the queue's lock held.
 * Return: > 0 woken, 0 not this one (go on), < 0 stop here.
 */
typedef int (*wait_queue_func)(struct wait_queue_entry *entry, void *key);

#define WQ_FLAG_EXCLUSIVE 0x01
#define WQ_FLAG_WOKEN 0x02
#define WQ_FLAG_CUSTOM 0x04	/* wants the lock handed over */
#define WQ_FLAG_DONE 0x08	/* the lock was handed over */

struct wait_queue_entry {
	unsigned int flags;		/* WQ_FLAG_*; see who writes it at each use */
	struct task *task;
	wait_queue_func func;
	struct list_head entry;
};

void init_waitqueue_head(struct wait_queue_head *queue);

/* Entry for the calling task whose function wakes it and takes it off the queue. */
void init_wait(struct wait_queue_entry *entry);

/* Queue @entry unless it is queued, then set the task's state. */
void prepare_to_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry);
void prepare_to_wait_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry);
void finish_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry);

/* Wake all non-exclusive waiters and @nr exclusive ones (0: all). Takes the lock. */
void __wake_up(struct wait_queue_head *queue, int nr, void *key);
void __wake_up_locked(struct wait_queue_head *queue, int nr, void *key);
#define wake_up(queue) __wake_up((queue), 1, NULL)
#define wake_up_all(queue) __wake_up((queue), 0, NULL)

/* Sleep until @condition. Context: task; sleeps; outside RCU readers and locks. */
#define wait_event(queue, condition)                                                               \
	do {                                                                                       \
		struct wait_queue_entry _wait;                                                     \
		if (condition)                                                                     \
			break;                                                                     \
		init_wait(&_wait);                                                                 \
		for (;;) {                                                                         \
			prepare_to_wait((queue), &_wait);                                          \
			if (condition)                                                             \
				break;                                                             \
			schedule();                                                                \
		}                                                                                  \
		finish_wait((queue), &_wait);                                                      \
	} while (0)

#endif
