/*
 * measure.c - counters, and the lines that cost the time
 *
 * Records of lines and of sites exist only for what was touched while a
 * measurement was under way. The hash table is for finding a site again; the
 * order of reports comes from values alone.
 */
#include "machine/measure.h"

#include <stdlib.h>
#include <string.h>

#include "machine/runtime.h"
#include "machine/shared/arena_map.h"
#include "machine/virtual/counting.h"
#include "machine/virtual/scheduler.h"

/* What one code address did to one place in the arena. */
struct site {
	const void *pc;		/* NULL: free */
	u64 offset;		/* in the arena */
	u64 stall_ps;
	u64 transactions;
	u64 cmpxchg_failed;
};

static struct {
	u64 events[EVENT_MAX];
	u64 events_before[EVENT_MAX];	/* at measure_begin() */
	u64 accesses_before;
	u64 stall_ps;
	u64 transactions;
	struct site *site;		/* open addressing */
	struct site *latest;		/* found last, or NULL */
	u32 sites;
	u32 capacity;			/* power of two, or 0 */
	struct line_report *report;	/* MEASURE_LINES of them; by measure_end() */
	int reports;
} counters;

void
count_event(unsigned int event)
{
	counters.events[event]++;
}

void
runtime_event_totals(u64 *totals)
{
	memcpy(totals, counters.events, sizeof(counters.events));
}

static u32
site_hash(const void *pc, u64 offset)
{
	u64 hash = ((u64)pc ^ offset << 20) * 0x9e3779b97f4a7c15;

	return hash >> 32;
}

static struct site *
site_slot(const void *pc, u64 offset)
{
	u32 i = site_hash(pc, offset) & (counters.capacity - 1);

	while (counters.site[i].pc &&
	       (counters.site[i].pc != pc || counters.site[i].offset != offset))
		i = (i + 1) & (counters.capacity - 1);
	return &counters.site[i];
}

static void
sites_grow(void)
{
	struct site *old = counters.site;
	u32 old_capacity = counters.capacity;

	counters.capacity = max(2 * old_capacity, 1024u);
	counters.site = model_calloc(counters.capacity, sizeof(*old));
	for (u32 i = 0; i < old_capacity; i++)
		if (old[i].pc)
			*site_slot(old[i].pc, old[i].offset) = old[i];
	free(old);
}

static struct site *
site_of(const void *pc, u64 offset)
{
	struct site *site = counters.latest;

	/* In a storm it is the same one again and again. */
	if (site && site->pc == pc && site->offset == offset)
		return site;
	if (2 * counters.sites >= counters.capacity)
		sites_grow();
	site = site_slot(pc, offset);
	if (!site->pc) {
		site->pc = pc;
		site->offset = offset;
		counters.sites++;
	}
	counters.latest = site;
	return site;
}

static struct line_counts *
counts_of(struct shared_line *line)
{
	if (!line->counts)
		line->counts = model_calloc(1, sizeof(*line->counts));
	return line->counts;
}

void
count_transaction(struct shared_line *line, const struct waiter *waiter,
		  enum distance distance, u64 arrives)
{
	struct line_counts *counts = counts_of(line);
	struct site *site = site_of(waiter->pc, (line->number << LINE_SHIFT) + waiter->offset);
	u64 stall = waiter->store ? 0 : arrives - waiter->since;

	counts->transactions[distance]++;
	counts->stall_ps += stall;
	counters.transactions++;
	counters.stall_ps += stall;
	site->transactions++;
	site->stall_ps += stall;
}

void
count_cmpxchg(u64 offset, const void *pc, bool failed)
{
	const struct line *line = &lines[offset >> LINE_SHIFT];
	struct line_counts *counts;

	count_event(EVENT_CMPXCHG);
	if (failed)
		count_event(EVENT_CMPXCHG_FAILED);
	if (!model.measuring || !line->record)
		return;
	counts = counts_of(line_record(line));
	counts->cmpxchg++;
	if (!failed)
		return;
	counts->cmpxchg_failed++;
	site_of(pc, offset)->cmpxchg_failed++;
}

void
measure_begin(void)
{
	if (running_cpu)
		scheduler->order(running_cpu);
	for (struct shared_line *line = line_first_record(); line; line = line_next_record(line))
		if (line->counts)
			*line->counts = (struct line_counts){ 0 };
	if (counters.site)
		memset(counters.site, 0, counters.capacity * sizeof(*counters.site));
	memcpy(counters.events_before, counters.events, sizeof(counters.events));
	counters.sites = 0;
	counters.reports = 0;
	counters.latest = NULL;
	counters.stall_ps = 0;
	counters.transactions = 0;
	counters.accesses_before = model.accesses;
	model.measuring = true;
}

void
counting_shutdown(void)
{
	for (struct shared_line *line = line_first_record(); line; line = line_next_record(line))
		free(line->counts);
	free(counters.site);
	free(counters.report);
	memset(&counters, 0, sizeof(counters));
}

/* --- reports ------------------------------------------------------------ */

static int
compare_u64(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static int
compare_lines(const void *a, const void *b)
{
	const struct shared_line *x = *(struct shared_line *const *)a;
	const struct shared_line *y = *(struct shared_line *const *)b;
	int order = compare_u64(y->counts->stall_ps, x->counts->stall_ps);

	return order ? order : compare_u64(x->number, y->number);
}

/* Equal stall: by place in the arena, then by code address, which only has to be total. */
static int
compare_sites(const void *a, const void *b)
{
	const struct site *x = *(const struct site *const *)a;
	const struct site *y = *(const struct site *const *)b;
	int order = compare_u64(y->stall_ps, x->stall_ps);

	if (!order)
		order = compare_u64(x->offset, y->offset);
	return order ? order : compare_u64((u64)x->pc, (u64)y->pc);
}

/* Sites on line @number, hottest first. Return: how many. */
static int
find_sites(u64 number, const struct site **found)
{
	int count = 0;

	for (u32 i = 0; i < counters.capacity; i++)
		if (counters.site[i].pc && counters.site[i].offset >> LINE_SHIFT == number)
			found[count++] = &counters.site[i];
	qsort(found, count, sizeof(*found), compare_sites);
	return count;
}

/* A line may hold several objects: it is called after the one that stalled most. */
static void
report_line(const struct shared_line *line, struct line_report *report, const struct site **found)
{
	int count = find_sites(line->number, found);
	u64 hottest = count ? found[0]->offset : line->number << LINE_SHIFT;
	u64 start;

	*report = (struct line_report){ 0 };
	if (!name_of(arena_range.base + hottest, &report->object) || !report->object.start) {
		strcpy(report->object.name, "unnamed memory");
		report->object.start = arena_range.base;
	}
	start = arena_offset(report->object.start);
	report->offset = hottest - start;
	report->stall_ps = line->counts->stall_ps;
	memcpy(report->transactions, line->counts->transactions, sizeof(report->transactions));
	report->cmpxchg = line->counts->cmpxchg;
	report->cmpxchg_failed = line->counts->cmpxchg_failed;
	report->nr_sites = min(count, LINE_REPORT_SITES);
	for (int i = 0; i < report->nr_sites; i++)
		report->sites[i] = (struct site_report){
			.pc = found[i]->pc,
			.offset = found[i]->offset - start,
			.transactions = found[i]->transactions,
			.stall_ps = found[i]->stall_ps,
			.cmpxchg_failed = found[i]->cmpxchg_failed,
		};
}

/* Name the hottest lines. Namers look at objects, which is no access of the model's. */
static void
report_lines(void)
{
	size_t records = record_layout.used / record_layout.units;
	struct shared_line **found = model_calloc(records, sizeof(struct shared_line *));
	const struct site **sites = model_calloc(counters.sites + 1, sizeof(struct site *));
	u64 size = modelled_size;
	int count = 0;

	for (struct shared_line *line = line_first_record(); line; line = line_next_record(line))
		if (line->counts && line->counts->stall_ps)
			found[count++] = line;
	qsort(found, count, sizeof(*found), compare_lines);
	counters.reports = min(count, MEASURE_LINES);
	if (!counters.report)
		counters.report = model_calloc(MEASURE_LINES, sizeof(*counters.report));
	modelled_size = 0;
	for (int i = 0; i < counters.reports; i++)
		report_line(found[i], &counters.report[i], sites);
	modelled_size = size;
	free(found);
	free(sites);
}

void
measure_end(struct measurement *result)
{
	if (running_cpu)
		scheduler->order(running_cpu);
	model.measuring = false;
	for (int i = 0; i < EVENT_MAX; i++)
		result->events[i] = counters.events[i] - counters.events_before[i];
	result->stall_ps = counters.stall_ps;
	result->transactions = counters.transactions;
	result->accesses = model.accesses - counters.accesses_before;
	report_lines();
}

int
measure_lines(struct line_report *reports, int max)
{
	int count = min(counters.reports, max);

	if (count)
		memcpy(reports, counters.report, count * sizeof(*reports));
	return count;
}
