/*
 * spec.h - what a machine file says, as numbers
 *
 * yaml/ fills it in, the virtual kind runs on it. All times are integer
 * picoseconds; provenance stays with the file. facts behind each field: see
 * machine/virtual/README.md.
 */
#ifndef MACHINE_SPEC_H
#define MACHINE_SPEC_H

#include "machine/cost.h"

#define MACHINE_MAX_CPUS 1024
#define MACHINE_MAX_STORE_BUFFER 64

enum protocol { PROTOCOL_MESI, PROTOCOL_MESIF, PROTOCOL_MOESI };

/* Order in which tasks are given CPUs; sockets are filled one after the other. */
enum placement {
	PLACE_CORES_FIRST,	/* one task per core everywhere, then second threads */
	PLACE_THREADS_FIRST,	/* all threads of a core before the next core */
	PLACE_SOCKETS_ALTERNATE,/* cores first, sockets in turn */
};

/* How far a line has to travel, nearest first. */
enum distance {
	DISTANCE_SELF,		/* same core: no transfer */
	DISTANCE_SMT,		/* other thread of the core */
	DISTANCE_CLUSTER,	/* same cluster (CCX on AMD) */
	DISTANCE_SOCKET,	/* other cluster of the socket */
	DISTANCE_REMOTE,	/* other socket */
	DISTANCE_MAX,
};

enum arbitration {
	ARBITRATE_RANDOM,	/* two levels, random inside the cluster: the default */
	ARBITRATE_FIFO,		/* two levels, first come first served inside the cluster */
	ARBITRATE_FLAT_FIFO,	/* one queue for all, first come first served */
	ARBITRATE_FLAT_RANDOM,	/* one queue for all, random */
};

enum jitter { JITTER_NONE, JITTER_EXPONENTIAL };

struct machine_spec {
	char name[64];
	int sockets;
	int clusters_per_socket;
	int cores_per_cluster;
	int threads_per_core;
	u64 clock_hz;
	enum protocol protocol;
	enum placement placement;

	u64 hit_ps;			/* what a hit adds to a CPU's time, not its latency */
	u64 atomic_ps;			/* locked RMW on an owned line */
	u64 pause_ps;
	u64 fence_ps;			/* full fence, beyond draining the buffer */
	u64 transfer_ps[DISTANCE_MAX];	/* idle transfer, load or RFO */
	u64 dram_local_ps;		/* first touch, home on this socket */
	u64 dram_remote_ps;
	int upgrade_remote;		/* transfers to drop copies on another socket */
	bool home_rule;			/* misses that leave a cluster go through the home */

	enum arbitration arbitration;
	int run_bound;			/* ownerships inside one cluster while another waits */
	int request_share_percent;	/* share of a transfer that is the request's way */
	u64 copy_occupancy_ps;		/* the order point's time for one more copy of a line */
	u64 hold_ps;			/* mean time the owner keeps a line after the data came */
	int hold_spread_percent;	/* uniform, +- this share of the mean */
	bool failed_cas_writes;		/* a failed cmpxchg leaves the line Modified (x86) */
	int store_buffer;		/* entries; 0: stores stall */
	int smt_slowdown_percent;	/* think time while the sibling works too; 100 = none */
	bool adjacent_line_prefetch;	/* 128-byte pairs */

	enum jitter jitter;		/* on spend() */
	u64 run_ahead_ps;		/* relaxed order for private hits; 0 = strict */
	u64 cost_ps[COST_MAX];
};

static inline int
machine_spec_cpus(const struct machine_spec *spec)
{
	return spec->sockets * spec->clusters_per_socket * spec->cores_per_cluster *
	       spec->threads_per_core;
}

#endif
