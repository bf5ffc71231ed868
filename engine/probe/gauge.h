/*
 * gauge.h - what is timed, each as one number per visit (visit.h)
 *
 * All in femtoseconds; 0 says that this computer does not let it be measured.
 */
#ifndef ENGINE_PROBE_GAUGE_H
#define ENGINE_PROBE_GAUGE_H

enum gauge {
	/* one thread; these take turns (local.c) */
	GAUGE_CYCLE,		/* one of a chain of dependent additions: one core cycle */
	GAUGE_ADD,		/* locked addition to one's own line */
	GAUGE_CMPXCHG,		/* locked cmpxchg that succeeds on one's own line */
	GAUGE_PAUSE,
	GAUGE_FENCE,		/* full fence with nothing to drain */
	GAUGE_COPY,		/* memcpy of 64 bytes, cached */
	GAUGE_SYSCALL,		/* a system call that does nothing */
	GAUGE_HOST_READ,	/* pread of 64 bytes by the kernel of this computer */
	GAUGE_READ,		/* pread of 64 bytes by the mini-kernel */
	GAUGE_HOST_FSTAT,	/* fstat by the kernel of this computer */
	GAUGE_FSTAT,		/* fstat by the mini-kernel */
	GAUGE_LOCAL,

	/* two threads */
	GAUGE_INTERRUPT = GAUGE_LOCAL, /* membarrier while one runs on another CPU (interrupt.c) */
	GAUGE_WAKE_CALL,	/* FUTEX_WAKE of a thread that sleeps on another CPU (wake.c) */
	GAUGE_WAKE_HOP,		/* half a round trip of wake-ups */
	GAUGE_YIELD,		/* sched_yield to another thread of this CPU (yield.c) */
	GAUGE_MAX,
};

#endif
