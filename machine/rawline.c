/*
 * rawline.c - bare cache lines and what can be done to them
 *
 * One access per function, so that a measurement is about that access.
 */
#include "machine/rawline.h"

#include <stdio.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/bug.h"
#include "machine/cpu_relax.h"
#include "machine/machine.h"
#include "machine/names.h"
#include "machine/policy.h"

/* What reports say about a line; apart from it, so that the line stays bare. */
struct raw_line {
	struct list_head entry;	/* in machine.raw_lines, under machine.raw_lock */
	u64 *line;		/* constant */
	char name[48];		/* constant */
};

u64 *
raw_line_create(int node, const char *name)
{
	struct machine *machine = kernel.machine;
	struct raw_line *raw = arena_alloc(sizeof(*raw), CACHE_LINE, node);
	u64 *line = arena_alloc(CACHE_LINE, CACHE_LINE, node);

	if (!raw || !line)
		goto no_memory;
	*line = 0;
	raw->line = line;
	snprintf(raw->name, sizeof(raw->name), "%s", name);
	spin_lock(&machine->raw_lock);
	list_add_tail(&raw->entry, &machine->raw_lines);
	spin_unlock(&machine->raw_lock);
	return line;

no_memory:
	if (raw)
		arena_free(raw, sizeof(*raw));
	if (line)
		arena_free(line, CACHE_LINE);
	return NULL;
}

/* Context: machine.raw_lock held, or no task runs. Return: NULL if it is none. */
static struct raw_line *
find_raw_line(const void *address)
{
	struct raw_line *raw;

	list_for_each_entry (raw, &kernel.machine->raw_lines, entry)
		if ((size_t)((const char *)address - (char *)raw->line) < CACHE_LINE)
			return raw;
	return NULL;
}

void
raw_line_destroy(u64 *line)
{
	struct machine *machine = kernel.machine;
	struct raw_line *raw;

	spin_lock(&machine->raw_lock);
	raw = find_raw_line(line);
	BUG_ON(!raw, "%p is no raw line", (void *)line);
	list_del(&raw->entry);
	spin_unlock(&machine->raw_lock);
	arena_free(raw, sizeof(*raw));
	arena_free(line, CACHE_LINE);
}

bool
raw_line_name(const void *address, struct object_name *name)
{
	struct raw_line *raw = find_raw_line(address);

	if (!raw)
		return false;
	snprintf(name->name, sizeof(name->name), "line %s", raw->name);
	name->type = NULL;
	name->start = raw->line;
	return true;
}

u64
raw_load(const u64 *line)
{
	return READ_ONCE(*line);
}

void
raw_store(u64 *line, u64 value)
{
	WRITE_ONCE(*line, value);
}

u64
raw_fetch_add(u64 *line, u64 add)
{
	return __atomic_fetch_add(line, add, __ATOMIC_SEQ_CST);
}

bool
raw_cmpxchg(u64 *line, u64 old, u64 new)
{
	return try_cmpxchg(line, &old, new);
}

unsigned int
raw_cas_loop(u64 *line, u64 add, enum on_fail on_fail)
{
	u64 old = READ_ONCE(*line);
	unsigned int failed = 0;

	if (on_fail == ON_FAIL_POLICY && policy_value[POLICY_cas_retry] == cas_retry_pause)
		on_fail = ON_FAIL_PAUSE;
	while (!try_cmpxchg(line, &old, old + add)) {
		failed++;
		if (on_fail == ON_FAIL_PAUSE)
			cpu_relax();
	}
	return failed;
}

void
raw_pause(void)
{
	cpu_relax();
}

void
raw_pass(u64 *line, u64 own, u64 next, const unsigned int *stop)
{
	while (!raw_cmpxchg(line, own, next) && !READ_ONCE(*stop))
		;
}

void
raw_poll_pass(u64 *line, u64 own, u64 next, const unsigned int *stop)
{
	do
		smp_cond_load_relaxed(line, VAL == own || READ_ONCE(*stop));
	while (!raw_cmpxchg(line, own, next) && !READ_ONCE(*stop));
}
