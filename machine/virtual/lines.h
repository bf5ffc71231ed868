/*
 * lines.h - what the model knows about each cache line
 *
 * Nearly every line is touched by one CPU alone, so a line costs 16 bytes until
 * a second CPU touches it; then it gets a record, which it keeps.
 *
 *	untouched --first touch--> private --another CPU--> shared, with a record
 *
 * A private line is Exclusive or Modified in its core's cache. Sibling threads
 * share the cache, but what one of them wrote has to be handed to the other.
 */
#ifndef MACHINE_VIRTUAL_LINES_H
#define MACHINE_VIRTUAL_LINES_H

#include "machine/virtual/access.h"
#include "machine/virtual/cpu.h"
#include "machine/virtual/model.h"

#define LINE_SHIFT 6
#define OWNER_NONE 0		/* nobody has touched it */
#define OWNER_SHARED 0xffff	/* see its record */
#define OWNER_WATCHED 0xfffe	/* matches no line */

struct line {
	u64 last;	/* private: the CPU's clock after its last access */
	u32 record;	/* shared: where its record is, in units of a line */
	u16 owner;	/* private: CPU + 1 */
	bool dirty;	/* private: Modified, not Exclusive */
};

enum line_state {
	LINE_SHARED,	/* clean copies */
	LINE_OWNED,	/* MOESI: the owner's copy is dirty and it answers loads */
	LINE_EXCLUSIVE,	/* one clean copy */
	LINE_MODIFIED,	/* one dirty copy */
};

/*
 * A line that more than one CPU has touched. While a transaction is under way
 * (`busy`), the old holders go on using their copies until `leaves_at`; from
 * then until the data has arrived nobody can. `free_at` is the end of the time
 * for which the new owner keeps it.
 */
struct shared_line {
	u64 quiet_at;		/* from here on a hit needs no global order; EVENT_NEVER: not yet */
	u64 last_hit;		/* latest unordered hit: nothing may happen before it */
	u64 leaves_at;
	u64 free_at;
	u64 written_at;		/* when `writer` was done */
	u16 owner;		/* core; unless LINE_SHARED */
	u8 state;		/* enum line_state */
	u8 flight;		/* enum request of the transaction under way */
	bool busy;
	u8 home;		/* socket */
	u16 holders;		/* cores with a copy */
	u16 cluster;		/* of the last grant */
	u16 run;		/* ownerships in a row inside it */
	u16 stores;		/* requests from store buffers, waiting or under way */
	u16 writer;		/* CPU + 1; OWNER_SHARED: a sibling has read it since; 0: none */
	u16 writer_core;
	struct wait_queue *queue;	/* NULL: nobody waits */
	struct cpu *parked_head;
	struct cpu *parked_tail;
	u64 number;
	struct line_counts *counts;	/* NULL: nothing counted yet; measure.c */
	u64 holder_bits[];	/* per core; then u16 holders per socket and per cluster */
};

extern struct line *lines;	/* by offset in the arena >> LINE_SHIFT */

/* Zero while no modelled CPU runs, so that one compare finds boot code too. */
extern u64 modelled_size;

void lines_boot(void);
void lines_shutdown(void);

/* Layout of a record; constant after boot. */
extern struct record_layout {
	u32 words;		/* of holder_bits */
	u32 units;		/* size of a record in lines */
	u32 used;		/* units handed out; 0 is none */
	u64 quiet_ps;
	char *pool;
} record_layout;

static __always_inline struct shared_line *
record_of(u32 record)
{
	return (struct shared_line *)(record_layout.pool + ((u64)record << LINE_SHIFT));
}

/* Context: the line is shared. */
static __always_inline struct shared_line *
line_record(const struct line *line)
{
	return record_of(line->record);
}

static __always_inline u16 *
holders_in_socket(struct shared_line *line)
{
	return (u16 *)(line->holder_bits + record_layout.words);
}

static __always_inline u16 *
holders_in_cluster(struct shared_line *line)
{
	return holders_in_socket(line) + topology.sockets;
}

static __always_inline bool
line_held_by(const struct shared_line *line, int core)
{
	return line->holder_bits[core / 64] >> core % 64 & 1;
}

static __always_inline bool
line_exclusive_to(const struct shared_line *line, int core)
{
	return line->state >= LINE_EXCLUSIVE && line->owner == core;
}

/* Whether @core's copy is good for @kind now, apart from pending stores of others. */
static __always_inline bool
line_hits(const struct shared_line *line, int core, enum access_kind kind, u64 now)
{
	bool copy = kind == ACCESS_LOAD ? line_held_by(line, core) : line_exclusive_to(line, core);

	if (!copy || !line->busy || now < line->leaves_at)
		return copy;
	return kind == ACCESS_LOAD && line->flight == REQUEST_SHARED;
}

/*
 * Whether a sibling thread of @cpu has to let go of the line first: it wrote
 * what @cpu has not seen, or both have seen that and @cpu is about to write.
 */
static __always_inline bool
line_with_sibling(const struct shared_line *line, const struct cpu *cpu, enum access_kind kind)
{
	return line->writer_core == cpu->place.core && line->writer != cpu->owner &&
	       line->writer && !(kind == ACCESS_LOAD && line->writer == OWNER_SHARED);
}

static __always_inline void
line_written(struct shared_line *line, const struct cpu *cpu, u64 time)
{
	line->writer = cpu->owner;
	line->writer_core = cpu->place.core;
	line->written_at = time;
}

/* @core gets a copy beside the others'. */
void line_add_holder(struct shared_line *line, const struct place *place);

/* @core's copy is the only one from now on. */
void line_sole_holder(struct shared_line *line, const struct place *place);

/* Give a touched line its record. Context: it has none. */
struct shared_line *line_share(u64 number);

/* Records in use, in order of their making: for reports. */
struct shared_line *line_first_record(void);
struct shared_line *line_next_record(struct shared_line *line);

#endif
