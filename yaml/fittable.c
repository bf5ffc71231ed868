/*
 * fittable.c - see fittable.h
 */
#include "yaml/fittable.h"

#include <stdlib.h>
#include <string.h>

#define SPEC(field)                                                                                \
	{                                                                                          \
		offsetof(struct machine_spec, field), sizeof(((struct machine_spec *)0)->field)    \
	}

/* Every figure that is a number. */
static const struct {
	const char *path;
	struct spec_member member;
} members[] = {
	{ "clock", SPEC(clock_hz) },
	{ "hit", SPEC(hit_ps) },
	{ "atomic", SPEC(atomic_ps) },
	{ "pause", SPEC(pause_ps) },
	{ "fence", SPEC(fence_ps) },
	{ "transfer.smt", SPEC(transfer_ps[DISTANCE_SMT]) },
	{ "transfer.cluster", SPEC(transfer_ps[DISTANCE_CLUSTER]) },
	{ "transfer.socket", SPEC(transfer_ps[DISTANCE_SOCKET]) },
	{ "transfer.remote", SPEC(transfer_ps[DISTANCE_REMOTE]) },
	{ "transfer.upgrade_remote", SPEC(upgrade_remote) },
	{ "dram.local", SPEC(dram_local_ps) },
	{ "dram.remote", SPEC(dram_remote_ps) },
	{ "run_bound", SPEC(run_bound) },
	{ "request_share", SPEC(request_share_percent) },
	{ "copy_occupancy", SPEC(copy_occupancy_ps) },
	{ "hold", SPEC(hold_ps) },
	{ "store_buffer", SPEC(store_buffer) },
	{ "smt_slowdown", SPEC(smt_slowdown_percent) },
	{ "run_ahead", SPEC(run_ahead_ps) },
#define COST(name, summary) { "costs." #name, SPEC(cost_ps[COST_##name]) },
#include "machine/costs.def"
#undef COST
};

static struct spec_member
find_member(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].path, path))
			return members[i].member;
	abort(); /* a figure was added and not its line above */
}

struct fittable *
fittables_add(struct fittables *fittables, const char *path, enum unit unit)
{
	struct fittable *fittable;

	if (fittables->count == FITTABLE_MAX)
		abort();
	fittable = &fittables->entries[fittables->count++];
	*fittable = (struct fittable){ .unit = unit, .member = find_member(path) };
	snprintf(fittable->path, sizeof(fittable->path), "%s", path);
	return fittable;
}

void
fittables_follow(struct fittables *fittables, const char *path, const char *follower)
{
	for (int i = 0; i < fittables->count; i++) {
		struct fittable *fittable = &fittables->entries[i];
		bool first = !fittable->followers[0].size;

		if (!strcmp(fittable->path, path))
			fittable->followers[first ? 0 : 1] = find_member(follower);
	}
}

const struct fittable *
fittables_find(const struct fittables *fittables, const char *path)
{
	for (int i = 0; i < fittables->count; i++)
		if (!strcmp(fittables->entries[i].path, path))
			return &fittables->entries[i];
	return NULL;
}

static void
set_member(struct spec_member member, struct machine_spec *spec, u64 value)
{
	void *at = (char *)spec + member.offset;

	if (member.size == sizeof(u64))
		*(u64 *)at = value;
	else if (member.size == sizeof(int))
		*(int *)at = value;
}

u64
fittable_get(const struct fittable *fittable, const struct machine_spec *spec)
{
	const void *at = (const char *)spec + fittable->member.offset;

	return fittable->member.size == sizeof(u64) ? *(const u64 *)at : (u64)*(const int *)at;
}

void
fittable_set(const struct fittable *fittable, struct machine_spec *spec, u64 value)
{
	set_member(fittable->member, spec, value);
	for (size_t i = 0; i < ARRAY_SIZE(fittable->followers); i++)
		set_member(fittable->followers[i], spec, value);
}
