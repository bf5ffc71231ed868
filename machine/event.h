/*
 * event.h - counting what happened, without disturbing what is measured
 *
 * Counters are per CPU and live in the runtime, so the model does not see them;
 * a count on the host kind is one increment of a thread-local word. Each room
 * names its events in its own enumeration, from its own base.
 */
#ifndef MACHINE_EVENT_H
#define MACHINE_EVENT_H

#include "machine/atomic.h"

enum {
	EVENT_BASE_MACHINE = 0,
	EVENT_BASE_PAGECACHE = 16,
	EVENT_BASE_VFS = 40,
	EVENT_MAX = 64,
};

enum machine_event {
	EVENT_CMPXCHG = EVENT_BASE_MACHINE, /* attempts; the virtual kind counts them all */
	EVENT_CMPXCHG_FAILED,
	EVENT_CONTEXT_SWITCH,
	EVENT_SLEEP,		/* a task was really scheduled out */
	EVENT_SPIN_CONTENDED,	/* a spinlock's first attempt failed */
};

#ifdef MACHINE_VIRTUAL
void count_event(unsigned int event);
#else
extern _Thread_local u64 runtime_events[EVENT_MAX];

/* Others read the count meanwhile. */
static __always_inline void
count_event(unsigned int event)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	/* As the kernel's this_cpu_inc(): the compiler would make three instructions of it. */
	__asm__("incq %0" : "+m"(runtime_events[event]));
#else
	WRITE_ONCE(runtime_events[event], runtime_events[event] + 1);
#endif
}
#endif

#endif
