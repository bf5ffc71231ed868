/*
 * seqlock.h - a sequence count together with the spinlock of its writers
 *
 * Mirrors include/linux/seqlock.h. Readers see seqcount.h; a reader that must
 * not fail again takes the lock instead, which keeps writers out and changes
 * nothing for other readers.
 */
#ifndef MACHINE_SEQLOCK_H
#define MACHINE_SEQLOCK_H

#include "machine/seqcount.h"
#include "machine/spinlock.h"

typedef struct {
	seqcount_t seqcount;	/* written under the lock */
	spinlock_t lock;
} seqlock_t;

static __always_inline void
seqlock_init(seqlock_t *sl)
{
	seqcount_init(&sl->seqcount);
	spin_lock_init(&sl->lock);
}

/* Wait until no writer is inside. */
static __always_inline unsigned int
read_seqbegin(const seqlock_t *sl)
{
	return read_seqcount_begin(&sl->seqcount);
}

static __always_inline bool __must_check
read_seqretry(const seqlock_t *sl, unsigned int start)
{
	return read_seqcount_retry(&sl->seqcount, start);
}

static __always_inline void
write_seqlock(seqlock_t *sl)
{
	spin_lock(&sl->lock);
	write_seqcount_begin(&sl->seqcount);
}

static __always_inline void
write_sequnlock(seqlock_t *sl)
{
	write_seqcount_end(&sl->seqcount);
	spin_unlock(&sl->lock);
}

/* Keep writers out without becoming one. */
static __always_inline void
read_seqlock_excl(seqlock_t *sl)
{
	spin_lock(&sl->lock);
}

static __always_inline void
read_sequnlock_excl(seqlock_t *sl)
{
	spin_unlock(&sl->lock);
}

#endif
