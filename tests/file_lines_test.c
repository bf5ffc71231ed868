/*
 * file_lines_test.c - which lines the calls on open files write, counted
 *
 * Goal: what tasks share, and so what will not scale, is exactly what the prologues
 * say. Method: one process makes a call a few times and is traced at the next; every
 * locked operation is counted where it hits. Virtual kind only.
 */
#include <unistd.h>

#include "machine/shared/arena_map.h"
#include "machine/virtual/trace.h"
#include "tests/vfs_harness.h"
#include "vfs/fdget.h"

#define WARM_UP 3

/* Locked operations on each line that the calls know. */
struct counts {
	int dentry;		/* the lockref */
	int inode_lock;		/* line 2 */
	int inode_count;	/* line 5 */
	int file_lock;
	int file_line[4];
	int cred;		/* usage of the task's own */
	int cred_shared;	/* four lines */
	int task;
	int other;		/* not among these */
};

static struct {
	struct counts counts;
	struct dentry *dentry;
	struct inode *inode;
	struct files_struct *files;
	struct file *file;
	struct task *task;
	struct cred *cred;
	u64 stack;
} seen;

/* Whether @offset lies in the @size bytes from @object on. */
static bool
is_in(u64 offset, const void *object, size_t size)
{
	return offset - arena_offset(object) < size;
}

static int *
counter_of(u64 offset)
{
	struct counts *counts = &seen.counts;

	if (is_in(offset, seen.dentry, sizeof(*seen.dentry)))
		return &counts->dentry;
	if (is_in(offset, (char *)seen.inode + 128, CACHE_LINE))
		return &counts->inode_lock;
	if (is_in(offset, (char *)seen.inode + 320, CACHE_LINE))
		return &counts->inode_count;
	if (is_in(offset, &seen.files->file_lock, CACHE_LINE))
		return &counts->file_lock;
	if (is_in(offset, seen.file, 4 * CACHE_LINE))
		return &counts->file_line[(offset - arena_offset(seen.file)) / CACHE_LINE];
	if (is_in(offset, seen.cred, sizeof(*seen.cred)))
		return &counts->cred;
	if (is_in(offset, &kernel.vfs->cred_shared, sizeof(struct cred_shared)))
		return &counts->cred_shared;
	if (is_in(offset, seen.task, sizeof(*seen.task)))
		return &counts->task;
	return &counts->other;
}

static void
record(void *context, int cpu, const struct access *access)
{
	/* The task's own stack is nobody else's. */
	if (access->kind == ACCESS_RMW && access->offset - (seen.stack - 16384) >= 32768)
		++*counter_of(access->offset);
}

static void
make_file(void *arg)
{
	vfs_harness_file("/file", 4096, 'x');
}

/* Descriptor 0 is the file, 1 another one of the same. */
static void
traced_body(void *arg)
{
	void (*call)(void) = *(void (**)(void))arg;

	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR), 0);
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR), 1);
	seen.files = current->files;
	seen.file = seen.files->fd_array[0];
	seen.inode = seen.file->f_inode;
	seen.dentry = seen.inode->i_dentry;
	seen.task = current;
	seen.cred = current->cred;
	seen.stack = arena_offset(__builtin_frame_address(0));
	for (int i = 0; i < WARM_UP; i++)
		call();
	memset(&seen.counts, 0, sizeof(seen.counts));
	trace_accesses(record, NULL);
	call();
	trace_accesses(NULL, NULL);
	EXPECT_EQUAL(sys_close(0), 0);
	EXPECT_EQUAL(sys_close(1), 0);
}

#define NO_POLICY (-1)

/* What one @call writes with @choice of @family. */
static void
expect(void (*call)(void), int family, int choice, struct counts wanted)
{
	const int *got = (const int *)&seen.counts;

	if (family != NO_POLICY)
		policy_value[family] = choice;
	vfs_harness_boot(1);
	vfs_harness_init(make_file, NULL);
	vfs_harness_run(TASK_PROCESS, 1, traced_body, &call);
	vfs_harness_shutdown();
#ifdef POISON /* there, freed memory goes round by way of shared lists */
	seen.counts.other = wanted.other;
#endif
	for (size_t i = 0; i < sizeof(wanted) / sizeof(int); i++)
		if (got[i] != ((const int *)&wanted)[i])
			fail_msg("counter %zu is %d and not %d", i, got[i],
				 ((const int *)&wanted)[i]);
}

static void
call_stat(void)
{
	struct stat stat;

	EXPECT_EQUAL(sys_stat("/file", &stat), 0);
}

static void
call_fstat(void)
{
	struct stat stat;

	EXPECT_EQUAL(sys_fstat(0, &stat), 0);
}

static void
stat_takes_the_dentry_twice_and_fstat_nothing(void **state)
{
	expect(call_stat, NO_POLICY, 0, (struct counts){ .dentry = 2 });
	expect(call_fstat, NO_POLICY, 0, (struct counts){ 0 });
	expect(call_fstat, POLICY_fstat_via, fstat_via_path, (struct counts){ .dentry = 2 });
	expect(call_fstat, POLICY_fdget, fdget_full, (struct counts){ .file_line = { [2] = 2 } });
}

static void
call_access(void)
{
	EXPECT_EQUAL(sys_access("/file", R_OK), 0);
}

/* A copy of credentials: references on all four, then its own count three times. */
static void
access_with_a_copy_writes_what_the_user_shares(void **state)
{
	expect(call_access, NO_POLICY, 0, (struct counts){ .dentry = 2 });
	expect(call_access, POLICY_access_cred, access_cred_override,
	       (struct counts){ .dentry = 2, .cred_shared = 8, .other = 3 });
}

static void
call_dup(void)
{
	EXPECT_EQUAL(sys_close(sys_dup(0)), 0);
}

static void
call_dup2(void)
{
	EXPECT_EQUAL(sys_dup2(0, 2), 2); /* from the second time on it is that already */
}

/* The count twice, file_lock for each of dup and close. */
static void
dup_and_close_leave_the_dentry_alone(void **state)
{
	const struct counts own_line = { .file_lock = 2, .file_line = { [2] = 2 } };
	const struct counts first_line = { .file_lock = 2, .file_line = { [0] = 2 } };

	expect(call_dup, NO_POLICY, 0, own_line);
	expect(call_dup, POLICY_file_ref, file_ref_inc_not_zero, own_line);
	expect(call_dup, POLICY_fd_alloc, fd_alloc_bitmap_fastpath, own_line);
	expect(call_dup, POLICY_file_layout, file_layout_first_line, first_line);
	expect(call_dup, POLICY_file_layout, file_layout_spread, first_line);
	expect(call_dup2, NO_POLICY, 0,
	       (struct counts){ .file_lock = 1, .file_line = { [2] = 2 } });
}

static void
call_lseek(void)
{
	EXPECT_EQUAL(sys_lseek(0, 0, SEEK_SET), 0);
}

static void
call_lseek_shared(void)
{
	if (!fd_file(fdget(2)))
		EXPECT_EQUAL(sys_dup2(0, 2), 2);
	else
		call_lseek();
}

/* Taking and releasing f_pos_lock, in line 1. */
static void
the_position_is_locked_when_it_is_shared(void **state)
{
	expect(call_lseek, NO_POLICY, 0, (struct counts){ 0 });
	expect(call_lseek_shared, NO_POLICY, 0, (struct counts){ .file_line = { [1] = 2 } });
}

static void
call_truncate(void)
{
	EXPECT_EQUAL(sys_truncate("/file", 4096), 0);
}

/* Found by its path, counted as written to, its lock taken. */
static void
truncate_writes_dentry_count_and_lock(void **state)
{
	expect(call_truncate, NO_POLICY, 0,
	       (struct counts){ .dentry = 2, .inode_lock = 2, .inode_count = 2 });
}

/* A file of its own each time, opened and closed. */
static void
call_open(void)
{
	EXPECT_EQUAL(sys_close(vfs_harness_open("/file", O_RDWR)), 0);
}

/* Its own count is one of `other`, as the file is not descriptor 0's. */
static void
close_may_put_its_work_off(void **state)
{
	const struct counts open = {
		.dentry = 4, .inode_count = 2, .file_lock = 2, .cred = 2, .other = 1,
	};
	struct counts deferred = open;

	deferred.task = 2;
	expect(call_open, NO_POLICY, 0, open);
	expect(call_open, POLICY_close_fput, close_fput_deferred, deferred);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_takes_the_dentry_twice_and_fstat_nothing),
		cmocka_unit_test(access_with_a_copy_writes_what_the_user_shares),
		cmocka_unit_test(dup_and_close_leave_the_dentry_alone),
		cmocka_unit_test(the_position_is_locked_when_it_is_shared),
		cmocka_unit_test(truncate_writes_dentry_count_and_lock),
		cmocka_unit_test(close_may_put_its_work_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
