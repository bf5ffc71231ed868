/*
 * task_place.c - see task_place.h
 *
 *	place: machine			the machine file's order
 *	place: [0, 24]			these CPUs, the first task on the first
 *	place: { pair: remote }		two CPUs, on different sockets
 *
 * Whether the machine has such CPUs is known only when it is: engine/placement.c.
 */
#include "yaml/task_place.h"

#include <string.h>

#define AS_MACHINE "machine"

static bool
as_machine(const struct raw_place *raw)
{
	return raw->cpus_count == 1 && !strcmp(raw->cpus[0], AS_MACHINE);
}

static void
take_cpus(struct check *check, const struct raw_place *raw, struct task_place *place)
{
	place->cpus_count = check_count(check, "", raw->cpus_count, MACHINE_MAX_CPUS);
	place->cpus = pool_alloc(check->pool, place->cpus_count * sizeof(*place->cpus));
	for (u32 i = 0; i < place->cpus_count; i++) {
		size_t before = path_push_index(&check->path, i);

		place->cpus[i] = take_number(check, "", raw->cpus[i]);
		for (u32 j = 0; j < i; j++) {
			if (!*raw->cpus[i] || strcmp(raw->cpus[i], raw->cpus[j]))
				continue; /* empty: was wrong already */
			check_error(check, "", "CPU %d has a task already", place->cpus[i]);
			break;
		}
		path_pop(&check->path, before);
	}
}

void
take_place(struct check *check, const struct raw_place *raw, int tasks_max,
	   struct task_place *place)
{
	size_t before = path_push(&check->path, "place");
	size_t errors = check->report->entries_count;
	int room;

	if (!raw || check_wrong(check, ""))
		goto out;
	*place = (struct task_place){
		.position = pool_strdup(check->pool, report_position(check->report,
								     check_position(check, ""))),
	};
	if (!raw->pair && as_machine(raw)) {
		check_note(check, "", AS_MACHINE, false);
		goto out;
	}
	if (raw->pair)
		place->pair = DISTANCE_SMT + take_choice(check, "pair", raw->pair);
	else
		take_cpus(check, raw, place);
	room = raw->pair ? 2 : place->cpus_count;
	if (check->report->entries_count > errors || check_wrong(check, "pair"))
		goto out; /* what is wrong may be the reason for too few */
	if (tasks_max > room)
		check_error(check, "", "up to %d tasks, but place has %d CPU%s", tasks_max, room,
			    room == 1 ? "" : "s");
out:
	path_pop(&check->path, before);
}
