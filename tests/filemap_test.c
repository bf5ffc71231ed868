/*
 * filemap_test.c - insertion, lookup, removal, and reading through read_folio
 */
#include "tests/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/names.h"
#include "machine/random.h"
#include "machine/runtime.h"
#include "pagecache/filemap.h"
#include "pagecache/folio_wait.h"
#include "pagecache/page_alloc.h"

/* A file: what vfs keeps in an inode. Lives in the arena. */
struct file_under_test {
	struct address_space mapping;
	loff_t i_size;
	atomic_t reads;		/* read_folio() calls */
	bool broken;		/* read_folio() fails to bring data */
};

static struct file_under_test *file;

/* Byte @pos of the file. */
static unsigned char
byte_at(loff_t pos)
{
	return (pos * 31 + (pos >> 12)) & 0xff;
}

static int
fill_folio(struct address_space *mapping, struct folio *folio)
{
	unsigned char *contents = folio_address(folio);
	loff_t start = (loff_t)folio->index << PAGE_SHIFT;

	atomic_inc(&file->reads);
	for (size_t i = 0; i < folio_size(folio); i++)
		contents[i] = byte_at(start + (loff_t)i);
	runtime_work_ns(1000);
	folio_end_read(folio, !file->broken);
	return 0;
}

static const char *
file_name(const struct address_space *mapping, char *buf, size_t size)
{
	return "/file";
}

static const struct address_space_operations fill_ops = { .read_folio = fill_folio,
							   .name = file_name };

static void
boot_with_file(const struct harness *options)
{
	harness_boot(options);
	file = arena_alloc(sizeof(*file), CACHE_LINE, 0);
	assert_non_null(file);
	memset(file, 0, sizeof(*file));
	address_space_init(&file->mapping, NULL, &fill_ops, -1);
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

static void
run_on_file(void (*body)(void *arg))
{
	boot_with_file(NULL);
	harness_run(1, body, NULL);
	shutdown_with_file();
}

/* Insert a new folio. Return: it, with the caller's reference, unlocked; or NULL. */
static struct folio *
insert(unsigned long index, unsigned int order)
{
	struct folio *folio = folio_alloc(order, -1);
	int err;

	BUG_ON(!folio, "no memory");
	__folio_set_locked(folio);
	err = filemap_add_folio(&file->mapping, folio, index);
	folio_unlock(folio);
	if (!err)
		return folio;
	BUG_ON(err != -EEXIST, "error %d", err);
	folio_put(folio);
	return NULL;
}

/* A folio in the cache has one reference per page for it, and is found at every index. */
static void
check_add_and_lookup(void *arg)
{
	struct folio *small = insert(3, 0);
	struct folio *large = insert(8, 3);

	BUG_ON(folio_ref_count(small) != 2 || folio_ref_count(large) != 9, "references %d, %d",
	       folio_ref_count(small), folio_ref_count(large));
	BUG_ON(file->mapping.nrpages != 9, "%lu pages", file->mapping.nrpages);
	for (unsigned long i = 0; i < 20; i++) {
		struct folio *found = filemap_get_entry(&file->mapping, i);
		struct folio *right = i == 3 ? small : i >= 8 && i < 16 ? large : NULL;

		BUG_ON(found != right, "index %lu", i);
		if (found)
			folio_put(found);
	}
	BUG_ON(insert(3, 0) || insert(15, 0) || insert(0, 2), "two folios at one index");
	BUG_ON(insert(8, 3), "two large folios at one index");

	folio_lock(large);
	filemap_remove_folio(large);
	folio_unlock(large);
	BUG_ON(filemap_get_entry(&file->mapping, 10), "still there");
	BUG_ON(large->mapping || large->index != 8, "mapping or index after removal");
	BUG_ON(folio_ref_count(large) != 1, "%d references", folio_ref_count(large));
	folio_put(large);
	folio_put(small);
}

static void
what_was_added_is_found_and_refuses_another(void **state)
{
	run_on_file(check_add_and_lookup);
}

/* Reclaim takes a folio only when nobody else holds it and nobody would lose data. */
static void
check_remove_mapping(void *arg)
{
	struct folio *folio = insert(0, 0);

	folio_lock(folio);
	folio_get(folio);
	BUG_ON(remove_mapping(&file->mapping, folio), "taken from a holder");
	folio_put(folio);
	folio_set_dirty(folio);
	BUG_ON(remove_mapping(&file->mapping, folio), "dirty data dropped");
	BUG_ON(folio_ref_count(folio) != 2, "%d references", folio_ref_count(folio));
	folio_clear_dirty(folio);
	BUG_ON(!remove_mapping(&file->mapping, folio), "refused");
	BUG_ON(folio_ref_count(folio), "not frozen");
	BUG_ON(folio_try_get(folio), "acquired while frozen");
	BUG_ON(filemap_get_entry(&file->mapping, 0), "still there");
	folio_unlock(folio);
	free_frozen_pages(&folio->page, 0);
}

static void
reclaim_takes_only_what_nobody_holds(void **state)
{
	run_on_file(check_remove_mapping);
}

/* Reports say what lies in page memory, and in whose. */
static void
check_names(void *arg)
{
	struct folio *folio = insert(5, 0);
	struct object_name name;

	BUG_ON(!name_of((char *)folio + 52, &name), "nobody knows a struct page");
	BUG_ON(strcmp(name.name, "folio of /file") || strcmp(name.type, "page") ||
		       name.start != folio,
	       "a folio is called %s", name.name);
	BUG_ON(!name_of((char *)folio_address(folio) + 100, &name), "nobody knows a frame");
	BUG_ON(strcmp(name.name, "contents of /file +20480"), "contents are called %s", name.name);
	BUG_ON(!name_of(kernel.pagecache->zones[0], &name), "nobody knows a zone");
	BUG_ON(strcmp(name.name, "zone of node 0"), "a zone is called %s", name.name);
	BUG_ON(!name_of(&kernel.pagecache->folio_wait_table[17], &name), "nobody knows a bucket");
	BUG_ON(strcmp(name.name, "folio wait queue 17"), "a bucket is called %s", name.name);
	folio_put(folio);
}

static void
reports_name_pages_frames_zones_and_buckets(void **state)
{
	run_on_file(check_names);
}

/* --- reading --- */

static void
check_read(size_t count, loff_t pos, ssize_t expected)
{
	static unsigned char buf[1 << 20];
	struct file_ra_state ra = { 0 };
	ssize_t got = filemap_read(&file->mapping, buf, count, pos, &file->i_size, &ra);

	BUG_ON(got != expected, "%zd of %zu bytes at %ld, not %zd", got, count, (long)pos,
	       expected);
	for (ssize_t i = 0; i < got; i++)
		BUG_ON(buf[i] != byte_at(pos + i), "byte %ld is %d", (long)(pos + i), buf[i]);
}

/* Reads fill missing pages once, cross pages and batches, and stop at the size. */
static void
check_reads(void *arg)
{
	file->i_size = 200 * 4096 + 100;
	check_read(64, 0, 64);
	check_read(64, 0, 64);
	BUG_ON(atomic_read(&file->reads) != 1, "%d reads for one page", atomic_read(&file->reads));
	check_read(4096, 4000, 4096);
	check_read(900000, 0, 200 * 4096 + 100);
	BUG_ON(atomic_read(&file->reads) != 201, "%d reads", atomic_read(&file->reads));
	check_read(64, 200 * 4096 + 90, 10);
	check_read(64, 200 * 4096 + 100, 0);
	check_read(64, 1 << 30, 0);
	check_read(0, 0, 0);
	BUG_ON(file->mapping.nrpages != 201, "%lu pages", file->mapping.nrpages);
}

static void
reads_return_the_bytes_of_the_store(void **state)
{
	run_on_file(check_reads);
}

/* Large folios are read like small ones. */
static void
check_large_read(void *arg)
{
	struct folio *folio = insert(16, 4);

	file->i_size = 64 * 4096;
	folio_lock(folio);
	BUG_ON(fill_folio(&file->mapping, folio), "not filled");
	folio_put(folio);
	check_read(200000, 4096, 200000);
	check_read(5000, 17 * 4096 + 5, 5000);
}

static void
a_read_may_span_many_folios(void **state)
{
	run_on_file(check_large_read);
}

/* A store that brings no data is an error; what was read before it counts. */
static void
check_broken(void *arg)
{
	file->i_size = 3 * 4096;
	check_read(4096, 0, 4096);
	file->broken = true;
	check_read(64, 4096, -EIO);
	check_read(8192, 0, 4096);
	file->broken = false;
	check_read(3 * 4096, 0, 3 * 4096);
}

static void
a_broken_store_is_eio(void **state)
{
	run_on_file(check_broken);
}

static void
read_all(void *arg)
{
	const size_t size = 64 * 4096;
	unsigned char *buf = malloc(size);
	struct file_ra_state ra = { 0 };

	for (int round = 0; round < 2; round++) {
		ssize_t got = filemap_read(&file->mapping, buf, size, 0, &file->i_size, &ra);

		BUG_ON(got != (ssize_t)size, "%zd bytes", got);
		for (ssize_t i = 0; i < got; i++)
			BUG_ON(buf[i] != byte_at(i), "byte %zd is %d", i, buf[i]);
	}
	free(buf);
}

/* Tasks that miss the same pages at once read each of them once. */
static void
a_missed_page_is_read_once(void **state)
{
	const struct harness options = { .races = true };

	boot_with_file(&options);
	file->i_size = 64 * 4096;
	harness_run(4, read_all, NULL);
	assert_int_equal(atomic_read(&file->reads), 64);
	shutdown_with_file();
}

/* --- lookup against removal and reuse --- */

#define RACING_PAGES 4

static atomic_t lookers_left;

/* What is found is what belongs there, for as long as it is held. */
static void
look_up(void)
{
	struct random_stream random;
	int found = 0;

	random_init(&random, smp_processor_id(), "look_up");
	for (int i = 0; i < 1500; i++) {
		unsigned long index = random_below(&random, RACING_PAGES);
		struct folio *folio = filemap_get_entry(&file->mapping, index);

		if (!folio)
			continue;
		BUG_ON(folio->index != index, "index %lu at slot %lu", folio->index, index);
		BUG_ON(READ_ONCE(*(unsigned long *)folio_address(folio)) != index,
		       "contents of another page");
		found++;
		folio_put(folio);
	}
	BUG_ON(!found, "never found anything");
	atomic_dec(&lookers_left);
}

/* The other use of the memory: somebody else's page, with other contents. */
static void
use_elsewhere(void)
{
	struct page *page = alloc_pages(0, -1);

	WRITE_ONCE(*(unsigned long *)page_address(page), 0xdeadul);
	page->index = 77;
	put_page(page);
}

static void
take_out(unsigned long index)
{
	struct folio *folio = filemap_get_entry(&file->mapping, index);

	folio_lock(folio);
	if (remove_mapping(&file->mapping, folio)) {
		folio_unlock(folio);
		free_frozen_pages(&folio->page, 0);
		return;
	}
	/* Somebody looks at it: leave it to its last holder. */
	filemap_remove_folio(folio);
	folio_unlock(folio);
	folio_put(folio);
}

static void
put_in(unsigned long index)
{
	struct folio *folio = folio_alloc(0, -1);

	__folio_set_locked(folio);
	WRITE_ONCE(*(unsigned long *)folio_address(folio), index);
	BUG_ON(filemap_add_folio(&file->mapping, folio, index), "not inserted");
	folio_unlock(folio);
	folio_put(folio);
}

static void
churn(void)
{
	struct random_stream random;

	random_init(&random, 1, "churn");
	while (atomic_read(&lookers_left)) {
		unsigned long index = random_below(&random, RACING_PAGES);

		take_out(index);
		use_elsewhere();
		put_in(index);
		cond_resched();
	}
}

static void
put_all_in(void *arg)
{
	for (unsigned long i = 0; i < RACING_PAGES; i++)
		put_in(i);
}

static void
churn_or_look(void *arg)
{
	if (arg)
		churn();
	else
		look_up();
}

/* Pages go and are reused at once, without waiting for readers; nobody is fooled. */
static void
a_lookup_never_returns_a_reused_page(void **state)
{
	const struct harness options = { .races = true };
	void *args[4] = { &lookers_left };

	for (int choice = page_ref_cas_loop; choice < page_ref_none; choice++) {
		policy_value[POLICY_page_ref] = choice;
		boot_with_file(&options);
		atomic_set(&lookers_left, 3);
		harness_run(1, put_all_in, NULL);
		harness_run_each(4, churn_or_look, args);
		shutdown_with_file();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found_and_refuses_another),
		cmocka_unit_test(reclaim_takes_only_what_nobody_holds),
		cmocka_unit_test(reports_name_pages_frames_zones_and_buckets),
		cmocka_unit_test(reads_return_the_bytes_of_the_store),
		cmocka_unit_test(a_read_may_span_many_folios),
		cmocka_unit_test(a_broken_store_is_eio),
		cmocka_unit_test(a_missed_page_is_read_once),
		cmocka_unit_test(a_lookup_never_returns_a_reused_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
