/*
 * host_pread.c - one task's 64-byte pread of tmpfs on the host kind
 *
 * Against its floor, a hand-written loop of the same locked operations on one
 * line and the same copy, and against the host kernel's own pread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pagecache/policy.h"
#include "tests/bench/ratio.h"
#include "vfs/kernel_ops.h"

#define BYTES 64

/* Shaped like the line of a folio: flags first, the count at 52. */
struct floor_page {
	unsigned long flags;
	char between[44];
	int refcount;
	char after[8];
} ____cacheline_aligned;

static struct floor_page page = { .refcount = 1 };
static char contents[4096];
static char buffer[BYTES];

static bool
floor_try_get(bool locked_bit)
{
	int count;

	if (locked_bit)
		return __atomic_fetch_add(&page.refcount, 1, __ATOMIC_SEQ_CST) >= 0;
	count = __atomic_load_n(&page.refcount, __ATOMIC_RELAXED);
	while (count && !__atomic_compare_exchange_n(&page.refcount, &count, count + 1, false,
						     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	return count;
}

static double
time_floor(bool locked_bit)
{
	u64 start = bench_now_ns();

	for (int i = 0; i < BLOCK; i++) {
		if (!floor_try_get(locked_bit))
			abort();
		if (__atomic_fetch_or(&page.flags, 1ul, __ATOMIC_ACQUIRE) & 1)
			abort();
		if (__atomic_xor_fetch((s8 *)&page.flags, 1, __ATOMIC_RELEASE) < 0)
			abort();
		memcpy(buffer, contents, BYTES);
		__asm__ volatile("" : : "r"(buffer) : "memory");
		if (__atomic_sub_fetch(&page.refcount, 1, __ATOMIC_SEQ_CST) == 0)
			abort();
	}
	return (double)(bench_now_ns() - start) / BLOCK;
}

static double
time_ours(int fd)
{
	u64 start = bench_now_ns();

	for (int i = 0; i < BLOCK; i++)
		if (host_kernel.sys.pread(fd, buffer, BYTES, 0) != BYTES)
			abort();
	return (double)(bench_now_ns() - start) / BLOCK;
}

static double
time_host_kernel(int fd)
{
	int iterations = BLOCK / 10;
	u64 start = bench_now_ns();

	for (int i = 0; i < iterations; i++)
		if (pread(fd, buffer, BYTES, 0) != BYTES)
			abort();
	return (double)(bench_now_ns() - start) / iterations;
}

struct contest {
	bool locked_bit;
	struct timing floor;
	struct timing ours;
	struct timing host_kernel;
};

static void
contest_round(struct contest *contest, int fd, int real, int round)
{
	double floor = 1e9, ours = 1e9, host = 1e9;

	for (int i = 0; i < BLOCKS; i++) {
		floor = min(floor, time_floor(contest->locked_bit));
		ours = min(ours, time_ours(fd));
		host = min(host, time_host_kernel(real));
	}
	contest->floor.ns[round] = floor;
	contest->ours.ns[round] = ours;
	contest->host_kernel.ns[round] = host;
}

static void
contest_body(void *arg)
{
	struct contest *contest = arg;
	int fd = host_kernel.sys.open("/file", O_RDWR | O_CREAT, 0600);
	int real = memfd_create("bench", 0);

	if (fd < 0 || host_kernel.sys.pwrite(fd, contents, sizeof(contents), 0) != sizeof(contents))
		abort();
	if (real < 0 || write(real, contents, sizeof(contents)) != sizeof(contents))
		abort();
	for (int i = 0; i < ROUNDS; i++)
		contest_round(contest, fd, real, i);
	host_kernel.sys.close(fd);
	close(real);
}

/* Return: true if the limit holds. */
static bool
contest_run(const char *name, bool locked_bit)
{
	struct kernel_config config = {
		.seed = 1, .tasks = 1, .memory_bytes = 16 << 20, .panic = bench_panic
	};
	static struct contest contest;
	char label[80];
	bool holds;

	config.policy[POLICY_page_ref] = locked_bit ? page_ref_locked_bit : page_ref_cas_loop;
	contest.locked_bit = locked_bit;
	if (host_kernel.boot(&config) ||
	    host_kernel.create_task(TASK_PROCESS, 0, contest_body, &contest))
		abort();
	host_kernel.start();
	host_kernel.join();
	host_kernel.shutdown();

	printf("pread64, one task, %s: floor %.1f ns, ours %.1f ns, host kernel %.1f ns\n", name,
	       timing_median(&contest.floor), timing_median(&contest.ours),
	       timing_median(&contest.host_kernel));
	snprintf(label, sizeof(label), "  ours over its floor (%s)", name);
	holds = ratio_print(label, &contest.ours, &contest.floor, 2.5);
	snprintf(label, sizeof(label), "  the host kernel's own over ours (%s)", name);
	ratio_print(label, &contest.host_kernel, &contest.ours, 0);
	return holds;
}

/* One choice per process: a process boots one kernel. */
int
main(int argc, char **argv)
{
	bool locked_bit = argc == 2 && !strcmp(argv[1], "locked-bit");

	if (argc != 2 || (!locked_bit && strcmp(argv[1], "cas-loop"))) {
		fprintf(stderr, "usage: host_pread cas-loop|locked-bit\n");
		return 2;
	}
	return !contest_run(argv[1], locked_bit);
}
