/*
 * race_dentry_test.c - directed races of path walks with rename and unlink
 *
 * Goal: a walk that meets a change under its feet notices and starts again with
 * references; it opens what the path leads to before the change or after it, and
 * never another file or a dead one. Method: a script halts an open at each of its
 * looks at a dentry, and lets the change through. Virtual kind only.
 */
#include <errno.h>

#include "tests/vfs_race.h"
#include "vfs/dentry_name.h"
#include "vfs/events.h"
#include "vfs/fdtable.h"
#include "vfs/inode.h"

/* Every file holds one byte, its name's last. */
static const char *const files[] = { "/d/f", "/d/h", "/d/s" };

/* What the tests look at, and what T1 saw. */
struct scene {
	struct dentry *d;	/* /d */
	struct dentry *f;	/* /d/f */
	struct dentry *s;	/* /d/s */
	struct dentry *e;	/* /d/e, an empty directory */
	struct dentry *ahead;	/* the name in front of /d/s in its chain */
	char ahead_path[24];
	int opened;		/* the byte of the file that T1 opened, or its error */
	struct dentry *found;
	struct dentry *found_at_once;
};

static struct scene scene;

static struct dentry *
dentry_at(const char *path)
{
	int fd = vfs_harness_open(path, O_RDONLY);
	struct dentry *dentry = current->files->fd_array[fd]->f_path.dentry;

	EXPECT_EQUAL(sys_close(fd), 0);
	return dentry;
}

/* A file whose name comes before /d/s in the same chain of the hash: it is made later. */
static void
make_ahead(void)
{
	struct qstr name;

	for (int i = 0;; i++) {
		memset(scene.ahead_path, 0, sizeof(scene.ahead_path));
		snprintf(scene.ahead_path, sizeof(scene.ahead_path) - 8, "/d/%d", i);
		hash_component(d_inode(scene.d)->i_salt, scene.ahead_path + 3, &name);
		if (d_chain(name.hash) == d_chain(scene.s->d_name.hash))
			break;
	}
	vfs_harness_file(scene.ahead_path, 1, 'a');
	scene.ahead = dentry_at(scene.ahead_path);
}

static void
make_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		vfs_harness_file(files[i], 1, files[i][3]);
	scene.d = dentry_at("/d");
	scene.e = dentry_at("/d/e");
	scene.f = dentry_at("/d/f");
	scene.s = dentry_at("/d/s");
	make_ahead();
}

/* --- T1 ------------------------------------------------------------------- */

static void
open_path(const char *path, int flags)
{
	int fd = sys_open(path, flags, 0644);
	char byte = 0;

	scene.opened = fd;
	if (fd < 0)
		return;
	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 0), 1);
	scene.opened = byte;
	EXPECT_EQUAL(sys_close(fd), 0);
}

static void
open_f(void *arg)
{
	open_path("/d/f", O_RDONLY);
}

static void
open_s(void *arg)
{
	open_path("/d/s", O_RDONLY);
}

static void
create_in_e(void *arg)
{
	open_path("/d/e/new", O_RDWR | O_CREAT);
}

static void
lookup_s(void *arg)
{
	scene.found = d_lookup(scene.d, &scene.s->d_name);
	dput(scene.found);
}

static void
lookup_s_once(void *arg)
{
	scene.found_at_once = __d_lookup(scene.d, &scene.s->d_name);
	dput(scene.found_at_once);
}

/* --- T2 ------------------------------------------------------------------- */

static void
rename_f(void *arg)
{
	EXPECT_EQUAL(sys_rename("/d/f", "/d/g"), 0);
}

static void
rename_f_and_back(void *arg)
{
	EXPECT_EQUAL(sys_rename("/d/f", "/d/g"), 0);
	EXPECT_EQUAL(sys_rename("/d/g", "/d/f"), 0);
}

static void
replace_f(void *arg)
{
	EXPECT_EQUAL(sys_rename("/d/h", "/d/f"), 0);
}

static void
rename_d(void *arg)
{
	EXPECT_EQUAL(sys_rename("/d", "/c"), 0);
}

static void
rename_ahead(void *arg)
{
	EXPECT_EQUAL(sys_rename(scene.ahead_path, "/d/elsewhere"), 0);
}

static void
unlink_f(void *arg)
{
	EXPECT_EQUAL(sys_unlink("/d/f"), 0);
}

static void
remove_e(void *arg)
{
	EXPECT_EQUAL(sys_rmdir("/d/e"), 0);
}

/* --- races ---------------------------------------------------------------- */

/* What of a dentry T1 is about to access when it halts. */
enum field { SEQ, INODE, NEXT_IN_CHAIN, REFERENCE, INODE_LOCK };

static const void *
field_of(struct dentry *dentry, enum field field)
{
	switch (field) {
	case SEQ:
		return &dentry->d_seq;
	case INODE:
		return &dentry->d_inode;
	case NEXT_IN_CHAIN:
		return &dentry->d_hash.next;
	case REFERENCE:
		return d_lockref(dentry);
	default:
		return &d_inode(dentry)->i_rwsem.count;
	}
}

static u64
event_total(enum vfs_event event)
{
	u64 events[EVENT_MAX];

	runtime_event_totals(events);
	return events[event];
}

/*
 * Run T1 until its stop at the dentry that @dentry points to (in the scene), then T2
 * until it waits or ends, then T1 to its end. Return: how often T1 started again.
 */
static u64
run_race(void (*t1)(void *arg), struct dentry **dentry, enum field field, enum script_kind kind,
	 int nth, void (*t2)(void *arg))
{
	struct script_stop stops[] = {
		{ T1, kind, NULL, nth },
		{ T2, SCRIPT_UNTIL_WAIT, NULL, 0 },
		{ T1, SCRIPT_UNTIL_WAIT, NULL, 0 },
	};
	u64 restarts;

	memset(&scene, 0, sizeof(scene));
	vfs_harness_boot(2);
	vfs_harness_init(make_body, NULL);
	restarts = event_total(EVENT_WALK_RESTART);
	stops[0].address = field_of(*dentry, field);
	vfs_race_run(TASK_PROCESS, stops, ARRAY_SIZE(stops), t1, t2, NULL);
	restarts = event_total(EVENT_WALK_RESTART) - restarts;
	vfs_harness_shutdown();
	return restarts;
}

/*
 * The places of an open: it has found the name and is about to look at the inode;
 * it has the inode and is about to check that both belong together; it is about to
 * take its reference.
 */
static const struct {
	enum field field;
	enum script_kind kind;
	int nth;
} places[] = {
	{ INODE, SCRIPT_LOAD, 1 },
	{ SEQ, SCRIPT_LOAD, 2 },
	{ REFERENCE, SCRIPT_RMW, 1 },
};

/* Wherever @t2 comes in, T1 starts again once and ends with @opened. */
static void
at_each_place(void (*t2)(void *arg), int opened)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		u64 restarts = run_race(open_f, &scene.f, places[i].field, places[i].kind,
					places[i].nth, t2);

		assert_int_equal(restarts, 1);
		assert_int_equal(scene.opened, opened);
	}
}

static void
renamed_away(void **state)
{
	at_each_place(rename_f, -ENOENT);
}

/* Everything is as it was, but the walk cannot know. */
static void
renamed_away_and_back(void **state)
{
	at_each_place(rename_f_and_back, 'f');
}

static void
replaced_by_another(void **state)
{
	at_each_place(replace_f, 'h');
}

/* The dentry is dead by the time of the reference, or was negative before that. */
static void
unlinked(void **state)
{
	at_each_place(unlink_f, -ENOENT);
}

/* /d/f was found in a directory that is not /d any more. */
static void
the_directory_is_renamed_after_the_lookup(void **state)
{
	assert_int_equal(run_race(open_f, &scene.d, SEQ, SCRIPT_LOAD, 3, rename_d), 1);
	assert_int_equal(scene.opened, -ENOENT);
}

/* Once the walk has left the directory, its new name is no matter. */
static void
the_directory_is_renamed_behind_the_walk(void **state)
{
	assert_int_equal(run_race(open_f, &scene.f, SEQ, SCRIPT_LOAD, 2, rename_d), 0);
	assert_int_equal(scene.opened, 'f');
}

/*
 * T1 stands on the name in front of the one that it looks for; that moves to another
 * chain, and takes T1 along to where /d/s is not. A miss under RCU says nothing: the
 * walk looks again with references, and need not start again.
 */
static void
carried_into_another_chain(void **state)
{
	assert_int_equal(run_race(open_s, &scene.ahead, NEXT_IN_CHAIN, SCRIPT_LOAD, 1,
				  rename_ahead), 0);
	assert_int_equal(scene.opened, 's');
}

/* With references the lookup misses as well; rename_lock's count says so. */
static void
a_lookup_repeats_a_miss_during_a_rename(void **state)
{
	run_race(lookup_s_once, &scene.ahead, NEXT_IN_CHAIN, SCRIPT_LOAD, 1, rename_ahead);
	assert_null(scene.found_at_once);
	run_race(lookup_s, &scene.ahead, NEXT_IN_CHAIN, SCRIPT_LOAD, 1, rename_ahead);
	assert_ptr_equal(scene.found, scene.s);
}

/* The walk holds the directory when it is removed: nothing can be made in it any more. */
static void
create_in_a_directory_that_is_removed(void **state)
{
	assert_int_equal(run_race(create_in_e, &scene.e, INODE_LOCK, SCRIPT_RMW, 1, remove_e), 0);
	assert_int_equal(scene.opened, -ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renamed_away),
		cmocka_unit_test(renamed_away_and_back),
		cmocka_unit_test(replaced_by_another),
		cmocka_unit_test(unlinked),
		cmocka_unit_test(the_directory_is_renamed_after_the_lookup),
		cmocka_unit_test(the_directory_is_renamed_behind_the_walk),
		cmocka_unit_test(carried_into_another_chain),
		cmocka_unit_test(a_lookup_repeats_a_miss_during_a_rename),
		cmocka_unit_test(create_in_a_directory_that_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
