/*
 * boot.c - the modelled machine's beginning and end
 */
#include <errno.h>

#include "machine/arena.h"
#include "machine/random.h"
#include "machine/runtime.h"
#include "machine/shared/arena_map.h"
#include "machine/shared/percpu_area.h"
#include "machine/virtual/arbitration.h"
#include "machine/virtual/counting.h"
#include "machine/virtual/cpu.h"
#include "machine/virtual/grace.h"
#include "machine/virtual/interrupt.h"
#include "machine/virtual/lines.h"
#include "machine/virtual/race.h"
#include "machine/virtual/scheduler.h"
#include "machine/virtual/script.h"
#include "machine/virtual/tasks.h"
#include "machine/virtual/transaction.h"
#include "machine/virtual/watch.h"

static bool
spec_is_sound(const struct machine_spec *spec)
{
	return spec && spec->sockets > 0 && spec->clusters_per_socket > 0 &&
	       spec->cores_per_cluster > 0 && spec->threads_per_core > 0 &&
	       machine_spec_cpus(spec) <= MACHINE_MAX_CPUS && spec->store_buffer >= 0 &&
	       spec->store_buffer <= MACHINE_MAX_STORE_BUFFER && spec->request_share_percent >= 0 &&
	       spec->request_share_percent <= 100 && spec->hold_spread_percent >= 0 &&
	       spec->hold_spread_percent <= 100;
}

/* What every random stream starts from: no two streams of one seed have the same. */
static u64
mix(u64 seed, int stream)
{
	u64 state = splitmix64(&seed) + stream;

	return splitmix64(&state);
}

/* The memory becomes another object: what was done to the one before is history. */
static void
forget_races(const void *start, size_t size)
{
	race_forget(arena_offset(start), ALIGN(size, sizeof(u64)));
}

void
arena_allow_races(const void *start, size_t size)
{
	if (model.races)
		race_exempt(arena_offset(start), size);
}

static int
memory_boot(const struct runtime_config *config)
{
	int error = arena_boot(topology.sockets, config->object_bytes, NULL);

	if (!error)
		error = percpu_area_boot(topology.cpus);
	if (!error && config->races) {
		race_boot(topology.cpus, arena_range.base, arena_range.size);
		arena_watch_reuse(forget_races);
	}
	return error;
}

static void
memory_shutdown(void)
{
	if (model.races)
		race_shutdown();
	percpu_area_shutdown();
	arena_shutdown();
}

int
runtime_boot(const struct runtime_config *config)
{
	int error;

	if (!spec_is_sound(config->spec))
		return -EINVAL;
	model = (struct model){
		.spec = *config->spec,
		.seed = config->seed,
		.stream = config->stream,
		.random_seed = mix(config->seed, config->stream),
		.races = config->races,
		.watched = config->races,
	};
	scheduler = &timed_scheduler;
	topology_boot(&model.spec);
	tasks_boot();
	error = memory_boot(config);
	if (error) {
		memory_shutdown();
		topology_shutdown();
		return error;
	}
	heap_init(&model.events, ALIGN(4 * topology.cpus, 64));
	lines_boot();
	cpu_boot();
	grace_boot();
	arbitration_boot(model.random_seed);
	transaction_boot(model.random_seed);
	register_namer(arena_range.base, arena_range.size, tasks_name);
	return 0;
}

void
runtime_shutdown(void)
{
	tasks_shutdown();
	script_shutdown();
	watch_shutdown();
	counting_shutdown();
	arbitration_shutdown();
	interrupt_shutdown();
	cpu_shutdown();
	lines_shutdown();
	heap_free(&model.events);
	memory_shutdown();
	topology_shutdown();
}
