/*
 * local.c - see local.h
 */
#include "engine/probe/local.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/probe/batch.h"
#include "machine/cpu_relax.h"

#define BYTES LOCAL_READ_BYTES

/* The compiler may assume nothing about @value from here on. */
#define opaque(value) __asm__ volatile("" : "+r"(value))
#define repeat_4(statement) statement statement statement statement

/* By a register: some cores fold additions of constants while renaming. */
static void
run_cycle(void *context, u64 times)
{
	u64 sum = 0;
	u64 one = 1;

	opaque(one);
	for (u64 i = 0; i < times / 16; i++) {
		repeat_4(repeat_4(sum += one; opaque(sum);))
	}
}

static void
run_add(void *context, u64 times)
{
	u64 line ____cacheline_aligned = 0;

	for (u64 i = 0; i < times; i++) {
		u64 old = __atomic_fetch_add(&line, 1, __ATOMIC_SEQ_CST);

		opaque(old);
	}
}

/* The expected value is known: no load comes before it. */
static void
run_cmpxchg(void *context, u64 times)
{
	u64 line ____cacheline_aligned = 0;

	for (u64 i = 0; i < times; i++) {
		u64 expected = i;
		bool done = __atomic_compare_exchange_n(&line, &expected, i + 1, false,
							__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);

		opaque(done);
	}
}

static void
run_pause(void *context, u64 times)
{
	for (u64 i = 0; i < times; i++)
		cpu_relax();
}

/* smp_mb() is a function of the kernel's own where ThreadSanitizer knows no fences. */
static void
run_fence(void *context, u64 times)
{
#ifdef __SANITIZE_THREAD__
	run_add(context, times);
#else
	for (u64 i = 0; i < times; i++)
		smp_mb();
#endif
}

/* A length that the compiler does not know: the library's function, as in the kernel. */
static void
run_copy(void *context, u64 times)
{
	static const char from[BYTES] ____cacheline_aligned;
	char to[BYTES] ____cacheline_aligned;
	char *target = to;
	size_t size = BYTES;

	for (u64 i = 0; i < times; i++) {
		opaque(size);
		opaque(target);
		memcpy(target, from, size);
		__asm__ volatile("" : : "r"(target) : "memory");
	}
}

static void
run_syscall(void *context, u64 times)
{
	for (u64 i = 0; i < times; i++)
		syscall(SYS_getppid);
}

static void
run_host_read(void *context, u64 times)
{
	struct local *local = context;

	for (u64 i = 0; i < times; i++)
		if (pread(local->host_fd, local->to, BYTES, 0) != BYTES)
			return;
}

static void
run_host_fstat(void *context, u64 times)
{
	struct local *local = context;

	/* Not the C library's, which may ask for a walk of an empty path. */
	for (u64 i = 0; i < times; i++)
		if (syscall(SYS_fstat, local->host_fd, &local->stat))
			return;
}

static void
run_fstat(void *context, u64 times)
{
	struct local *local = context;

	for (u64 i = 0; i < times; i++)
		if (local->kernel->sys.fstat(local->fd, &local->stat))
			return;
}

static void
run_read(void *context, u64 times)
{
	struct local *local = context;

	for (u64 i = 0; i < times; i++)
		if (local->kernel->sys.pread(local->fd, local->to, BYTES, 0) != BYTES)
			return;
}

/* A batch takes some 50 us on a core of 3 GHz. */
static const struct batch batches[GAUGE_LOCAL] = {
	[GAUGE_CYCLE] = { run_cycle, 160000 },
	[GAUGE_ADD] = { run_add, 16000 },
	[GAUGE_CMPXCHG] = { run_cmpxchg, 16000 },
	[GAUGE_PAUSE] = { run_pause, 2000 },
	[GAUGE_FENCE] = { run_fence, 8000 },
	[GAUGE_COPY] = { run_copy, 16000 },
	[GAUGE_SYSCALL] = { run_syscall, 500 },
	[GAUGE_HOST_READ] = { run_host_read, 200 },
	[GAUGE_READ] = { run_read, 2000 },
	[GAUGE_HOST_FSTAT] = { run_host_fstat, 200 },
	[GAUGE_FSTAT] = { run_fstat, 2000 },
};

void
local_measure(struct local *local, u64 end_ns, u64 *fs)
{
	batches_run(batches, GAUGE_LOCAL, local, end_ns, fs);
	if (local->host_fd < 0) {
		fs[GAUGE_HOST_READ] = 0;
		fs[GAUGE_HOST_FSTAT] = 0;
	}
}
