/*
 * rwsem.h - sleeping reader-writer semaphore
 *
 * Context: task; both down functions may sleep. First come, first served: once
 * anybody waits, newcomers queue up behind. Zone line of the count:
 *
 *   63 ............ 8 | 7 ... 2 |    1    |   0
 *   readers inside    |         | waiters | writer inside
 */
#ifndef MACHINE_RWSEM_H
#define MACHINE_RWSEM_H

#include "machine/wait.h"

struct rw_semaphore {
	atomic64_t count;
	spinlock_t lock;		/* guards the queue and the waiters bit */
	struct list_head waiters;	/* struct rwsem_waiter, oldest first */
};

void init_rwsem(struct rw_semaphore *sem);
void down_read(struct rw_semaphore *sem);
bool __must_check down_read_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
bool __must_check down_write_trylock(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);

#endif
