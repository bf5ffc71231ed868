/*
 * workload.c - the third pass over a workload file
 *
 * What every key means is in fields.c; this file knows how they hang together.
 */
#include "yaml/workload.h"

#include <stdlib.h>
#include <string.h>

#include "yaml/catalogue.h"
#include "yaml/load.h"
#include "yaml/loading.h"
#include "yaml/paths.h"
#include "yaml/policies.h"
#include "yaml/published.h"
#include "yaml/steps.h"
#include "yaml/suggest.h"
#include "yaml/task_place.h"

#define PAGE_BYTES 4096
#define FILES_MAX 1024
#define LINES_MAX 1024
#define VARIANTS_MAX 64

/* A workload and what it points to; workload_free() gets the one and frees both. */
struct owned_workload {
	struct pool pool;
	struct workload workload;
};

struct machine_search {
	struct suggestion suggestion;
	struct pool names;
};

static void
suggest_machine(void *context, const char *file)
{
	struct machine_search *search = context;
	const char *name = strrchr(file, '/') + 1;
	int length = strlen(name) - strlen(".yaml");

	suggest(&search->suggestion, pool_printf(&search->names, "%.*s", length, name));
}

/* Is there a machine file called @name? */
static void
check_machine(struct check *check, const char *name)
{
	struct machine_search search = { .suggestion = SUGGESTION(name) };
	char *file = machine_find(name, check->report->file);
	char hint[128];

	if (!file) {
		shipped_each(SHIPPED_MACHINES, suggest_machine, &search);
		suggest(&search.suggestion, "host");
		check_error(check, "machine", "no machine '%.64s'%s", name,
			    suggestion_text(&search.suggestion, hint));
		pool_free(&search.names);
	}
	free(file);
}

static bool
is_yaml_path(const char *text)
{
	size_t length = text ? strlen(text) : 0;

	return length > 5 && !strcmp(text + length - 5, ".yaml");
}

/* A name; from the command line also the path of a file. */
static char *
take_machine(struct check *check, const char *raw)
{
	char *name;

	if (is_yaml_path(raw) && check_position(check, "machine").override) {
		check_note(check, "machine", raw, false);
		name = pool_strdup(check->pool, raw);
	} else {
		name = take_text(check, "machine", raw);
	}
	if (name && strcmp(name, "host"))
		check_machine(check, name);
	return name;
}

static char *
take_kernel(struct check *check, const char *raw)
{
	char *version = take_text(check, "kernel", raw);
	char known[128] = "";
	const char *kernel;

	for (size_t i = 0; version && (kernel = catalogue_kernel(i)); i++) {
		if (!strcmp(kernel, version))
			return version;
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			 i ? ", " : "", kernel);
	}
	if (version)
		check_error(check, "kernel", "unknown kernel '%.40s': %s are known", version,
			    known);
	return version;
}

static void
take_tasks(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	u32 count = check_count(check, "tasks", raw->tasks_count, MACHINE_MAX_CPUS);
	int before_it = 0;

	workload->tasks = pool_alloc(check->pool, count * sizeof(*workload->tasks));
	workload->tasks_position =
		pool_alloc(check->pool, count * sizeof(*workload->tasks_position));
	workload->tasks_count = count;
	if (!raw->tasks_count && !check_wrong(check, "tasks"))
		check_error(check, "tasks", "tasks is missing: numbers of tasks, ascending");
	for (u32 i = 0; i < count; i++) {
		size_t before = path_push(&check->path, "tasks");
		int tasks;

		path_push_index(&check->path, i);
		tasks = take_number(check, "", raw->tasks[i]);
		if (tasks && tasks <= before_it)
			check_error(check, "", "tasks must ascend: %d after %d", tasks, before_it);
		before_it = max(tasks, before_it);
		workload->tasks[i] = tasks;
		workload->tasks_position[i] = pool_strdup(
			check->pool, report_position(check->report, check_position(check, "")));
		path_pop(&check->path, before);
	}
}

static int
tasks_max(const struct workload *workload)
{
	return workload->tasks_count ? workload->tasks[workload->tasks_count - 1] : 0;
}

static void
take_file(struct check *check, const struct raw_file *raw, struct workload_file *file)
{
	file->path = checked_file_path(check, "path", take_text(check, "path", raw->path));
	file->on = take_choice(check, "on", raw->on);
	file->size = take_number(check, "size", raw->size);
	file->count = take_number(check, "count", raw->count);
	file->node = take_number(check, "node", raw->node);
	file->position =
		pool_strdup(check->pool, report_position(check->report, check_position(check, "")));
}

/* Another file system than the root's is mounted on the first directory, and that has it alone. */
static void
check_mount(struct check *check, const struct workload *workload, const struct workload_file *file)
{
	int length = 1 + strcspn(file->path + 1, "/");

	for (const struct workload_file *other = workload->files; other < file; other++) {
		if (other->path && other->on != file->on && file->path[length] &&
		    !strncmp(other->path, file->path, length) && other->path[length] == '/')
			check_error(check, "path", "'%.*s' cannot lie on two file systems", length,
				    file->path);
	}
	if (file->on == ON_TMPFS)
		return;
	if (!file->path[length])
		check_error(check, "path",
			    "path '%.64s' has no directory for its file system to be mounted on",
			    file->path);
	else if (memchr(file->path, '$', length))
		check_error(check, "path", "path '%.64s': one file system, so one directory",
			    file->path);
}

/* Does its path go together with its count and with the files before it? */
static void
check_file(struct check *check, const struct workload *workload, const struct workload_file *file)
{
	for (const struct workload_file *other = workload->files; other < file; other++) {
		enum path_relation relation =
			other->path ? path_relation(file->path, other->path) : PATH_APART;

		if (relation == PATH_SAME && !strcmp(file->path, other->path))
			check_error(check, "path", "file '%.64s' is there already", file->path);
		else if (relation == PATH_ABOVE || relation == PATH_BELOW)
			check_error(check, "path", "'%.64s' cannot be a file and a directory",
				    relation == PATH_ABOVE ? file->path : other->path);
	}
	check_mount(check, workload, file);
	if (file->count > 1 && !strstr(file->path, "${n}"))
		check_error(check, "path", "path '%.64s' has no ${n} to tell %d files apart",
			    file->path, file->count);
}

static void
take_files(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	u32 count = check_count(check, "files", raw->files_count, FILES_MAX);
	u64 bytes = 0;

	workload->files = pool_alloc(check->pool, count * sizeof(*workload->files));
	workload->files_count = count;
	for (u32 i = 0; i < count; i++) {
		struct workload_file *file = &workload->files[i];
		size_t before = path_push(&check->path, "files");

		path_push_index(&check->path, i);
		if (!check_wrong(check, ""))
			take_file(check, &raw->files[i], file);
		if (file->path)
			check_file(check, workload, file);
		if (file->path)
			bytes += file->size * file->count *
				 (strstr(file->path, "${task}") ? max(tasks_max(workload), 1) : 1);
		path_pop(&check->path, before);
	}
	if (workload->memory_bytes && bytes > workload->memory_bytes)
		check_error(check, "files", "the files hold %llu bytes, memory is %llu",
			    (unsigned long long)bytes, (unsigned long long)workload->memory_bytes);
}

static void
take_lines(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	u32 count = check_count(check, "lines", raw->lines_count, LINES_MAX);

	workload->lines = pool_alloc(check->pool, count * sizeof(*workload->lines));
	workload->lines_count = count;
	for (u32 i = 0; i < count; i++) {
		struct workload_line *line = &workload->lines[i];
		size_t before = path_push(&check->path, "lines");

		path_push_index(&check->path, i);
		if (!check_wrong(check, "")) {
			line->name = take_text(check, "name", raw->lines[i].name);
			line->node = take_number(check, "node", raw->lines[i].node);
		}
		for (u32 j = 0; j < i && line->name; j++) {
			if (workload->lines[j].name && !strcmp(workload->lines[j].name, line->name))
				check_error(check, "name", "line '%s' is there already",
					    line->name);
		}
		line->position = pool_strdup(
			check->pool, report_position(check->report, check_position(check, "")));
		path_pop(&check->path, before);
	}
}

static void
take_variant(struct check *check, const struct raw_variant *raw, struct workload *workload,
	     struct variant *variant)
{
	if (check_wrong(check, ""))
		return;
	variant->name = take_text(check, "name", raw->name);
	take_place(check, raw->place, tasks_max(workload), &variant->place);
	take_policies(check, raw->policy, NULL, tasks_max(workload), variant->policy);
	for (struct variant *other = workload->variants; variant->name && other < variant;
	     other++) {
		if (other->name && !strcmp(other->name, variant->name))
			check_error(check, "name", "variant '%s' is there already", variant->name);
	}
}

/* The release's policies, then the top level's place and policies, then a variant's own. */
static void
take_variants(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	u32 count = check_count(check, "variants", raw->variants_count, VARIANTS_MAX);
	struct task_place place = { 0 };
	int common[POLICY_MAX] = { 0 };

	take_place(check, raw->place, tasks_max(workload), &place);
	take_policies(check, raw->policy, workload->kernel ? workload->kernel : "",
		      tasks_max(workload), common);
	workload->variants_count = max(count, 1u);
	workload->variants =
		pool_alloc(check->pool, workload->variants_count * sizeof(*workload->variants));
	for (u32 i = 0; i < workload->variants_count; i++) {
		struct variant *variant = &workload->variants[i];
		size_t before = path_push(&check->path, "variants");

		path_push_index(&check->path, i);
		variant->place = place;
		memcpy(variant->policy, common, sizeof(common));
		if (i < count) {
			take_variant(check, &raw->variants[i], workload, variant);
		} else {
			variant->name = pool_strdup(check->pool, "default");
			check_note(check, "name", variant->name, true);
		}
		path_pop(&check->path, before);
	}
}

/*
 * Of operations and duration the one that was written counts; if both were, the
 * one from the command line, and both from one place is an error.
 */
static bool
duration_counts(struct check *check, const struct raw_virtual *raw)
{
	struct position duration = check_position(check, "duration");
	struct position operations = check_position(check, "operations");

	if (!raw->duration)
		return false;
	if (!raw->operations)
		return true;
	if (!duration.override == !operations.override)
		check_error(check, "duration", "operations is given too: one of them counts");
	return duration.override;
}

static void
take_virtual(struct check *check, const struct raw_virtual *raw, struct measure *measure)
{
	const struct raw_virtual none = { 0 };
	size_t before = path_push(&check->path, "virtual");

	raw = raw ? raw : &none;
	measure->warmup_auto = !raw->warmup || !strcmp(raw->warmup, "auto");
	if (measure->warmup_auto)
		check_note(check, "warmup", "auto", !raw->warmup);
	else
		measure->warmup_ns = take_number(check, "warmup", raw->warmup);
	if (duration_counts(check, raw))
		measure->duration_ns = take_number(check, "duration", raw->duration);
	else
		measure->operations = take_number(check, "operations", raw->operations);
	measure->seeds = take_number(check, "seeds", raw->seeds);
	path_pop(&check->path, before);
}

static void
take_host(struct check *check, const struct raw_host *raw, struct measure *measure)
{
	const struct raw_host none = { 0 };
	size_t before = path_push(&check->path, "host");

	raw = raw ? raw : &none;
	measure->host_warmup_ns = take_number(check, "warmup", raw->warmup);
	measure->host_duration_ns = take_number(check, "duration", raw->duration);
	measure->host_repeats = take_number(check, "repeats", raw->repeats);
	path_pop(&check->path, before);
}

static void
take_measure(struct check *check, const struct raw_measure *raw, struct measure *measure)
{
	const struct raw_measure none = { 0 };
	size_t before = path_push(&check->path, "measure");

	raw = raw ? raw : &none;
	take_virtual(check, raw->virtual, measure);
	take_host(check, raw->host, measure);
	measure->verify = take_choice(check, "verify", raw->verify);
	path_pop(&check->path, before);
}

static void
check_workload(struct check *check, const struct raw_workload *raw, struct workload *workload)
{
	check->table = workload_field_table;
	workload->name = take_text(check, "name", raw->name);
	workload->title = take_text(check, "title", raw->title);
	workload->about = take_text(check, "about", raw->about);
	workload->source = take_text(check, "source", raw->source);
	workload->machine = take_machine(check, raw->machine);
	workload->machine_position = pool_strdup(
		check->pool, report_position(check->report, check_position(check, "machine")));
	workload->kernel = take_kernel(check, raw->kernel);
	take_tasks(check, raw, workload);
	workload->as = take_choice(check, "as", raw->as);
	workload->memory_bytes = take_number(check, "memory", raw->memory);
	if (workload->memory_bytes % PAGE_BYTES)
		check_error(check, "memory", "memory is not a whole number of 4KiB pages");
	take_files(check, raw, workload);
	take_lines(check, raw, workload);
	check_steps(check, raw, workload);
	take_variants(check, raw, workload);
	take_measure(check, raw->measure, &workload->measure);
	take_published(check, raw->published, workload);
}

/* Return: whether the file is good; @owned is filled in either way. */
static bool
load(const struct workload_source *source, struct owned_workload *owned, FILE *errors,
     FILE *resolved)
{
	struct loading loading;
	const struct raw_workload *raw =
		loading_begin(&loading, source->file, source->overrides, source->nr_overrides,
			      &schema_workload, "workload", &owned->pool);

	if (raw)
		check_workload(&loading.check, raw, &owned->workload);
	if (resolved && !loading.report.entries_count)
		resolved_print(&loading.check, resolved);
	return loading_end(&loading, errors);
}

struct workload *
workload_load(const struct workload_source *source, FILE *errors)
{
	struct owned_workload *owned = calloc(1, sizeof(*owned));

	if (!owned)
		abort();
	if (load(source, owned, errors, NULL))
		return &owned->workload;
	workload_free(&owned->workload);
	return NULL;
}

void
workload_free(struct workload *workload)
{
	struct owned_workload *owned;

	if (!workload)
		return;
	owned = container_of(workload, struct owned_workload, workload);
	pool_free(&owned->pool);
	free(owned);
}

void
workload_print_resolved(const struct workload_source *source, FILE *out)
{
	struct owned_workload owned = { 0 };

	load(source, &owned, NULL, out);
	pool_free(&owned.pool);
}
