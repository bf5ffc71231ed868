/*
 * seqcount.h - readers that retry instead of writing
 *
 * The count is odd while a writer is inside. Writers exclude each other by some
 * lock of theirs. Everything read inside a section is read with READ_ONCE().
 */
#ifndef MACHINE_SEQCOUNT_H
#define MACHINE_SEQCOUNT_H

#include "machine/cpu_relax.h"

typedef struct {
	unsigned int sequence;
} seqcount_t;

static __always_inline void
seqcount_init(seqcount_t *s)
{
	s->sequence = 0;
}

/* Wait for an even count. The acquire pairs with write_seqcount_end(). */
static __always_inline unsigned int
read_seqcount_begin(const seqcount_t *s)
{
	return smp_cond_load_acquire(&s->sequence, !(VAL & 1));
}

/*
 * Do not wait: with a writer inside, the retry that follows says so. Acquire as
 * read_seqcount_begin().
 */
static __always_inline unsigned int
raw_seqcount_begin(const seqcount_t *s)
{
	return smp_load_acquire(&s->sequence) & ~1u;
}

/*
 * Return: true if a writer was inside since @start, so that what was read means
 * nothing. The read barrier pairs with the write barrier in write_seqcount_begin().
 */
static __always_inline bool __must_check
read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
	smp_rmb();
	return unlikely(READ_ONCE(s->sequence) != start);
}

static __always_inline void
write_seqcount_begin(seqcount_t *s)
{
	WRITE_ONCE(s->sequence, s->sequence + 1);
	smp_wmb();
}

static __always_inline void
write_seqcount_end(seqcount_t *s)
{
	smp_store_release(&s->sequence, s->sequence + 1);
}

/* Make every reader that began before now retry. Context: as a writer, none inside. */
static __always_inline void
write_seqcount_invalidate(seqcount_t *s)
{
	smp_wmb();
	WRITE_ONCE(s->sequence, s->sequence + 2);
}

#endif
