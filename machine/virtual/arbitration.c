/*
 * arbitration.c - queues of waiters; see arbitration.h
 *
 * Adding and taking are O(1) in the number of CPUs: a group is a ring that is
 * taken from at its head (FIFO) or at a random place, which the last one fills.
 * A queue exists while somebody waits; queues are recycled.
 */
#include "machine/virtual/arbitration.h"

#include <stdlib.h>

#include "machine/random.h"

struct ring {
	u32 head;
	u32 count;
	u32 mask;		/* capacity - 1 */
	struct waiter **slot;
};

struct wait_queue {
	struct wait_queue *next_free;
	u32 count;		/* in all groups, and behind */
	u32 stores;		/* in the groups */
	struct ring behind;	/* came after those stores */
	struct ring group[];	/* per cluster; home rule: GROUP_LOCAL, GROUP_BOUND; flat: one */
};

enum { GROUP_LOCAL, GROUP_BOUND };

static struct {
	struct random_stream pick;
	struct wait_queue *free;
	int groups;
	u32 group_capacity;
	bool flat;		/* one group */
	bool random;		/* not first come first served */
	bool home_rule;
	u32 run_bound;
} arbitration;

static u32
round_up_to_power(u32 n)
{
	u32 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

void
arbitration_boot(u64 seed)
{
	const struct machine_spec *spec = &model.spec;
	int threads_per_cluster = topology.cpus / topology.clusters;

	random_init(&arbitration.pick, seed, "arbitration");
	arbitration.random = spec->arbitration == ARBITRATE_RANDOM ||
			     spec->arbitration == ARBITRATE_FLAT_RANDOM;
	arbitration.flat = spec->arbitration == ARBITRATE_FLAT_FIFO ||
			   spec->arbitration == ARBITRATE_FLAT_RANDOM;
	arbitration.home_rule = spec->home_rule;
	arbitration.run_bound = spec->run_bound;
	arbitration.groups = topology.clusters;
	arbitration.group_capacity = round_up_to_power(threads_per_cluster);
	if (arbitration.home_rule || arbitration.flat) {
		arbitration.groups = arbitration.flat ? 1 : 2;
		arbitration.group_capacity = round_up_to_power(topology.cpus);
	}
}

static struct wait_queue *
queue_create(void)
{
	struct wait_queue *queue =
		model_calloc(1, sizeof(*queue) + arbitration.groups * sizeof(struct ring));
	u32 all = round_up_to_power(topology.cpus);

	queue->behind.mask = all - 1;
	queue->behind.slot = model_calloc(all, sizeof(struct waiter *));
	for (int i = 0; i < arbitration.groups; i++) {
		queue->group[i].mask = arbitration.group_capacity - 1;
		queue->group[i].slot =
			model_calloc(arbitration.group_capacity, sizeof(struct waiter *));
	}
	return queue;
}

static void
queue_destroy(struct wait_queue *queue)
{
	for (int i = 0; i < arbitration.groups; i++)
		free(queue->group[i].slot);
	free(queue->behind.slot);
	free(queue);
}

void
arbitration_shutdown(void)
{
	for (struct shared_line *line = line_first_record(); line; line = line_next_record(line))
		if (line->queue)
			queue_destroy(line->queue);
	while (arbitration.free) {
		struct wait_queue *queue = arbitration.free;

		arbitration.free = queue->next_free;
		queue_destroy(queue);
	}
}

static void
ring_add(struct ring *ring, struct waiter *waiter)
{
	ring->slot[(ring->head + ring->count++) & ring->mask] = waiter;
}

static struct waiter *
ring_take_first(struct ring *ring)
{
	ring->count--;
	return ring->slot[ring->head++ & ring->mask];
}

static struct waiter *
ring_take_random(struct ring *ring, u32 nth)
{
	struct waiter **slot = &ring->slot[(ring->head + nth) & ring->mask];
	struct waiter *waiter = *slot;

	*slot = ring->slot[(ring->head + --ring->count) & ring->mask];
	return waiter;
}

/* With the home rule: whether @waiter's miss leaves its cluster. */
static bool
leaves_cluster(struct shared_line *line, const struct waiter *waiter)
{
	const struct place *place = &waiter->cpu->place;
	u16 here = holders_in_cluster(line)[place->cluster];

	if (place->cluster != line->cluster || !here)
		return true;
	return waiter->request == REQUEST_OWN && here != line->holders;
}

static struct ring *
group_of(struct shared_line *line, struct waiter *waiter)
{
	struct ring *group = line->queue->group;

	if (arbitration.home_rule)
		waiter->home_bound = leaves_cluster(line, waiter);
	if (arbitration.flat)
		return group;
	if (arbitration.home_rule)
		return &group[waiter->home_bound ? GROUP_BOUND : GROUP_LOCAL];
	return &group[waiter->cpu->place.cluster];
}

static void
join_group(struct shared_line *line, struct waiter *waiter)
{
	ring_add(group_of(line, waiter), waiter);
	line->queue->stores += waiter->store;
}

void
queue_add(struct shared_line *line, struct waiter *waiter)
{
	struct wait_queue *queue = line->queue;

	if (!queue) {
		queue = arbitration.free;
		if (queue)
			arbitration.free = queue->next_free;
		else
			queue = queue_create();
		line->queue = queue;
	}
	queue->count++;
	if (queue->stores)
		ring_add(&queue->behind, waiter);
	else
		join_group(line, waiter);
}

static struct waiter *
take_from(struct ring *ring)
{
	if (ring->count == 1 || !arbitration.random)
		return ring_take_first(ring);
	return ring_take_random(ring, random_below(&arbitration.pick, ring->count));
}

/* One of all waiters outside group @local. Groups are as many as sockets where it matters. */
static struct waiter *
take_other(struct wait_queue *queue, int local, u32 others)
{
	struct ring *oldest = NULL;
	u32 nth = 0;

	if (arbitration.random && others > 1)
		nth = random_below(&arbitration.pick, others);
	for (int i = 0; i < arbitration.groups; i++) {
		struct ring *ring = &queue->group[i];

		if (i == local || !ring->count)
			continue;
		if (!arbitration.random) {
			if (!oldest || ring->slot[ring->head & ring->mask]->arrive <
					       oldest->slot[oldest->head & oldest->mask]->arrive)
				oldest = ring;
		} else if (nth < ring->count) {
			return ring_take_random(ring, nth);
		} else {
			nth -= ring->count;
		}
	}
	return ring_take_first(oldest);
}

static struct waiter *
choose(struct shared_line *line)
{
	struct wait_queue *queue = line->queue;
	u32 waiting = queue->count - queue->behind.count;
	int local = line->cluster;
	struct waiter *waiter;
	u32 here;

	if (arbitration.home_rule)
		local = GROUP_LOCAL;
	if (arbitration.flat)
		local = 0;
	here = queue->group[local].count;
	if (here && (here == waiting || line->run < arbitration.run_bound || arbitration.flat)) {
		waiter = take_from(&queue->group[local]);
	} else {
		line->run = 0;
		waiter = arbitration.home_rule ? take_from(&queue->group[GROUP_BOUND])
					       : take_other(queue, local, waiting - here);
	}
	line->run += waiter->request == REQUEST_OWN;
	return waiter;
}

struct waiter *
queue_take(struct shared_line *line)
{
	struct wait_queue *queue = line->queue;
	struct waiter *waiter = choose(line);

	/* With one group nobody was told when the line left. */
	if (arbitration.flat && arbitration.home_rule)
		waiter->home_bound |= leaves_cluster(line, waiter);
	queue->count--;
	if (waiter->store && --queue->stores == 0)
		while (queue->behind.count)
			join_group(line, ring_take_first(&queue->behind));
	if (!queue->count) {
		line->queue = NULL;
		queue->next_free = arbitration.free;
		arbitration.free = queue;
	}
	return waiter;
}

void
queue_line_leaves(struct shared_line *line)
{
	struct ring *local;

	if (!arbitration.home_rule || arbitration.flat || !line->queue)
		return;
	local = &line->queue->group[GROUP_LOCAL];
	while (local->count) {
		struct waiter *waiter = ring_take_first(local);

		waiter->home_bound = true;
		ring_add(&line->queue->group[GROUP_BOUND], waiter);
	}
}
