/*
 * shmem_test.c - tmpfs reading and writing against a plain buffer
 */
#include "tests/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/random.h"
#include "machine/runtime.h"
#include "pagecache/filemap.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"

#define MAX_SIZE (300ul * 1024)

struct file_under_test {
	struct address_space mapping;
	loff_t i_size;
};

static struct file_under_test *file;

/* What the file should hold. */
static unsigned char plain[MAX_SIZE];
static loff_t plain_size;

static const char *
file_name(const struct address_space *mapping, char *buf, size_t size)
{
	return "/tmp/file";
}

static const struct address_space_operations named_ops = { .name = file_name };

static void
boot_with_file(const struct harness *options)
{
	harness_boot(options);
	file = arena_alloc(sizeof(*file), CACHE_LINE, 0);
	assert_non_null(file);
	memset(file, 0, sizeof(*file));
	address_space_init(&file->mapping, NULL, &named_ops, -1);
	memset(plain, 0, sizeof(plain));
	plain_size = 0;
}

static void
drop_file(void *arg)
{
	truncate_inode_pages_final(&file->mapping);
}

static void
shutdown_with_file(void)
{
	harness_run(1, drop_file, NULL);
	arena_free(file, sizeof(*file));
	harness_shutdown();
}

static ssize_t
read_file(void *buf, size_t count, loff_t pos)
{
	return shmem_read(&file->mapping, buf, count, pos, &file->i_size);
}

static ssize_t
write_file(const void *buf, size_t count, loff_t pos)
{
	return shmem_write(&file->mapping, buf, count, pos, &file->i_size);
}

static void
truncate_file(loff_t size)
{
	loff_t old = file->i_size;

	smp_store_release(&file->i_size, size);
	if (size < old)
		truncate_pagecache(&file->mapping, size);
}

/* --- against a plain buffer --- */

static void
random_write(struct random_stream *random)
{
	static unsigned char buf[20000];
	loff_t pos = random_below(random, MAX_SIZE - sizeof(buf));
	size_t count = random_below(random, random_below(random, 2) ? sizeof(buf) : 100);

	for (size_t i = 0; i < count; i++)
		buf[i] = random_u64(random);
	BUG_ON(write_file(buf, count, pos) != (ssize_t)count, "short write at %ld", (long)pos);
	memcpy(plain + pos, buf, count);
	if (count)
		plain_size = max(plain_size, pos + (loff_t)count);
}

static void
random_read(struct random_stream *random)
{
	static unsigned char buf[20000];
	loff_t pos = random_below(random, MAX_SIZE);
	size_t count = random_below(random, random_below(random, 2) ? sizeof(buf) : 100);
	ssize_t expected = min(max(plain_size - pos, (loff_t)0), (loff_t)count);
	ssize_t got = read_file(buf, count, pos);

	BUG_ON(got != expected, "%zd bytes at %ld, not %zd", got, (long)pos, expected);
	BUG_ON(memcmp(buf, plain + pos, got), "wrong contents in %zd bytes at %ld", got, (long)pos);
}

static void
random_truncate(struct random_stream *random)
{
	loff_t size = random_below(random, MAX_SIZE);

	truncate_file(size);
	if (size < plain_size)
		memset(plain + size, 0, plain_size - size);
	plain_size = size;
}

static void
random_program(void *arg)
{
	struct random_stream random;

	random_init(&random, 1, "shmem_test");
	for (int step = 0; step < 600; step++) {
		unsigned int dice = random_below(&random, 20);

		if (dice < 8)
			random_write(&random);
		else if (dice < 19)
			random_read(&random);
		else
			random_truncate(&random);
	}
}

/* Reads, writes, holes, growth and truncation agree with a plain buffer. */
static void
calls_agree_with_a_plain_buffer(void **state)
{
	boot_with_file(NULL);
	harness_run(1, random_program, NULL);
	shutdown_with_file();
}

/* A hole reads as zeroes and takes no memory. */
static void
check_hole(void *arg)
{
	unsigned char buf[5000];

	BUG_ON(write_file("x", 1, 10 * 4096) != 1, "not written");
	BUG_ON(file->i_size != 10 * 4096 + 1, "size %ld", (long)file->i_size);
	memset(buf, 1, sizeof(buf));
	BUG_ON(read_file(buf, sizeof(buf), 3 * 4096 + 5) != sizeof(buf), "short read");
	for (size_t i = 0; i < sizeof(buf); i++)
		BUG_ON(buf[i], "byte %zu of a hole is %d", i, buf[i]);
	BUG_ON(file->mapping.nrpages != 1, "%lu pages", file->mapping.nrpages);
}

static void
a_hole_reads_as_zeroes_and_stays_one(void **state)
{
	boot_with_file(NULL);
	harness_run(1, check_hole, NULL);
	shutdown_with_file();
}

/* A file cannot outgrow memory: the write is short, the next one fails, reads still work. */
static void
check_no_space(void *arg)
{
	const size_t size = 4 << 20;
	unsigned char *buf = calloc(1, size);
	loff_t pos = 0;
	ssize_t put;

	memset(buf, 7, size);
	while ((put = write_file(buf, size, pos)) > 0)
		pos += put;
	BUG_ON(put != -ENOSPC, "error %zd", put);
	BUG_ON(file->i_size != pos, "size %ld after %ld bytes", (long)file->i_size, (long)pos);
	BUG_ON(read_file(buf, 1, pos - 1) != 1 || buf[0] != 7, "last byte lost");
	truncate_file(0);
	BUG_ON(write_file(buf, size, 0) != (ssize_t)size, "no space after truncation");
	free(buf);
}

static void
a_file_cannot_outgrow_memory(void **state)
{
	boot_with_file(NULL);
	harness_run(1, check_no_space, NULL);
	shutdown_with_file();
}

/* --- many tasks --- */

static void
write_start(void *arg)
{
	unsigned char buf[4096];

	memset(buf, 0x5a, sizeof(buf));
	BUG_ON(write_file(buf, sizeof(buf), 0) != sizeof(buf), "not written");
}

static void
read_64(void *arg)
{
	unsigned char buf[64];

	for (int i = 0; i < 1000; i++) {
		memset(buf, 0, sizeof(buf));
		BUG_ON(read_file(buf, sizeof(buf), 0) != sizeof(buf), "short read");
		for (size_t j = 0; j < sizeof(buf); j++)
			BUG_ON(buf[j] != 0x5a, "byte %zu is %d", j, buf[j]);
	}
}

/* Many readers of one page, under every choice that many may use. */
static void
many_readers_of_one_page(void **state)
{
	const struct harness options = { .races = true };

	for (int choice = page_ref_cas_loop; choice < page_ref_none; choice++) {
		policy_value[POLICY_page_ref] = choice;
		boot_with_file(&options);
		harness_run(1, write_start, NULL);
		harness_run(4, read_64, NULL);
		shutdown_with_file();
	}
}

static atomic_t readers_left;

/* Read at random; bytes must be @low .. 1. */
static void
read_changing(unsigned int low)
{
	unsigned char buf[3000];
	struct random_stream random;

	random_init(&random, smp_processor_id(), "read_changing");
	for (int i = 0; i < 400; i++) {
		ssize_t got = read_file(buf, sizeof(buf), random_below(&random, 20000));

		for (ssize_t j = 0; j < got; j++)
			BUG_ON(buf[j] < low || buf[j] > 1, "byte %zd of %zd is %d", j, got, buf[j]);
	}
	atomic_dec(&readers_left);
}

static void
append(void)
{
	unsigned char buf[77];

	memset(buf, 1, sizeof(buf));
	BUG_ON(write_file(buf, sizeof(buf), file->i_size) != sizeof(buf), "short write");
}

static void
append_or_read(void *arg)
{
	if (!arg)
		return read_changing(1);
	while (atomic_read(&readers_left)) {
		if (file->i_size < 25000)
			append();
		cond_resched();
	}
}

static void
run_writer_and_readers(void (*body)(void *arg))
{
	const struct harness options = { .races = true };
	void *args[4] = { &readers_left };

	boot_with_file(&options);
	atomic_set(&readers_left, 3);
	harness_run_each(4, body, args);
	shutdown_with_file();
}

/* The page held zeroes beyond the end; a reader never sees what the size did not cover. */
static void
a_reader_never_sees_beyond_the_size(void **state)
{
	run_writer_and_readers(append_or_read);
}

static void
cut_or_read(void *arg)
{
	if (!arg)
		return read_changing(0);
	while (atomic_read(&readers_left)) {
		for (int i = 0; i < 100; i++)
			append();
		truncate_file(7);
		cond_resched();
	}
}

/*
 * A reader that sampled the size before a cut and again after new growth may
 * read the old page or a hole, as on Linux, but nobody else's page.
 */
static void
a_cut_page_is_old_or_a_hole(void **state)
{
	run_writer_and_readers(cut_or_read);
}

/* --- planted errors --- */

static void
forget_a_put(void *arg)
{
	write_start(NULL);
	BUG_ON(!filemap_get_entry(&file->mapping, 0), "not there");
}

static void
leak_a_reference(void)
{
	boot_with_file(NULL);
	harness_run(1, forget_a_put, NULL);
	shutdown_with_file();
}

/* The missing put keeps the page in use; shutdown says so. */
static void
a_dropped_put_is_caught_at_shutdown(void **state)
{
	assert_true(harness_expect_panic(leak_a_reference, VERDICT_BUG, "1 pages still in use"));
}

#ifdef POISON
static void
use_freed(void *arg)
{
	struct folio *folio = folio_alloc(0, -1);
	char *contents = folio_address(folio);

	contents[100] = 1;
	folio_put(folio);
	WRITE_ONCE(contents[100], 2);
}

static void
use_after_free(void)
{
	harness_boot(NULL);
	harness_run(1, use_freed, NULL);
}
#endif

/* A freed folio's contents are poisoned: the access is reported. */
static void
a_freed_folio_must_not_be_touched(void **state)
{
#ifdef POISON
	if (harness_is_virtual())
		assert_true(harness_expect_panic(use_after_free, VERDICT_BUG, "free page"));
#ifdef __SANITIZE_ADDRESS__
	else
		assert_true(harness_expect_panic(use_after_free, 1, ""));
#endif
#else
	skip();
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_agree_with_a_plain_buffer),
		cmocka_unit_test(a_hole_reads_as_zeroes_and_stays_one),
		cmocka_unit_test(a_file_cannot_outgrow_memory),
		cmocka_unit_test(many_readers_of_one_page),
		cmocka_unit_test(a_reader_never_sees_beyond_the_size),
		cmocka_unit_test(a_cut_page_is_old_or_a_hole),
		cmocka_unit_test(a_dropped_put_is_caught_at_shutdown),
		cmocka_unit_test(a_freed_folio_must_not_be_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
