/*
 * vfs_random_test.c - the same calls here and on the host's tmpfs, the same results
 *
 * Goal: every call returns what Linux returns, with the same errors, and leaves the
 * same tree behind. Method: random sequences of calls (vfs_random.h), each in an
 * empty file system, as an unprivileged user and as root, and ours on the image file
 * system, too. The host makes them in /dev/shm; without tmpfs there, or a way to a root
 * directory of our own, there is nothing to compare with. Of a sequence that disagrees
 * as few calls as possible are printed. An argument is the number of sequences, of which
 * root and the image get a quarter each.
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

#define SEQUENCES 2000 /* unless an argument says otherwise */
#define SEQUENCES_PER_BOOT 250

#ifdef MACHINE_VIRTUAL
#define OURS (&virtual_kernel.sys)
#else
#define OURS (&host_kernel.sys)
#endif

/* Shared with child processes. */
struct results {
	u64 running;		/* what ours is at */
	/* of one boot */
	struct outcomes ours[SEQUENCES_PER_BOOT];
	struct outcomes theirs[SEQUENCES_PER_BOOT];
	char our_tree[TREE_TEXT];
	char their_tree[TREE_TEXT];
};

static struct results *results;
static struct host_root host_root;
static struct host_root somebody;	/* who is not root, and may make the calls */
static const char *file_system;	/* ours */
static u64 sequences = SEQUENCES;
static bool recent;	/* the host's kernel: see random_sequence() */

/* --- the host's side --------------------------------------------------------- */

struct their_run {
	const struct random_sequence *sequence;
	struct outcomes *outcomes;
	char *tree;
};

static void
their_change(const char *path, mode_t mode, bool give)
{
	if ((give && chown(path, somebody.uid, somebody.gid)) || chmod(path, mode))
		abort();
}

static void
their_setup(const struct syscalls *sys)
{
	random_setup(sys, their_change);
}

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

	assert_true(host_root_run(&host_root, number, RANDOM_DESCRIPTORS, their_setup, their_body,
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
own(struct inode *inode, const struct host_root *owner)
{
	inode->i_uid = owner->uid;
	inode->i_gid = owner->gid;
}

static void
our_change(const char *name, mode_t mode, bool give)
{
	struct path path;
	struct inode *inode;

	EXPECT_EQUAL(user_path_at(name, LOOKUP_FOLLOW, &path), 0);
	inode = d_inode(path.dentry);
	inode->i_mode = (inode->i_mode & S_IFMT) | mode;
	if (give)
		own(inode, &somebody);
	path_put(&path);
}

/* In a file system of its own, which nobody uses any more at the end. Context: a task. */
static void
run_ours(const struct random_sequence *sequence, struct outcomes *outcomes, char *tree)
{
	struct path top = current->fs->root;
	struct path root;

	EXPECT_EQUAL(sys_mount("none", "/mnt", file_system, 0, NULL), 0);
	EXPECT_EQUAL(user_path_at("/mnt", LOOKUP_FOLLOW, &root), 0);
	path_get(&top);
	change_root(&root);
	path_put(&root);
	if (!host_root.root) {
		own(d_inode(root.dentry), &host_root);
		vfs_harness_become(host_root.uid, host_root.gid);
	}
	WRITE_ONCE(current->fs->umask, 0);
	random_setup(OURS, our_change);
	WRITE_ONCE(current->fs->umask, 022);
	if (host_root.root)
		vfs_harness_become(host_root.uid, host_root.gid);
	random_run(OURS, sequence, outcomes, tree);
	vfs_harness_become(0, 0);
	change_root(&top);
	path_put(&top);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

/* Without O_DIRECT on a file system of ours that cannot. */
static void
make_sequence(struct random_sequence *sequence, u64 number)
{
	random_sequence(sequence, number, recent);
	for (int i = 0; i < sequence->count && strcmp(file_system, "tmpfs"); i++)
		sequence->calls[i].flags &= ~O_DIRECT;
}

static u64
batch_size(u64 first)
{
	return min(sequences - first, (u64)SEQUENCES_PER_BOOT);
}

static void
begin_ours(void)
{
	kernel.vfs->nr_open = RANDOM_DESCRIPTORS;
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
}

/* Sequences from number *@arg on. */
static void
batch_body(void *arg)
{
	u64 first = *(const u64 *)arg;
	static struct random_sequence sequence;

	begin_ours();
	for (u64 i = 0; i < batch_size(first); i++) {
		WRITE_ONCE(results->running, i);
		make_sequence(&sequence, first + i);
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
batch_ours(const void *first)
{
	vfs_harness_boot(1);
	vfs_harness_init(batch_body, (void *)first);
	vfs_harness_shutdown();
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

	make_sequence(&sequence, number);
	shorten(&sequence);
	if (!disagrees(&sequence))
		print_message("sequence %llu disagrees only after others\n",
			      (unsigned long long)number);
	print_message("sequence %llu, shortened; as uid %d, in /w:\n", (unsigned long long)number,
		      (int)host_root.uid);
	print_sequence(&sequence);
}

/* One boot's sequences, from number @first on. Return: those that agree before one does not. */
static u64
compare_batch(u64 first)
{
	static struct random_sequence sequence;
	u64 agree = batch_size(first);

	for (u64 i = 0; i < batch_size(first); i++) {
		make_sequence(&sequence, first + i);
		run_theirs(&sequence, i, &results->theirs[i], NULL);
	}
	if (!in_a_child(batch_ours, &first))
		agree = results->running;
	for (u64 i = 0; i < agree; i++)
		if (!outcomes_equal(&results->ours[i], &results->theirs[i], SEQUENCE_CALLS))
			agree = i;
	return agree;
}

/* The first @count sequences, ours on a file system of @type. */
static void
compare(u64 count, const char *type, bool as_root)
{
	u64 done = 0;
	u64 agree;

	if ((as_root && !host_is_root()) || !host_root_create(&host_root))
		skip();
	somebody = host_root;
	if (as_root)
		host_root.uid = host_root.gid = 0;
	file_system = type;
	sequences = count;
	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_ptr_not_equal(results, MAP_FAILED);
	do {
		agree = compare_batch(done);
		done += agree;
	} while (done < count && agree == SEQUENCES_PER_BOOT);
	if (done < count)
		explain(done);
	munmap(results, sizeof(*results));
	host_root_destroy(&host_root);
	assert_int_equal(done, count);
}

static void
results_are_those_of_linux(void **state)
{
	compare(*(const u64 *)*state, "tmpfs", false);
}

static void
results_for_root_are_those_of_linux(void **state)
{
	compare(*(const u64 *)*state / 4, "tmpfs", true);
}

/* What holds for one file system holds for the other. */
static void
results_on_an_image_are_those_of_linux(void **state)
{
	compare(*(const u64 *)*state / 4, "image", false);
}

static void
note_pairs(bool drawn[32][32], int flags)
{
	for (int i = 0; random_open_flags[i]; i++)
		for (int j = 0; random_open_flags[j]; j++)
			if ((flags & random_open_flags[i]) == random_open_flags[i] &&
			    (flags & random_open_flags[j]) == random_open_flags[j])
				drawn[i][j] = true;
}

/* Any two flags of open(2) meet, with every access mode. */
static void
every_pair_of_flags_is_drawn(void **state)
{
	static struct random_sequence sequence;
	static bool drawn[4][32][32];

	for (u64 number = 0; number < SEQUENCES; number++) {
		random_sequence(&sequence, number, true);
		for (int i = 0; i < SEQUENCE_CALLS; i++)
			if (random_is_open(&sequence.calls[i]))
				note_pairs(drawn[sequence.calls[i].flags & O_ACCMODE],
					   sequence.calls[i].flags);
	}
	for (int mode = 0; mode < 4; mode++)
		for (int i = 0; random_open_flags[i]; i++)
			for (int j = 0; random_open_flags[j]; j++)
				assert_true(drawn[mode][i][j]);
}

int
main(int argc, char **argv)
{
	u64 count = argc > 1 ? strtoull(argv[1], NULL, 10) : SEQUENCES;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_flags_is_drawn),
		cmocka_unit_test_prestate(results_are_those_of_linux, &count),
		cmocka_unit_test_prestate(results_for_root_are_those_of_linux, &count),
		cmocka_unit_test_prestate(results_on_an_image_are_those_of_linux, &count),
	};

	recent = host_is_at_least(6, 6);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
