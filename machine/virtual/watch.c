/*
 * watch.c - see watch.h and trace.h
 */
#include "machine/virtual/watch.h"

#include "machine/virtual/lines.h"
#include "machine/virtual/race.h"
#include "machine/virtual/scheduler.h"
#include "machine/virtual/trace.h"

static trace_callback trace;
static void *trace_context;

void
watch_cpu(struct cpu *cpu)
{
	bool watched = model.watched || cpu->interrupts;

	cpu->fast_owner = watched ? OWNER_WATCHED : cpu->owner;
}

void
watch_changed(void)
{
	model.watched = trace || model.races || scheduler == &scripted_scheduler;
	for (int id = 0; id < topology.cpus; id++)
		watch_cpu(&cpus[id]);
}

void
trace_accesses(trace_callback callback, void *context)
{
	trace = callback;
	trace_context = context;
	watch_changed();
}

void
watch_shutdown(void)
{
	trace = NULL;
}

static enum race_kind
race_kind_of(const struct access *access)
{
	if (access->order == ORDER_PLAIN)
		return access->kind == ACCESS_LOAD ? RACE_PLAIN_READ : RACE_PLAIN_WRITE;
	if (access->failed)
		return RACE_ATOMIC_READ;
	if (access->kind == ACCESS_RMW)
		return RACE_ATOMIC_RMW;
	return access->kind == ACCESS_LOAD ? RACE_ATOMIC_READ : RACE_ATOMIC_WRITE;
}

/* A test's callback is instrumented as well: what it does itself is not modelled. */
static void
tell_trace(const struct access *access)
{
	u64 size = modelled_size;

	modelled_size = 0;
	trace(trace_context, running_cpu->id, access);
	modelled_size = size;
}

void
watch_access(const struct access *access)
{
	if (trace)
		tell_trace(access);
	if (model.races)
		race_check(&(struct race_access){
			.cpu = running_cpu->id,
			.kind = race_kind_of(access),
			.order = access->order,
			.offset = access->offset,
			.size = access->size,
			.pc = access->pc,
		});
}

void
watch_fence(int order)
{
	if (model.races)
		race_fence(running_cpu->id, order);
}
