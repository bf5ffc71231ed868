/*
 * vfs_lines_test.c - which shared words an operation writes, and how often
 *
 * Goal: the lists that the published effects hang on. One task, on a file that it
 * has opened three times before: an open and its close make four updates of the
 * file's lockref, two of the inode's counters, and some of what is private to a
 * process but shared by its threads. Directories on the way are only read, and so
 * are mount_lock and rename_lock. Each policy adds what it says. Method: the
 * operation is traced. Virtual kind only.
 */
#include "machine/shared/arena_map.h"
#include "machine/virtual/trace.h"
#include "tests/vfs_harness.h"
#include "vfs/cred.h"
#include "vfs/fdtable.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"

#define PATH "/d/e/file"
#define WARM_ITERATIONS 3

/* Words that somebody else may have in their cache; parts before what they are part of. */
enum word {
	LOCKREF,		/* of the file's dentry */
	DENTRY,
	DIRECTORY_LOCKREF,
	DIRECTORY,
	INODE_COUNTERS,		/* i_writecount and i_readcount */
	INODE,
	DIRECTORY_INODE,
	CRED,
	FILE_LOCK,
	DESCRIPTORS,		/* files_struct */
	FS,
	FILE_COUNT,		/* f_ref */
	OPEN_FILE,
	LABEL,
	VFS,			/* struct vfs: mount_lock, rename_lock, ... */
	ELSEWHERE,		/* anywhere but on the task's stack */
	WORDS,
};

static const char *const word_names[WORDS] = {
	"lockref", "dentry", "directory's lockref", "directory", "i_writecount and i_readcount",
	"inode", "directory's inode", "cred", "file_lock", "descriptors", "fs_struct", "f_ref",
	"file", "label", "struct vfs", "elsewhere",
};

struct range {
	u64 start;
	u64 size;
};

static struct {
	struct range ranges[WORDS];
	u64 stack;		/* of the task, somewhere in the middle */
	u64 loads[WORDS];
	u64 stores[WORDS];
	u64 rmws[WORDS];	/* which succeeded */
	u64 failed;		/* and which did not */
} seen;

static enum word
word_of(u64 offset)
{
	int word = 0;

	while (word < ELSEWHERE && offset - seen.ranges[word].start >= seen.ranges[word].size)
		word++;
	return word;
}

static void
record(void *context, int cpu, const struct access *access)
{
	enum word word = word_of(access->offset);

	if (access->offset - (seen.stack - 8192) < 16384)
		return;
	if (access->kind == ACCESS_LOAD)
		seen.loads[word]++;
	else if (access->kind == ACCESS_STORE)
		seen.stores[word]++;
	else if (access->failed)
		seen.failed++;
	else
		seen.rmws[word]++;
}

static void
watch(enum word word, const void *start, size_t size)
{
	seen.ranges[word] = (struct range){ arena_offset(start), size };
}

static void
watch_file(int fd)
{
	const struct file *file = current->files->fd_array[fd];

	watch(FILE_COUNT, &file->f_ref, sizeof(file_ref_t));
	watch(OPEN_FILE, file, sizeof(*file));
}

/* The dentry, the inode and what is the task's. */
static void
watch_names(int fd)
{
	struct dentry *dentry = current->files->fd_array[fd]->f_path.dentry;
	struct dentry *directory = dentry->d_parent;
	const struct inode *inode = d_inode(dentry);

	watch(LOCKREF, d_lockref(dentry), sizeof(struct lockref));
	watch(DENTRY, dentry, sizeof(*dentry));
	watch(DIRECTORY_LOCKREF, d_lockref(directory), sizeof(struct lockref));
	watch(DIRECTORY, directory, sizeof(*directory));
	watch(INODE_COUNTERS, &inode->i_writecount, 2 * sizeof(atomic_t));
	watch(INODE, inode, sizeof(*inode));
	watch(DIRECTORY_INODE, d_inode(directory), sizeof(*inode));
	watch(CRED, current->cred, sizeof(struct cred));
	watch(FILE_LOCK, &current->files->file_lock, sizeof(spinlock_t));
	watch(DESCRIPTORS, current->files, sizeof(struct files_struct));
	watch(FS, current->fs, sizeof(struct fs_struct));
	watch(LABEL, &kernel.vfs->lsm_label, sizeof(atomic_t));
	watch(VFS, kernel.vfs, sizeof(struct vfs));
	seen.stack = arena_offset(__builtin_frame_address(0));
}

/* --- operations ----------------------------------------------------------- */

/* One of them; @fd is open on PATH. */
typedef void (*operation_fn)(int fd);

static void
open_close_with(int flags)
{
	int fd = vfs_harness_open(PATH, flags);

	watch_file(fd);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
open_close(int fd)
{
	open_close_with(O_RDWR);
}

static void
open_close_read_only(int fd)
{
	open_close_with(O_RDONLY);
}

static void
traced_body(void *arg)
{
	operation_fn operation = *(const operation_fn *)arg;
	int fd = vfs_harness_open(PATH, O_RDWR);

	watch_names(fd);
	for (int i = 0; i < WARM_ITERATIONS; i++)
		operation(fd);
	watch_file(fd);
	trace_accesses(record, NULL);
	operation(fd);
	trace_accesses(NULL, NULL);
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
make_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	vfs_harness_file(PATH, 1, 'x');
}

static void
run(operation_fn operation)
{
	memset(&seen, 0, sizeof(seen));
	vfs_harness_boot(1);
	vfs_harness_init(make_body, NULL);
	vfs_harness_run(TASK_PROCESS, 1, traced_body, &operation);
	vfs_harness_shutdown();
}

static void
run_with(int family, int choice, operation_fn operation)
{
	int before = policy_value[family];

	policy_value[family] = choice;
	run(operation);
	policy_value[family] = before;
}

/* --- what is expected ----------------------------------------------------- */

struct writes {
	enum word word;
	u64 rmws;
	u64 stores;
};

#ifdef POISON /* there, freeing a file takes locks of its own */
#define LOOKED_AT ELSEWHERE
#else
#define LOOKED_AT WORDS
#endif

#define ANY (~0ull) /* stores: not of this test's concern */

/* Nothing is written but what @expected lists, and no cmpxchg failed. */
static void
check(const struct writes *expected, size_t count)
{
	u64 rmws[WORDS] = { 0 };
	u64 stores[WORDS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		rmws[expected[i].word] = expected[i].rmws;
		stores[expected[i].word] = expected[i].stores;
	}
	for (int word = 0; word < LOOKED_AT; word++) {
		if (seen.rmws[word] == rmws[word] &&
		    (seen.stores[word] == stores[word] || stores[word] == ANY))
			continue;
		fail_msg("%s: %llu updates and %llu stores, expected %llu and %llu",
			 word_names[word], (unsigned long long)seen.rmws[word],
			 (unsigned long long)seen.stores[word], (unsigned long long)rmws[word],
			 (unsigned long long)stores[word]);
	}
	assert_int_equal(seen.failed, 0);
}

#define CHECK(...)                                                                                 \
	do {                                                                                       \
		const struct writes list[] = { __VA_ARGS__ };                                      \
                                                                                                   \
		check(list, ARRAY_SIZE(list));                                                     \
	} while (0)

/*
 * What every open and close writes besides: all private to the process. The new file
 * is known from the end of the open on.
 */
#define PRIVATE                                                                                    \
	{ CRED, 2, 0 }, { FILE_LOCK, 2, 2 }, { DESCRIPTORS, 0, ANY }, { FILE_COUNT, 1, 0 },        \
		{ OPEN_FILE, 0, ANY }, { ELSEWHERE, 0, ANY }

static void
open_and_close(void **state)
{
	run(open_close);
	CHECK({ LOCKREF, 4, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
	run(open_close_read_only);
	CHECK({ LOCKREF, 4, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
}

/* The walk reads what it passes through; not even a directory's reference count. */
static void
directories_are_only_read(void **state)
{
	run(open_close);
	assert_true(seen.loads[DIRECTORY] > 0);
	assert_true(seen.loads[DIRECTORY_INODE] > 0);
	assert_int_equal(seen.loads[DIRECTORY_LOCKREF], 0);
	assert_true(seen.loads[VFS] > 0);
}

static void
lockref_choices(void **state)
{
	run_with(POLICY_lockref, lockref_cas_pause, open_close);
	CHECK({ LOCKREF, 4, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
	run_with(POLICY_lockref_retries, lockref_retries_unbounded, open_close);
	CHECK({ LOCKREF, 4, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
	/* Each reference is a lock, a count and an unlock. */
	run_with(POLICY_lockref, lockref_spinlock, open_close);
	CHECK({ LOCKREF, 4, 4 + 4 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
}

static void
the_old_layout_writes_another_line_as_often(void **state)
{
	run_with(POLICY_dentry_layout, dentry_layout_shared_line, open_close);
	CHECK({ LOCKREF, 4, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
}

static void
more_that_some_kernels_write(void **state)
{
	run_with(POLICY_open_parent_ref, open_parent_ref_on, open_close);
	CHECK({ LOCKREF, 4, 0 }, { DIRECTORY_LOCKREF, 2, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
	run_with(POLICY_lsm_label, lsm_label_on, open_close);
	CHECK({ LOCKREF, 4, 0 }, { LABEL, 2, 0 }, { INODE_COUNTERS, 2, 0 }, PRIVATE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_and_close),
		cmocka_unit_test(directories_are_only_read),
		cmocka_unit_test(lockref_choices),
		cmocka_unit_test(the_old_layout_writes_another_line_as_often),
		cmocka_unit_test(more_that_some_kernels_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
