/*
 * names.c - see names.h
 *
 * Context of every namer: reporting. Nobody else runs, or the report is about
 * a moment that has passed; all accesses are plain.
 */
#include "pagecache/names.h"

#include <stdio.h>

#include "machine/names.h"
#include "pagecache/buddy.h"
#include "pagecache/filemap.h"
#include "pagecache/folio_wait.h"

#define NAME_SHOWN 40 /* bytes of a file's name */

const char *
mapping_name(const struct address_space *mapping, char *buf, size_t size)
{
	if (!mapping->a_ops || !mapping->a_ops->name)
		return NULL;
	return mapping->a_ops->name(mapping, buf, size);
}

/* The file that @page belongs to, in @buf, or NULL. */
static const char *
file_of(struct page *page, char buf[static NAME_SHOWN])
{
	const struct address_space *mapping = page_folio(page)->mapping;

	return mapping ? mapping_name(mapping, buf, NAME_SHOWN) : NULL;
}

static bool
name_page(const void *address, struct object_name *name)
{
	size_t offset = (const char *)address - (const char *)kernel.pagecache->vmemmap;
	struct page *page = pfn_to_page(offset / sizeof(struct page));
	char buf[NAME_SHOWN];
	const char *file = file_of(page, buf);
	unsigned long pfn = page_to_pfn(page);

	name->type = "page";
	name->start = page;
	if (file)
		snprintf(name->name, sizeof(name->name), "folio of %.40s", file);
	else if (PageBuddy(page) || !page_ref_count(compound_head(page)))
		snprintf(name->name, sizeof(name->name), "free page %lu", pfn);
	else
		snprintf(name->name, sizeof(name->name), "page %lu", pfn);
	return true;
}

static bool
name_frame(const void *address, struct object_name *name)
{
	unsigned long pfn = ((const char *)address - kernel.pagecache->frames) >> PAGE_SHIFT;
	struct page *page = pfn_to_page(pfn);
	struct page *head = compound_head(page);
	char buf[NAME_SHOWN];
	const char *file = file_of(page, buf);

	name->type = NULL;
	name->start = page_address(page);
	if (file)
		snprintf(name->name, sizeof(name->name), "contents of %.24s +%lu", file,
			 (head->index + (page - head)) << PAGE_SHIFT);
	else if (page == kernel.pagecache->zero_page)
		snprintf(name->name, sizeof(name->name), "zero page");
	else
		snprintf(name->name, sizeof(name->name), "contents of page %lu", pfn);
	return true;
}

static bool
name_bucket(const void *address, struct object_name *name)
{
	const struct folio_wait_bucket *table = kernel.pagecache->folio_wait_table;
	size_t bucket = ((const char *)address - (const char *)table) / sizeof(*table);

	name->type = "folio_wait_bucket";
	name->start = &table[bucket];
	snprintf(name->name, sizeof(name->name), "folio wait queue %zu", bucket);
	return true;
}

static bool
name_zone(const void *address, struct object_name *name)
{
	int node;

	for_each_node(node) {
		const char *zone = (const char *)kernel.pagecache->zones[node];

		if ((size_t)((const char *)address - zone) >= sizeof(struct zone))
			continue;
		name->type = "zone";
		name->start = zone;
		snprintf(name->name, sizeof(name->name), "zone of node %d", node);
		return true;
	}
	return false;
}

void
register_pagecache_namers(void)
{
	const struct pagecache *pc = kernel.pagecache;
	int node;

	register_namer(pc->vmemmap, pc->max_pfn * sizeof(struct page), name_page);
	register_namer(pc->frames, pc->max_pfn << PAGE_SHIFT, name_frame);
	register_namer(pc->folio_wait_table,
		       FOLIO_WAIT_TABLE_SIZE * sizeof(struct folio_wait_bucket), name_bucket);
	for_each_node(node)
		register_namer(pc->zones[node], sizeof(struct zone), name_zone);
}
