/*
 * rwsem.h - sleeping reader-writer semaphore
 *
 * Context: task; both down functions may sleep. Whoever gives it up does not
 * give it to anybody: newcomers may overtake those who sleep, for 4 ms at most.
 * Zone line of the count:
 *
 *   63 ............ 8 | 7 ... 3 |     2    |    1    |   0
 *   readers inside    |         | hand-off | waiters | writer inside
 */
#ifndef MACHINE_RWSEM_H
#define MACHINE_RWSEM_H

#include "machine/wait.h"

struct rwsem_waiter;

struct rw_semaphore {
	atomic64_t count;
	struct task *owner;		/* the writer inside; its own stores, a hint for others */
	spinlock_t spinners;		/* those who wait without sleeping: one of them looks */
	spinlock_t lock;		/* guards the queue, the waiters and the hand-off bit */
	struct rwsem_waiter *first;	/* who sleeps, oldest first; NULL: nobody */
};

_Static_assert(sizeof(struct rw_semaphore) == 32, "as in the kernel, where inodes have one");

void init_rwsem(struct rw_semaphore *sem);
void down_read(struct rw_semaphore *sem);
bool __must_check down_read_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
bool __must_check down_write_trylock(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);

#endif
