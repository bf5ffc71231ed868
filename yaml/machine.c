/*
 * machine.c - the third pass over a machine file
 *
 * Every figure may carry where it comes from (`source:` or `calibrated:`), how
 * far calibration may move it (`fit:`) and, once moved, what its source says
 * (`published:`); the number alone goes to the spec.
 */
#include <stdlib.h>
#include <string.h>

#include "yaml/accuracy.h"
#include "yaml/catalogue.h"
#include "yaml/fittable.h"
#include "yaml/load.h"
#include "yaml/loading.h"
#include "yaml/topology.h"

/* The one of a figure's ways to say its value that was used. */
struct figure_value {
	const char *key; /* NULL: none */
	const char *text;
	int given;
};

static struct figure_value
figure_value(const struct raw_figure *raw)
{
	const struct figure_value ways[] = {
		{ "", raw->plain, 0 },
		{ "value", raw->value, 0 },
		{ "cost", raw->cost, 0 },
		{ "mean", raw->mean, 0 },
	};
	struct figure_value found = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!ways[i].text)
			continue;
		found.key = ways[i].key;
		found.text = ways[i].text;
		found.given++;
	}
	return found;
}

/* Return: true if one of the four was written, though wrongly. */
static bool
any_wrong(struct check *check)
{
	return check_wrong(check, "") || check_wrong(check, "value") ||
	       check_wrong(check, "cost") || check_wrong(check, "mean");
}

/* Where a figure comes from: kept for `engine validate` and for readers. */
static void
note_origin(struct check *check, const struct raw_figure *raw)
{
	if (raw->source)
		check_note(check, "source", raw->source, false);
	if (raw->calibrated)
		check_note(check, "calibrated", raw->calibrated, false);
	if (raw->source && raw->calibrated && !raw->published)
		check_error(check, "calibrated",
			    "a figure has a source or is calibrated, not both "
			    "(or says as `published:` what the source says)");
}

/* What calibration starts from: the source's own figure. */
static u64
figure_published(struct check *check, const struct raw_figure *raw, const struct field *field,
		 u64 value)
{
	if (raw->published && !raw->source)
		check_error(check, "published", "published is what a source says: there is none");
	if (raw->published)
		return take_number_as(check, field, "published", raw->published);
	return raw->source && !raw->calibrated ? value : 0;
}

/* `fit: [smallest, largest]` must enclose the value. Return: false if it is no pair. */
static bool
take_bounds(struct check *check, const struct raw_figure *raw, const struct field *field,
	    u64 value, u64 bounds[static 2])
{
	if (raw->fit_count != 2) {
		check_error(check, "fit", "fit has %u values: it is [smallest, largest]",
			    raw->fit_count);
		return false;
	}
	for (int i = 0; i < 2; i++) {
		size_t before = path_push(&check->path, "fit");

		path_push_index(&check->path, i);
		bounds[i] = take_number_as(check, field, "", raw->fit[i]);
		path_pop(&check->path, before);
	}
	if (bounds[1] && (value < bounds[0] || value > bounds[1]))
		check_error(check, "fit", "the value is outside its own fit");
	return true;
}

static void
check_fit(struct check *check, const struct raw_figure *raw, const struct field *field, u64 value)
{
	u64 published = figure_published(check, raw, field, value);
	u64 bounds[2] = { field->smallest, field->largest };
	struct fittable *fittable;

	if (raw->fit && !take_bounds(check, raw, field, value, bounds))
		return;
	if (!check->fittables || (!raw->fit && strcmp(check->path.text, FITTABLE_SOLVED)))
		return;
	fittable = fittables_add(check->fittables, check->path.text, field->unit);
	fittable->value = value;
	fittable->smallest = bounds[0];
	fittable->largest = bounds[1];
	fittable->published = published;
}

/* A choice has nothing between its words. */
static void
refuse_fit(struct check *check, const struct raw_figure *raw)
{
	if (raw->fit)
		check_error(check, "fit", "only a number can be fitted");
	if (raw->published)
		check_error(check, "published", "only a number is calibrated");
}

/*
 * The figure called @key in the mapping at hand. @raw is NULL for one that was
 * left out. Return: its number, or the number of its choice.
 */
static u64
take_figure_as(struct check *check, const struct field *field, const char *key,
	       const struct raw_figure *raw)
{
	bool choice = field->unit == UNIT_CHOICE;
	struct figure_value way;
	size_t before;
	u64 value = 0;

	if (!raw)
		return choice ? (u64)take_choice_as(check, field, key, NULL)
			      : take_number_as(check, field, key, NULL);
	way = figure_value(raw);
	before = path_push(&check->path, key);
	if (way.given > 1)
		check_error(check, way.key, "%s says its value twice", key);
	else if (!way.given && !any_wrong(check))
		check_error(check, "", "%s has no value: %s", key, field->help);
	else if (way.given)
		value = choice ? (u64)take_choice_as(check, field, way.key, way.text)
			       : take_number_as(check, field, way.key, way.text);
	if (raw->spread && strcmp(key, "hold"))
		check_error(check, "spread", "only hold has a spread");
	if (choice)
		refuse_fit(check, raw);
	else
		check_fit(check, raw, field, value);
	note_origin(check, raw);
	path_pop(&check->path, before);
	return value;
}

static u64
take_figure(struct check *check, const char *key, const struct raw_figure *raw)
{
	size_t before = path_push(&check->path, key);
	const struct field *field = field_find(check->table, check->path.text);

	path_pop(&check->path, before);
	return take_figure_as(check, field, key, raw);
}

static void
take_synthetic(struct check *check, const char *synthetic, struct machine_spec *spec)
{
	const char *problem;

	check_note(check, "", synthetic, false);
	problem = topology_parse(synthetic, spec);
	if (problem)
		check_error(check, "", "topology '%.64s': %s", synthetic, problem);
}

static void
take_topology(struct check *check, const struct raw_topology *raw, struct machine_spec *spec)
{
	const struct raw_topology none = { 0 };
	size_t before = path_push(&check->path, "topology");
	u64 cpus;

	raw = raw ? raw : &none;
	if (raw->synthetic) {
		take_synthetic(check, raw->synthetic, spec);
	} else if (!check_wrong(check, "")) {
		spec->sockets = take_number(check, "sockets", raw->sockets);
		spec->clusters_per_socket =
			take_number(check, "clusters_per_socket", raw->clusters_per_socket);
		spec->cores_per_cluster =
			take_number(check, "cores_per_cluster", raw->cores_per_cluster);
		spec->threads_per_core =
			take_number(check, "threads_per_core", raw->threads_per_core);
		take_text(check, "source", raw->source);
	}
	cpus = (u64)spec->sockets * spec->clusters_per_socket * spec->cores_per_cluster *
	       spec->threads_per_core;
	if (cpus > MACHINE_MAX_CPUS)
		check_error(check, "", "%llu CPUs: %d is the most", (unsigned long long)cpus,
			    MACHINE_MAX_CPUS);
	path_pop(&check->path, before);
}

/* A class of distance that the topology does not have costs what the nearer one does. */
static u64
take_distance(struct check *check, const char *key, const struct raw_figure *raw, bool needed,
	      u64 nearer)
{
	u64 cost = take_figure(check, key, raw);

	if (raw || check_wrong(check, key))
		return cost;
	if (needed)
		check_error(check, "", "transfer.%s is missing: the topology has such CPUs", key);
	return nearer;
}

static void
take_transfer(struct check *check, const struct raw_transfer *raw, struct machine_spec *spec)
{
	const struct raw_transfer none = { 0 };
	size_t before = path_push(&check->path, "transfer");
	u64 *cost = spec->transfer_ps;

	raw = raw ? raw : &none;
	cost[DISTANCE_SMT] = take_figure(check, "smt", raw->smt);
	cost[DISTANCE_CLUSTER] = take_figure(check, "cluster", raw->cluster);
	cost[DISTANCE_SOCKET] =
		take_distance(check, "socket", raw->socket, spec->clusters_per_socket > 1,
			      cost[DISTANCE_CLUSTER]);
	cost[DISTANCE_REMOTE] = take_distance(check, "remote", raw->remote, spec->sockets > 1,
					      cost[DISTANCE_SOCKET]);
	spec->upgrade_remote = take_figure(check, "upgrade_remote", raw->upgrade_remote);
	path_pop(&check->path, before);
}

static void
take_dram(struct check *check, const struct raw_dram *raw, struct machine_spec *spec)
{
	const struct raw_dram none = { 0 };
	size_t before = path_push(&check->path, "dram");

	raw = raw ? raw : &none;
	spec->dram_local_ps = take_figure(check, "local", raw->local);
	spec->dram_remote_ps = take_figure(check, "remote", raw->remote);
	path_pop(&check->path, before);
}

static void
take_hold(struct check *check, const struct raw_figure *raw, struct machine_spec *spec)
{
	size_t before;

	spec->hold_ps = take_figure(check, "hold", raw);
	if (!raw || !raw->spread)
		return;
	before = path_push(&check->path, "hold");
	spec->hold_spread_percent = take_number(check, "spread", raw->spread);
	path_pop(&check->path, before);
}

static void
take_costs(struct check *check, const struct raw_costs *raw, struct machine_spec *spec)
{
	const struct field *field = field_find(check->table, "costs");
	const struct raw_costs none = { 0 };
	size_t before = path_push(&check->path, "costs");

	raw = raw ? raw : &none;
	for (int i = 0; i < COST_MAX; i++)
		spec->cost_ps[i] =
			take_figure_as(check, field, catalogue_cost(i)->name, raw->cost[i]);
	path_pop(&check->path, before);
}

static void
take_name(struct check *check, const char *raw, struct machine_spec *spec)
{
	char *name = take_text(check, "name", raw);

	if (!name)
		return;
	if (strlen(name) >= sizeof(spec->name))
		check_error(check, "name", "a machine's name has at most %zu letters",
			    sizeof(spec->name) - 1);
	else if (!strcmp(name, "host"))
		check_error(check, "name", "'host' is the computer that engine runs on");
	snprintf(spec->name, sizeof(spec->name), "%s", name);
}

static void
check_machine(struct check *check, const struct raw_machine *raw, struct machine_spec *spec)
{
	check->table = machine_field_table;
	take_name(check, raw->name, spec);
	take_text(check, "about", raw->about);
	take_topology(check, raw->topology, spec);
	spec->clock_hz = take_figure(check, "clock", raw->clock);
	spec->protocol = take_figure(check, "protocol", raw->protocol);
	spec->placement = take_figure(check, "place", raw->place);
	spec->hit_ps = take_figure(check, "hit", raw->hit);
	spec->atomic_ps = take_figure(check, "atomic", raw->atomic);
	spec->pause_ps = take_figure(check, "pause", raw->pause);
	spec->fence_ps = take_figure(check, "fence", raw->fence);
	take_transfer(check, raw->transfer, spec);
	take_dram(check, raw->dram, spec);
	spec->home_rule = take_figure(check, "home_rule", raw->home_rule);
	spec->arbitration = take_figure(check, "arbitration", raw->arbitration);
	spec->run_bound = take_figure(check, "run_bound", raw->run_bound);
	spec->request_share_percent = take_figure(check, "request_share", raw->request_share);
	spec->copy_occupancy_ps = take_figure(check, "copy_occupancy", raw->copy_occupancy);
	take_hold(check, raw->hold, spec);
	spec->failed_cas_writes = take_figure(check, "failed_cas_writes", raw->failed_cas_writes);
	spec->store_buffer = take_figure(check, "store_buffer", raw->store_buffer);
	spec->smt_slowdown_percent = take_figure(check, "smt_slowdown", raw->smt_slowdown);
	spec->adjacent_line_prefetch =
		take_figure(check, "adjacent_line_prefetch", raw->adjacent_line_prefetch);
	spec->jitter = take_figure(check, "jitter", raw->jitter);
	spec->run_ahead_ps = take_figure(check, "run_ahead", raw->run_ahead);
	take_costs(check, raw->costs, spec);
	take_accuracy(check, raw->accuracy, raw->accuracy_count);
}

/* Distances that were left out go with the nearer one (take_distance()). */
static void
link_distances(const struct raw_transfer *raw, struct fittables *fittables)
{
	if (!raw->socket)
		fittables_follow(fittables, "transfer.cluster", "transfer.socket");
	if (!raw->remote)
		fittables_follow(fittables, raw->socket ? "transfer.socket" : "transfer.cluster",
				 "transfer.remote");
}

int
machine_load_fittables(const char *file, struct machine_spec *spec, struct fittables *fittables,
		       FILE *errors)
{
	struct pool values = { 0 };
	struct loading loading;
	const struct raw_machine *raw =
		loading_begin(&loading, file, NULL, 0, &schema_machine, "machine", &values);

	memset(spec, 0, sizeof(*spec));
	memset(fittables, 0, sizeof(*fittables));
	loading.check.fittables = fittables;
	if (raw) {
		check_machine(&loading.check, raw, spec);
		if (raw->transfer)
			link_distances(raw->transfer, fittables);
	}
	pool_free(&values);
	return loading_end(&loading, errors) ? 0 : -1;
}

/* Return: whether the file is good; @spec is filled in either way. */
static bool
load(const char *file, struct machine_spec *spec, FILE *errors, FILE *resolved)
{
	struct pool values = { 0 };
	struct loading loading;
	const struct raw_machine *raw =
		loading_begin(&loading, file, NULL, 0, &schema_machine, "machine", &values);

	memset(spec, 0, sizeof(*spec));
	if (raw)
		check_machine(&loading.check, raw, spec);
	if (resolved && !loading.report.entries_count)
		resolved_print(&loading.check, resolved);
	pool_free(&values);
	return loading_end(&loading, errors);
}

int
machine_load(const char *file, struct machine_spec *spec, FILE *errors)
{
	return load(file, spec, errors, NULL) ? 0 : -1;
}

void
machine_print_resolved(const char *file, FILE *out)
{
	struct machine_spec spec;

	load(file, &spec, NULL, out);
}
