/*
 * model.h - what every part of the virtual kind shares
 *
 * One machine per process, one OS thread: this is the only mutable state that
 * several files write, and each field says who does.
 */
#ifndef MACHINE_VIRTUAL_MODEL_H
#define MACHINE_VIRTUAL_MODEL_H

#include "machine/spec.h"
#include "machine/virtual/heap.h"

struct model {
	struct machine_spec spec;	/* constant after boot */
	u64 seed;			/* constant after boot: the run's, for messages */
	int stream;			/* constant after boot: the seed's, for messages */
	u64 random_seed;		/* constant after boot: of every random stream */
	struct event_heap events;	/* timed scheduler */
	u64 clock;			/* time of the latest event, ps; never goes back */
	u64 accesses;			/* modelled so far; hooks.c */
	bool measuring;			/* measure.c */
	bool watched;			/* no access takes the fast path; watch.c */
	bool races;			/* constant after boot */
};

extern struct model model;

/* calloc() that ends the point when there is no memory. */
void *model_calloc(size_t count, size_t size);

/* Zeroed memory that is only backed where touched, for tables as large as the arena. */
void *model_map(size_t size);
void model_unmap(void *table, size_t size);

#endif
