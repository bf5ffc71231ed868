/*
 * boot.c - laying out memory; see pagecache.h
 *
 * Mirrors mm/mm_init.c. Node after node gets an equal share of the frames and
 * page numbers from the next multiple of the largest block on. The numbers in
 * between have a struct page and a frame that nobody uses or touches.
 */
#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/rcu.h"
#include "machine/runtime.h"
#include "machine/slab.h"
#include "pagecache/folio_wait.h"
#include "pagecache/names.h"
#include "pagecache/page_alloc.h"
#include "pagecache/pcp.h"
#include "pagecache/xarray.h"

/* First page number of @node, when each has @nr_pages. */
static unsigned long
node_start_pfn(int node, unsigned long nr_pages)
{
	return node * ALIGN(nr_pages, MAX_ORDER_NR_PAGES);
}

static int
map_memory(struct pagecache *pc, unsigned long nr_pages)
{
	pc->max_pfn = node_start_pfn(nr_node_ids - 1, nr_pages) + nr_pages;
	pc->vmemmap = arena_map(pc->max_pfn * sizeof(struct page), 0);
	pc->frames = arena_map(pc->max_pfn << PAGE_SHIFT, 0);
	if (!pc->vmemmap || !pc->frames)
		return -ENOMEM;
	arena_allow_races(pc->frames, pc->max_pfn << PAGE_SHIFT); /* a read may overlap a write */
	return 0;
}

static void
init_node(struct pagecache *pc, int node, unsigned long nr_pages)
{
	unsigned long start = node_start_pfn(node, nr_pages);
	int nr_cpus = 0;
	int cpu;

	arena_set_home(pc->vmemmap + start, nr_pages * sizeof(struct page), node);
	arena_set_home(pc->frames + (start << PAGE_SHIFT), nr_pages << PAGE_SHIFT, node);
	for_each_cpu(cpu)
		nr_cpus += cpu_to_node(cpu) == node;
	zone_init(pc->zones[node], node, start, nr_pages);
	pcp_set_limits(pc->zones[node], nr_cpus);
}

static void
free_table(void *table, size_t size)
{
	if (table)
		arena_free(table, size);
}

/* Free the room's objects, as far as they were made. The frames go with the arena. */
static void
free_tables(struct pagecache *pc)
{
	int node;

	if (pc->xa_node_cache)
		kmem_cache_destroy(pc->xa_node_cache);
	for (node = 0; pc->zones && node < nr_node_ids; node++)
		free_table(pc->zones[node], sizeof(struct zone));
	free_table(pc->zones, nr_node_ids * sizeof(*pc->zones));
	free_table(pc->folio_wait_table, FOLIO_WAIT_TABLE_SIZE * sizeof(struct folio_wait_bucket));
	free_table(pc, sizeof(*pc));
	kernel.pagecache = NULL;
}

/* The room's objects outside the page frames. Return: 0 or -ENOMEM. */
static int
alloc_tables(struct pagecache *pc)
{
	size_t table = FOLIO_WAIT_TABLE_SIZE * sizeof(struct folio_wait_bucket);
	int node;

	pc->folio_wait_table = arena_alloc(table, CACHE_LINE, 0);
	pc->zones = arena_alloc(nr_node_ids * sizeof(*pc->zones), CACHE_LINE, 0);
	pc->xa_node_cache = kmem_cache_create("xa_node", sizeof(struct xa_node), 0, NULL);
	if (!pc->folio_wait_table || !pc->zones || !pc->xa_node_cache)
		return -ENOMEM;
	memset(pc->zones, 0, nr_node_ids * sizeof(*pc->zones));
	for_each_node(node) {
		pc->zones[node] = arena_alloc(sizeof(struct zone), CACHE_LINE, node);
		if (!pc->zones[node])
			return -ENOMEM;
	}
	return 0;
}

int
pagecache_boot(u64 memory_bytes)
{
	/* Whole pages of struct pages on every node, so that each has one home. */
	unsigned long nr_pages = memory_bytes / nr_node_ids / PAGE_SIZE & ~(PAGE_SIZE / 64 - 1);
	struct pagecache *pc;
	int node;

	if (!nr_pages)
		return -EINVAL;
	pc = arena_alloc(sizeof(*pc), CACHE_LINE, 0);
	if (!pc)
		return -ENOMEM;
	memset(pc, 0, sizeof(*pc));
	kernel.pagecache = pc;
	if (alloc_tables(pc) || map_memory(pc, nr_pages)) {
		free_tables(pc);
		return -ENOMEM;
	}
	folio_wait_table_init(pc->folio_wait_table);
	for_each_node(node)
		init_node(pc, node, nr_pages);
	pcp_init();
	register_pagecache_namers();
	pc->zero_page = alloc_pages(0, 0);
	memset(page_address(pc->zero_page), 0, PAGE_SIZE);
	return 0;
}

/* Waiting for the xarray's nodes to be freed sleeps, which is for tasks. */
static void
shutdown_task(void *arg)
{
	rcu_barrier();
	put_page(kernel.pagecache->zero_page);
}

void
pagecache_shutdown(void)
{
	struct task *task = runtime_task_create(shutdown_task, NULL, runtime_place(0), "shutdown");

	BUG_ON(!task, "no memory for the shutdown task");
	runtime_task_start(task);
	runtime_join();
	runtime_task_destroy(task);
	check_page_leaks();
	free_tables(kernel.pagecache);
}
