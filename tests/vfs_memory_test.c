/*
 * vfs_memory_test.c - what happens to files when memory runs out
 *
 * Goal: boot, open and the growth of a table fail with ENOMEM, cleanly, at every
 * step that allocates. Method: a hog takes all memory for objects and gives it
 * back little by little; each attempt gets a bit further than the one before.
 * Whatever a failed attempt kept would be missed at shutdown.
 */
#include <errno.h>
#include <stdlib.h>

#include "machine/arena.h"
#include "tests/vfs_harness.h"
#include "vfs/fdtable.h"

#define HOG_BLOCKS 100000
#define STEP 4 /* blocks given back between attempts */
#define BOOT_STEP 32 /* per-CPU areas are not given back, so fewer attempts there */

struct hog {
	void *blocks[HOG_BLOCKS];
	size_t sizes[HOG_BLOCKS];
	int count;
};

/* Take everything, in ever smaller blocks. */
static struct hog *
hog_create(void)
{
	static const size_t sizes[] = { 1 << 20, 1 << 16, 1 << 12, 1 << 10, 256, 64 };
	struct hog *hog = calloc(1, sizeof(*hog));
	int node;

	for_each_node(node) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			void *block;

			while (hog->count < HOG_BLOCKS &&
			       (block = arena_alloc(sizes[i], CACHE_LINE, node))) {
				hog->blocks[hog->count] = block;
				hog->sizes[hog->count++] = sizes[i];
			}
		}
	}
	return hog;
}

static void
hog_release(struct hog *hog, int count)
{
	for (; count && hog->count; count--) {
		hog->count--;
		arena_free(hog->blocks[hog->count], hog->sizes[hog->count]);
	}
}

static void
hog_destroy(struct hog *hog)
{
	hog_release(hog, hog->count);
	free(hog);
}

static void
boot_fails_cleanly(void **state)
{
	struct hog *hog;
	int failures = 0;

	harness_boot(NULL);
	hog = hog_create();
	for (;;) {
		size_t before = arena_bytes_in_use();
		int error = vfs_boot(4);

		if (!error)
			break;
		failures++;
		assert_int_equal(error, -ENOMEM);
		assert_null(kernel.vfs);
		assert_int_equal(arena_bytes_in_use(), before);
		hog_release(hog, BOOT_STEP);
	}
	assert_true(failures > 3);
	hog_destroy(hog);
	vfs_harness_shutdown();
}

/* Opens that make files, until one succeeds. */
static void
open_body(void *arg)
{
	struct hog *hog = hog_create();
	int failures = 0;
	int fd;

	while ((fd = sys_open("/file", O_RDWR | O_CREAT, 0644)) < 0) {
		EXPECT_EQUAL(fd, -ENOMEM);
		EXPECT_EQUAL(percpu_counter_sum(&kernel.vfs->nr_files), 0);
		failures++;
		hog_release(hog, STEP);
	}
	EXPECT_EQUAL(fd, 0);
	EXPECT(failures > 1);
	hog_destroy(hog);
}

static void
open_fails_cleanly(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(open_body, NULL);
	vfs_harness_shutdown();
}

/* The 65th descriptor needs a bigger table; the 64 others stay as they are. */
static void
growth_body(void *arg)
{
	int failures = 0;
	struct hog *hog;
	int fd;

	for (fd = 0; fd < NR_OPEN_DEFAULT; fd++)
		EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), fd);
	hog = hog_create();
	while ((fd = get_unused_fd_flags(0)) < 0) {
		EXPECT_EQUAL(fd, -ENOMEM);
		EXPECT_EQUAL(current->files->fdt->max_fds, NR_OPEN_DEFAULT);
		failures++;
		hog_release(hog, STEP);
	}
	EXPECT_EQUAL(fd, NR_OPEN_DEFAULT);
	EXPECT(failures > 1);
	put_unused_fd(NR_OPEN_DEFAULT);
	hog_destroy(hog);
}

static void
growth_fails_cleanly(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(growth_body, NULL);
	vfs_harness_shutdown();
}

static void
copy_body(void *arg)
{
	struct files_struct *copy;
	int failures = 0;
	struct hog *hog;

	for (int fd = 0; fd < 100; fd++)
		EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), fd);
	hog = hog_create();
	while (!(copy = dup_fd(current->files))) {
		failures++;
		hog_release(hog, STEP);
	}
	EXPECT(failures > 1);
	put_files_struct(copy);
	hog_destroy(hog);
}

static void
copy_fails_cleanly(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(copy_body, NULL);
	vfs_harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boot_fails_cleanly),
		cmocka_unit_test(open_fails_cleanly),
		cmocka_unit_test(growth_fails_cleanly),
		cmocka_unit_test(copy_fails_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
