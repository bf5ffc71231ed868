/*
 * vfs_random_test.c - the same calls here and on the host's tmpfs, the same results
 *
 * Goal: every call returns what Linux returns, with the same errors, and leaves the
 * same tree behind. Method: random sequences of calls (vfs_random.h), each in an
 * empty file system and as an unprivileged user. The host makes them in /dev/shm;
 * without tmpfs there, or a way to a root directory of our own, there is nothing to
 * compare with. Of a sequence that disagrees as few calls as possible are printed.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/host_calls.h"
#include "tests/vfs_harness.h"
#include "tests/vfs_random.h"
#include "vfs/cred.h"
#include "vfs/fs_struct.h"
#include "vfs/inode.h"
#include "vfs/namei.h"

#define SEQUENCES 2000
#define SEQUENCES_PER_BOOT 250

#ifdef MACHINE_VIRTUAL
#define OURS (&virtual_kernel.sys)
#else
#define OURS (&host_kernel.sys)
#endif

/* Shared with child processes. */
struct results {
	u64 running;		/* the sequence that ours is at */
	struct outcomes ours[SEQUENCES];
	struct outcomes theirs[SEQUENCES];
	char our_tree[TREE_TEXT];
	char their_tree[TREE_TEXT];
};

static struct results *results;
static struct host_root host_root;

/* --- the host's side --------------------------------------------------------- */

struct their_run {
	const struct random_sequence *sequence;
	struct outcomes *outcomes;
	char *tree;
};

static void
their_body(void *arg)
{
	const struct their_run *run = arg;

	random_run(&host_calls, run->sequence, run->outcomes, run->tree);
}

static void
run_theirs(const struct random_sequence *sequence, u64 number, struct outcomes *outcomes,
	   char *tree)
{
	struct their_run run = { sequence, outcomes, tree };

	assert_true(host_root_run(&host_root, number, RANDOM_DESCRIPTORS, random_setup, their_body,
				  &run));
}

/* --- our side ---------------------------------------------------------------- */

/* What chroot(2) and chdir(2) do, for a task that is alone with its fs_struct. */
static void
change_root(const struct path *root)
{
	struct fs_struct *fs = current->fs;
	struct path old = fs->root;

	path_get(root);
	write_seqlock(&fs->seq);
	WRITE_ONCE(fs->root.mnt, root->mnt);
	WRITE_ONCE(fs->root.dentry, root->dentry);
	write_sequnlock(&fs->seq);
	path_put(&old);
	set_fs_pwd(fs, root);
}

/* What chown(2) does; nobody else looks. */
static void
own(struct inode *inode)
{
	inode->i_uid = host_root.uid;
	inode->i_gid = host_root.gid;
}

/* In a file system of its own, which nobody uses any more at the end. Context: a task. */
static void
run_ours(const struct random_sequence *sequence, struct outcomes *outcomes, char *tree)
{
	struct path top = current->fs->root;
	struct path root;

	EXPECT_EQUAL(sys_mount("none", "/mnt", "tmpfs", 0, NULL), 0);
	EXPECT_EQUAL(user_path_at("/mnt", LOOKUP_FOLLOW, &root), 0);
	path_get(&top);
	change_root(&root);
	path_put(&root);
	if (!host_root.root) {
		own(d_inode(root.dentry));
		vfs_harness_become(host_root.uid, host_root.gid);
	}
	WRITE_ONCE(current->fs->umask, 0);
	random_setup(OURS);
	WRITE_ONCE(current->fs->umask, 022);
	if (host_root.root)
		vfs_harness_become(host_root.uid, host_root.gid);
	random_run(OURS, sequence, outcomes, tree);
	vfs_harness_become(0, 0);
	change_root(&top);
	path_put(&top);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
begin_ours(void)
{
	kernel.vfs->nr_open = RANDOM_DESCRIPTORS;
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
}

static void
batch_body(void *arg)
{
	u64 first = *(const u64 *)arg;
	static struct random_sequence sequence;

	begin_ours();
	for (u64 i = first; i < min(first + SEQUENCES_PER_BOOT, (u64)SEQUENCES); i++) {
		WRITE_ONCE(results->running, i);
		random_sequence(&sequence, i);
		run_ours(&sequence, &results->ours[i], NULL);
	}
}

/* Return: whether @scenario(@arg), which boots a kernel, ends well in a child process. */
static bool
in_a_child(void (*scenario)(const void *arg), const void *arg)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (!child) {
		scenario(arg);
		fflush(NULL);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

static void
all_ours(const void *arg)
{
	for (u64 first = 0; first < SEQUENCES; first += SEQUENCES_PER_BOOT) {
		vfs_harness_boot(1);
		vfs_harness_init(batch_body, &first);
		vfs_harness_shutdown();
	}
}

/* --- both ---------------------------------------------------------------------- */

static bool
outcomes_equal(const struct outcomes *a, const struct outcomes *b, int count)
{
	for (int i = 0; i < count; i++)
		if (!outcome_equal(&a->calls[i], &b->calls[i]))
			return false;
	return outcome_equal(&a->tree, &b->tree);
}

static void
single_body(void *arg)
{
	begin_ours();
	run_ours(arg, &results->ours[0], results->our_tree);
}

static void
single_ours(const void *arg)
{
	vfs_harness_boot(1);
	vfs_harness_init(single_body, (void *)arg);
	vfs_harness_shutdown();
}

/* Both sides once more with @sequence alone. Return: whether they differ (or ours dies). */
static bool
disagrees(const struct random_sequence *sequence)
{
	memset(results->ours, 0, sizeof(*results->ours));
	results->our_tree[0] = results->their_tree[0] = '\0';
	run_theirs(sequence, 0, &results->theirs[0], results->their_tree);
	return !in_a_child(single_ours, sequence) ||
	       !outcomes_equal(&results->ours[0], &results->theirs[0], sequence->count);
}

static void
leave_out(const struct random_sequence *from, struct random_sequence *to, int first, int count)
{
	*to = *from;
	to->count -= count;
	memmove(&to->calls[first], &from->calls[first + count],
		(size_t)(to->count - first) * sizeof(*to->calls));
}

/* Leave calls out of @sequence, many and then single ones, as long as it disagrees. */
static void
shorten(struct random_sequence *sequence)
{
	static struct random_sequence shorter;

	for (int count = sequence->count / 2; count; count /= 2) {
		for (int first = sequence->count - count; first >= 0; first -= count) {
			if (first + count > sequence->count)
				continue;
			leave_out(sequence, &shorter, first, count);
			if (disagrees(&shorter))
				*sequence = shorter;
		}
	}
}

/* The lines of @tree that are not in @other. */
static void
print_lines_without(const char *tree, const char *other, const char *where)
{
	while (*tree) {
		size_t len = strcspn(tree, "\n");
		char line[512];

		snprintf(line, sizeof(line), "%.*s\n", (int)len, tree);
		if (!strstr(other, line))
			print_message("  %s: %s", where, line);
		tree += len + 1;
	}
}

static void
print_sequence(const struct random_sequence *sequence)
{
	char text[256];

	for (int i = 0; i < sequence->count; i++) {
		const struct outcome *ours = &results->ours[0].calls[i];
		const struct outcome *theirs = &results->theirs[0].calls[i];

		random_describe(&sequence->calls[i], text, sizeof(text));
		print_message("  %s = %lld %s\n", text, (long long)theirs->result, theirs->text);
		if (i >= results->ours[0].done)
			print_message("      did not return here\n");
		else if (!outcome_equal(ours, theirs))
			print_message("      and here %lld %s\n", (long long)ours->result,
				      ours->text);
	}
	print_lines_without(results->their_tree, results->our_tree, "there only");
	print_lines_without(results->our_tree, results->their_tree, "here only");
}

/* Say how little it takes for sequence @number to disagree. */
static void
explain(u64 number)
{
	static struct random_sequence sequence;

	random_sequence(&sequence, number);
	shorten(&sequence);
	if (!disagrees(&sequence))
		print_message("sequence %llu disagrees only after others\n",
			      (unsigned long long)number);
	print_message("sequence %llu, shortened; as uid %d, in /w:\n", (unsigned long long)number,
		      (int)host_root.uid);
	print_sequence(&sequence);
}

static void
results_are_those_of_linux(void **state)
{
	static struct random_sequence sequence;
	u64 wrong = SEQUENCES;

	if (!host_root_create(&host_root))
		skip();
	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_ptr_not_equal(results, MAP_FAILED);
	for (u64 i = 0; i < SEQUENCES; i++) {
		random_sequence(&sequence, i);
		run_theirs(&sequence, i, &results->theirs[i], NULL);
	}
	if (!in_a_child(all_ours, NULL))
		wrong = results->running;
	for (u64 i = 0; i < wrong; i++)
		if (!outcomes_equal(&results->ours[i], &results->theirs[i], SEQUENCE_CALLS))
			wrong = i;
	if (wrong < SEQUENCES)
		explain(wrong);
	munmap(results, sizeof(*results));
	host_root_destroy(&host_root);
	assert_int_equal(wrong, SEQUENCES);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_linux),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
