/*
 * race_mount_test.c - directed races of a walk under RCU with umount
 *
 * Goal: the end of a walk and umount see each other, whoever comes first (the table
 * in vfs/mount.h): either the walk has a reference and umount finds the file
 * system busy, or the walk notices, gives back what it took and starts again on
 * the tree without the mount. Method: a script halts the walk at each step of
 * legitimize_mnt() and lets umount through. Virtual kind only.
 */
#include <errno.h>

#include "tests/vfs_race.h"
#include "vfs/events.h"
#include "vfs/fdtable.h"
#include "vfs/inode.h"

#define INNER "/mnt/f"	/* holds 'm'; when nothing is mounted, 'r' */

/* What the tasks saw; each writes its own. */
struct race {
	struct dentry *inner;	/* of the mounted INNER */
	int opened;		/* what the file held that T1 opened, or its error */
	int umounted;
	int legitimized;
};

static void
make_body(void *arg)
{
	struct race *race = arg;
	int fd;

	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	vfs_harness_file(INNER, 1, 'r');
	EXPECT_EQUAL(sys_mount("none", "/mnt", "tmpfs", 0, NULL), 0);
	vfs_harness_file(INNER, 1, 'm');
	fd = vfs_harness_open(INNER, O_RDONLY);
	race->inner = current->files->fd_array[fd]->f_path.dentry;
	EXPECT_EQUAL(sys_close(fd), 0);
}

/* If T2 found it busy, it is not any more. */
static void
umount_if_mounted(const struct race *race)
{
	EXPECT_EQUAL(sys_umount("/mnt"), race->umounted == -EBUSY ? 0 : -EINVAL);
}

static void
open_body(void *arg)
{
	struct race *race = arg;
	int fd = vfs_harness_open(INNER, O_RDONLY);
	char byte = 0;

	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), 1);
	race->opened = byte;
	EXPECT_EQUAL(sys_close(fd), 0);
	umount_if_mounted(race);
}

/* The mount is found before T2 comes, and made a reference as a walk does it. */
static void
legitimize_body(void *arg)
{
	struct race *race = arg;
	struct mounts *mounts = &kernel.vfs->mounts;
	struct mount *mnt;
	unsigned int seq;

	rcu_read_lock();
	seq = read_seqbegin(&mounts->lock);
	mnt = __lookup_mnt(&mounts->root->mnt, mounts->slots[1]->mnt_mountpoint);
	EXPECT(mnt == mounts->slots[1]);
	race->legitimized = legitimize_mnt(&mounts->lock, &mnt->mnt, seq);
	rcu_read_unlock();
	if (race->legitimized <= 0)
		mntput(&mnt->mnt);
	umount_if_mounted(race);
}

static void
umount_body(void *arg)
{
	struct race *race = arg;

	race->umounted = sys_umount("/mnt");
}

static u64
restarts(void)
{
	u64 events[EVENT_MAX];

	runtime_event_totals(events);
	return events[EVENT_WALK_RESTART];
}

/* Where T1 halts: before its @nth access of @kind to a field. */
struct halt {
	enum { MOUNT_LOCK, MOUNT_GETS, INNER_LOCKREF } field;
	enum script_kind kind;
	int nth;
};

static const void *
field_address(const struct halt *halt, const struct race *race)
{
	const struct mounts *mounts = &kernel.vfs->mounts;

	if (halt->field == MOUNT_LOCK)
		return &mounts->lock.seqcount;
	if (halt->field == INNER_LOCKREF)
		return d_lockref(race->inner);
	return &((struct mnt_pcp *)per_cpu_ptr(mounts->slots[1]->mnt_pcp, T1))->mnt_gets;
}

/* Run T1 until @halt, then umount until it waits or ends, then T1. Return: what they saw. */
static struct race
run_race(void (*body)(void *arg), const struct halt *halt, u64 expected_restarts)
{
	struct script_stop stops[] = {
		{ T1, halt->kind, NULL, halt->nth },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};
	struct race race = { .opened = 0 };

	vfs_harness_boot(2);
	vfs_harness_init(make_body, &race);
	stops[0].address = field_address(halt, &race);
	vfs_race_run(TASK_PROCESS, stops, ARRAY_SIZE(stops), body, umount_body, &race);
	assert_int_equal(restarts(), expected_restarts);
	vfs_harness_shutdown();
	return race;
}

/* Before anything was taken: there is nothing to give back. */
static void
legitimize_says_1_before_the_reference(void **state)
{
	const struct halt halt = { MOUNT_LOCK, SCRIPT_LOAD, 2 };
	struct race seen = run_race(legitimize_body, &halt, 0);

	assert_int_equal(seen.legitimized, 1);
	assert_int_equal(seen.umounted, 0);
}

/* The count was right, and the reference comes too late for umount to see it. */
static void
legitimize_says_minus_1_when_umount_missed_it(void **state)
{
	const struct halt halt = { MOUNT_GETS, SCRIPT_STORE, 1 };
	struct race seen = run_race(legitimize_body, &halt, 0);

	assert_int_equal(seen.legitimized, -1);
	assert_int_equal(seen.umounted, 0);
}

/* The reference is there, and umount sees it; so does the reader see umount's attempt. */
static void
legitimize_says_minus_1_when_umount_saw_it(void **state)
{
	const struct halt halt = { MOUNT_LOCK, SCRIPT_LOAD, 3 };
	struct race seen = run_race(legitimize_body, &halt, 0);

	assert_int_equal(seen.legitimized, -1);
	assert_int_equal(seen.umounted, -EBUSY);
}

/*
 * An open's loads of mount_lock's count: at its beginning, as it crosses the
 * mountpoint, and twice at its end.
 */
static void
open_crosses_a_mount_that_goes(void **state)
{
	const struct halt halt = { MOUNT_LOCK, SCRIPT_LOAD, 2 };
	struct race seen = run_race(open_body, &halt, 1);

	assert_int_equal(seen.umounted, 0);
	assert_int_equal(seen.opened, 'r');
}

static void
open_ends_in_a_mount_that_is_gone(void **state)
{
	const struct halt before = { MOUNT_LOCK, SCRIPT_LOAD, 3 };
	const struct halt within = { MOUNT_GETS, SCRIPT_STORE, 1 };
	struct race seen = run_race(open_body, &before, 1);

	assert_int_equal(seen.umounted, 0);
	assert_int_equal(seen.opened, 'r');
	seen = run_race(open_body, &within, 1);
	assert_int_equal(seen.umounted, 0);
	assert_int_equal(seen.opened, 'r');
}

/* Counted in time: the walk starts again all the same, and ends where it was. */
static void
open_is_counted_before_umount_looks(void **state)
{
	const struct halt halt = { MOUNT_LOCK, SCRIPT_LOAD, 4 };
	struct race seen = run_race(open_body, &halt, 1);

	assert_int_equal(seen.umounted, -EBUSY);
	assert_int_equal(seen.opened, 'm');
}

/* Past the mount's check, the walk has nothing more to fear from umount. */
static void
open_holds_the_mount_while_it_takes_the_dentry(void **state)
{
	const struct halt halt = { INNER_LOCKREF, SCRIPT_RMW, 1 };
	struct race seen = run_race(open_body, &halt, 0);

	assert_int_equal(seen.umounted, -EBUSY);
	assert_int_equal(seen.opened, 'm');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legitimize_says_1_before_the_reference),
		cmocka_unit_test(legitimize_says_minus_1_when_umount_missed_it),
		cmocka_unit_test(legitimize_says_minus_1_when_umount_saw_it),
		cmocka_unit_test(open_crosses_a_mount_that_goes),
		cmocka_unit_test(open_ends_in_a_mount_that_is_gone),
		cmocka_unit_test(open_is_counted_before_umount_looks),
		cmocka_unit_test(open_holds_the_mount_while_it_takes_the_dentry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
