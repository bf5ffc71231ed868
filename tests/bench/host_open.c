/*
 * host_open.c - one task's open and close, stat, and fstat on the host kind
 *
 * Against the floor of each, a hand-written loop of the locked operations that the
 * call cannot do without, on lines as they lie in the kernel's structures:
 *
 *   open, close   the dentry's lockref 4 times, i_writecount and cred.usage twice each,
 *                 file_lock taken and let go twice, f_ref once; a full barrier each for
 *                 the mount's reference and its writer
 *   stat          the dentry's lockref twice and the mount's barrier; with two names to
 *                 look up and 144 bytes to fill that is the least of it, so these are
 *                 in the floor, each byte loaded or stored once
 *   fstat         no locked operation: the loads that lead from the descriptor to the
 *                 inode, and the same fill
 *
 * and against the host kernel's own calls on its tmpfs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/ratio.h"
#include "vfs/kernel_ops.h"

#define PATH "/dir/file"

/* --- floors ------------------------------------------------------------------ */

#define FLOOR_BUCKETS 1024

struct floor_inode {
	char before[64];
	u64 line_1[8];			/* number, links, size, times */
	char line_2[200];
	int i_writecount;
} ____cacheline_aligned;

struct floor_dentry {
	u32 d_flags;
	u32 d_seq;
	struct floor_dentry *d_next;
	struct floor_dentry *d_parent;
	u64 d_name;			/* it fits */
	struct floor_inode *d_inode;
	char before[88];
	u64 lock_count;
} ____cacheline_aligned;

struct floor_file {
	unsigned int f_mode;
	struct floor_inode *f_inode;
	struct floor_dentry *f_dentry;
	char between[144];
	s64 f_ref;
} ____cacheline_aligned;

struct floor_files {
	int count;
	struct floor_file **fd;
	char between[112];
	u32 file_lock;
} ____cacheline_aligned;

static struct floor_inode inode;
static struct floor_inode dir_inode;
static struct floor_dentry root = { .d_inode = &dir_inode };
static struct floor_dentry dir = { .d_parent = &root, .d_inode = &dir_inode };
static struct floor_dentry dentry = {
	.d_parent = &dir, .d_inode = &inode, .lock_count = 1ull << 32
};
static struct floor_dentry *buckets[FLOOR_BUCKETS];
static const char given[sizeof(PATH) + sizeof(u64)] = PATH; /* words are read across its end */
static struct floor_file file = { .f_mode = 1, .f_inode = &inode, .f_dentry = &dentry };
static struct floor_file *slots[] = { &file };
static struct floor_files files = { .count = 1, .fd = slots };
static s64 cred_usage ____cacheline_aligned = 1;
static struct stat filled;

/* One change of the lockref: the word is loaded, tested and exchanged. */
static void
floor_lockref(u64 delta)
{
	u64 old = __atomic_load_n(&dentry.lock_count, __ATOMIC_RELAXED);

	do {
		if ((u32)old)
			abort();
	} while (!__atomic_compare_exchange_n(&dentry.lock_count, &old, old + delta, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void
floor_file_lock(void)
{
	u32 unlocked = 0;

	if (!__atomic_compare_exchange_n(&files.file_lock, &unlocked, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		abort();
	__atomic_store_n((u8 *)&files.file_lock, 0, __ATOMIC_RELEASE);
}

/* Per-CPU counts are not locked, but who looks at their sum must see them in time. */
static void
floor_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void
floor_writecount(int delta)
{
	__atomic_fetch_add(&inode.i_writecount, delta, __ATOMIC_SEQ_CST);
}

static void
floor_open_close(void)
{
	const u64 one = 1ull << 32;
	s64 only = 0;

	floor_file_lock();
	__atomic_fetch_add(&cred_usage, 1, __ATOMIC_RELAXED);
	floor_barrier();
	floor_lockref(one);
	floor_lockref(one);
	floor_writecount(1);
	floor_barrier();
	floor_lockref(-one);
	floor_file_lock();
	if (!__atomic_compare_exchange_n(&file.f_ref, &only, -1, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		abort();
	floor_writecount(-1);
	floor_lockref(-one);
	__atomic_fetch_sub(&cred_usage, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&file.f_ref, 0, __ATOMIC_RELEASE);
}

/* The 144 bytes, from two lines of the inode; nothing may be left out. */
static void
floor_fill(const struct floor_inode *from)
{
	filled.__pad0 = 0;
	for (size_t i = 0; i < ARRAY_SIZE(filled.__glibc_reserved); i++)
		filled.__glibc_reserved[i] = 0;
	filled.st_rdev = 0;
	filled.st_dev = 1;
	filled.st_mode = (mode_t)from->before[0];
	filled.st_uid = (uid_t)from->before[4];
	filled.st_gid = (gid_t)from->before[8];
	filled.st_blksize = 4096;
	filled.st_ino = from->line_1[0];
	filled.st_nlink = from->line_1[1];
	filled.st_size = (off_t)from->line_1[2];
	filled.st_atim.tv_sec = (time_t)from->line_1[3];
	filled.st_mtim.tv_sec = (time_t)from->line_1[4];
	filled.st_ctim.tv_sec = (time_t)from->line_1[5];
	filled.st_atim.tv_nsec = (int)from->line_1[6];
	filled.st_mtim.tv_nsec = (int)(from->line_1[6] >> 32);
	filled.st_ctim.tv_nsec = (int)from->line_1[7];
	filled.st_blocks = (blkcnt_t)from->line_2[0];
	__asm__ volatile("" : : "r"(&filled) : "memory");
}

#define EACH_BYTE(value) (~0ull / 255 * (value))

/* The high bit of the first byte of @word that is zero, and perhaps of some behind it. */
static u64
zero_byte(u64 word)
{
	return (word - EACH_BYTE(0x01)) & ~word & EACH_BYTE(0x80);
}

/* Cut off the name at *@path, and the slash or end behind it. */
static u64
floor_name(const char **path)
{
	u64 word = *(const u64 __attribute__((aligned(1), may_alias)) *)*path;
	int bits = __builtin_ctzll(zero_byte(word) | zero_byte(word ^ EACH_BYTE('/'))) & ~7;

	*path += bits / 8 + 1;
	return word & ((1ull << bits) - 1);
}

static struct floor_dentry **
floor_bucket(const struct floor_dentry *parent, u64 name)
{
	u64 hash = (name ^ (uintptr_t)parent) * 0x9e3779b97f4a7c15;

	return &buckets[hash / (~0ull / FLOOR_BUCKETS + 1)];
}

/* Look @name up in directory @parent, which may be searched. */
static struct floor_dentry *
floor_lookup(const struct floor_dentry *parent, u64 name)
{
	struct floor_dentry *found = __atomic_load_n(floor_bucket(parent, name), __ATOMIC_ACQUIRE);
	u32 seq;

	if (parent->d_inode->before[0] || parent->d_inode->before[4])
		abort();
	for (;; found = __atomic_load_n(&found->d_next, __ATOMIC_ACQUIRE)) {
		seq = __atomic_load_n(&found->d_seq, __ATOMIC_ACQUIRE);
		if (found->d_parent == parent && found->d_name == name)
			break;
	}
	if (found->d_flags || __atomic_load_n(&found->d_seq, __ATOMIC_ACQUIRE) != seq)
		abort();
	return found;
}

/* Follow @path from the root. */
static struct floor_dentry *
floor_walk(const char *path)
{
	struct floor_dentry *found = &root;

	path++;
	do
		found = floor_lookup(found, floor_name(&path));
	while (path[-1]);
	return found;
}

static void
floor_make_name(struct floor_dentry *named, const char *path)
{
	struct floor_dentry **bucket;

	named->d_name = floor_name(&path);
	bucket = floor_bucket(named->d_parent, named->d_name);
	named->d_next = *bucket;
	*bucket = named;
}

static void
floor_make_names(void)
{
	floor_make_name(&dir, given + 1);
	floor_make_name(&dentry, given + sizeof("/dir"));
}

static void
floor_stat(void)
{
	struct floor_dentry *found;

	found = floor_walk(given);
	floor_barrier();
	floor_lockref(1ull << 32);
	floor_fill(found->d_inode);
	floor_lockref(-(1ull << 32));
}

static void
floor_fstat(void)
{
	struct floor_file *found;

	if (__atomic_load_n(&files.count, __ATOMIC_ACQUIRE) != 1)
		abort();
	found = __atomic_load_n(&files.fd[0], __ATOMIC_ACQUIRE);
	if (!found->f_mode)
		abort();
	floor_fill(__atomic_load_n(&found->f_dentry->d_inode, __ATOMIC_ACQUIRE));
}

/* --- ours and the host kernel's ------------------------------------------------ */

static int our_fd;
static char real_path[64];
static int real_fd;

static void
our_open_close(void)
{
	if (host_kernel.sys.close(host_kernel.sys.open(PATH, O_RDWR, 0)))
		abort();
}

static void
our_stat(void)
{
	if (host_kernel.sys.stat(PATH, &filled))
		abort();
}

static void
our_fstat(void)
{
	if (host_kernel.sys.fstat(our_fd, &filled))
		abort();
}

static void
real_open_close(void)
{
	if (close(open(real_path, O_RDWR)))
		abort();
}

static void
real_stat(void)
{
	if (stat(real_path, &filled))
		abort();
}

static void
real_fstat(void)
{
	if (fstat(real_fd, &filled))
		abort();
}

/* --- contests ------------------------------------------------------------------ */

static const struct contest {
	const char *name;
	void (*floor)(void);
	void (*ours)(void);
	void (*real)(void);
	double limit;
} contests[] = {
	{ "open+close", floor_open_close, our_open_close, real_open_close, 4 },
	{ "stat", floor_stat, our_stat, real_stat, 4 },
	{ "fstat", floor_fstat, our_fstat, real_fstat, 4 },
};

struct result {
	struct timing floor;
	struct timing ours;
	struct timing real;
};

static struct result result[ARRAY_SIZE(contests)];

static double
time_block(void (*call)(void), int calls)
{
	u64 start = bench_now_ns();

	for (int i = 0; i < calls; i++)
		call();
	return (double)(bench_now_ns() - start) / calls;
}

/* Take turns, block by block. */
static void
contest_round(const struct contest *contest, struct result *r, int round)
{
	double floor = 1e9, ours = 1e9, real = 1e9;

	for (int i = 0; i < BLOCKS; i++) {
		floor = min(floor, time_block(contest->floor, BLOCK));
		ours = min(ours, time_block(contest->ours, BLOCK));
		real = min(real, time_block(contest->real, BLOCK / 10));
	}
	r->floor.ns[round] = floor;
	r->ours.ns[round] = ours;
	r->real.ns[round] = real;
}

static void
contest_body(void *arg)
{
	const char *real = arg;

	if (host_kernel.sys.mkdir("/dir", 0755))
		abort();
	our_fd = host_kernel.sys.open(PATH, O_RDWR | O_CREAT, 0600);
	snprintf(real_path, sizeof(real_path), "%s/file", real);
	real_fd = open(real_path, O_RDWR | O_CREAT, 0600);
	if (our_fd < 0 || real_fd < 0)
		abort();
	floor_make_names();
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ARRAY_SIZE(contests); i++)
			contest_round(&contests[i], &result[i], round);
	host_kernel.sys.close(our_fd);
	close(real_fd);
	unlink(real_path);
}

/* Return: true if the limit holds. */
static bool
contest_print(const struct contest *contest, const struct result *r)
{
	char label[80];
	bool holds;

	printf("%s, one task: floor %.1f ns, ours %.1f ns, host kernel %.1f ns\n", contest->name,
	       timing_median(&r->floor), timing_median(&r->ours), timing_median(&r->real));
	snprintf(label, sizeof(label), "  ours over its floor (%s)", contest->name);
	holds = ratio_print(label, &r->ours, &r->floor, contest->limit);
	snprintf(label, sizeof(label), "  the host kernel's own over ours (%s)", contest->name);
	ratio_print(label, &r->real, &r->ours, 0);
	return holds;
}

int
main(void)
{
	struct kernel_config config = {
		.seed = 1, .tasks = 1, .memory_bytes = 16 << 20, .panic = bench_panic
	};
	char real[] = "/dev/shm/engine-XXXXXX";
	bool hold = true;

	if (!mkdtemp(real) || host_kernel.boot(&config) ||
	    host_kernel.create_task(TASK_PROCESS, 0, contest_body, real))
		abort();
	host_kernel.start();
	host_kernel.join();
	host_kernel.shutdown();
	rmdir(real);
	for (size_t i = 0; i < ARRAY_SIZE(contests); i++)
		hold &= contest_print(&contests[i], &result[i]);
	return !hold;
}
