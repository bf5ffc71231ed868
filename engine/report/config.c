/*
 * config.c - the resolved workload as JSON
 *
 * Written from the structure that ran and from the tables that the loader
 * checked it with: a new operation or policy shows up here by existing.
 */
#include <string.h>

#include "engine/report/report.h"
#include "yaml/catalogue.h"

static void
write_flags(struct json *json, const char *key, enum argument_type type, int flags)
{
	const struct flag_name *known = argument_flags(type);

	json_array(json, key, JSON_COMPACT);
	for (; known->name; known++)
		if ((flags & known->mask) == known->flag)
			json_string(json, NULL, known->name);
	json_end(json);
}

/* A step that is to succeed has no such key. */
static void
write_expect(struct json *json, const char *key, int expect)
{
	char name[ERRNO_NAME_SIZE];

	if (expect)
		json_string(json, key, errno_name(expect, name));
}

static void write_steps(struct json *json, const char *key, const struct step_list *list,
			const struct workload *workload);

/* A descriptor's name is not kept; its slot says as much. */
static void
write_slot(struct json *json, const char *key, const struct slot *slot)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%d", slot->shared ? "shared" : "own", slot->index);
	json_string(json, key, text);
}

static void
write_argument(struct json *json, const struct argument *argument, const struct step *step,
	       const struct workload *workload)
{
	const char *key = *argument->key ? argument->key : "value";
	const void *field = (const char *)step + argument->field;

	switch (argument->type) {
	case ARGUMENT_FD:
	case ARGUMENT_NEW_FD:
		write_slot(json, key, field);
		break;
	case ARGUMENT_LINE:
		json_string(json, key, workload->lines[*(const int *)field].name);
		break;
	case ARGUMENT_PATH:
	case ARGUMENT_NEW_PATH:
	case ARGUMENT_TARGET:
		json_string(json, key, *(char *const *)field);
		break;
	case ARGUMENT_OPEN_FLAGS:
	case ARGUMENT_ACCESS_MODE:
		write_flags(json, key, argument->type, *(const int *)field);
		break;
	case ARGUMENT_ON_FAIL:
	case ARGUMENT_WHENCE:
		json_string(json, key, argument_choices(argument->type)[*(const int *)field]);
		break;
	case ARGUMENT_ERRNO:
		write_expect(json, key, *(const int *)field);
		break;
	case ARGUMENT_STEPS:
		write_steps(json, key, field, workload);
		break;
	case ARGUMENT_TIME:
		json_u64(json, *argument->key ? key : "ns", *(const u64 *)field);
		break;
	default:
		json_u64(json, key, *(const u64 *)field);
		break;
	}
}

static void
write_step(struct json *json, const struct step *step, const struct workload *workload)
{
	const struct operation *operation = catalogue_operation(step->op);
	const struct argument *argument = operation->arguments;

	json_object(json, NULL, JSON_COMPACT);
	json_object(json, operation->name, JSON_COMPACT);
	for (; argument->key; argument++)
		write_argument(json, argument, step, workload);
	json_end(json);
	json_end(json);
}

static void
write_steps(struct json *json, const char *key, const struct step_list *list,
	    const struct workload *workload)
{
	json_array(json, key, JSON_LINES);
	for (u32 i = 0; i < list->steps_count; i++)
		write_step(json, &list->steps[i], workload);
	json_end(json);
}

static void
write_place(struct json *json, const struct task_place *place)
{
	static const char *const pairs[DISTANCE_MAX] = {
		[DISTANCE_SMT] = "smt",
		[DISTANCE_CLUSTER] = "cluster",
		[DISTANCE_SOCKET] = "socket",
		[DISTANCE_REMOTE] = "remote",
	};

	if (place->pair != DISTANCE_SELF) {
		json_object(json, "place", JSON_COMPACT);
		json_string(json, "pair", pairs[place->pair]);
		json_end(json);
	} else if (place->cpus) {
		json_array(json, "place", JSON_COMPACT);
		for (u32 i = 0; i < place->cpus_count; i++)
			json_u64(json, NULL, place->cpus[i]);
		json_end(json);
	}
}

static void
write_variant(struct json *json, const struct variant *variant)
{
	const struct policy_family *family;

	json_object(json, NULL, JSON_LINES);
	json_string(json, "name", variant->name);
	write_place(json, &variant->place);
	json_object(json, "policy", JSON_COMPACT);
	for (size_t i = 0; (family = catalogue_family(i)); i++) {
		int choice = variant->policy[family->number];

		json_string(json, family->name, family->choices[choice].name);
	}
	json_end(json);
	json_end(json);
}

static void
write_measure(struct json *json, const struct measure *measure)
{
	json_object(json, "measure", JSON_LINES);
	json_object(json, "virtual", JSON_COMPACT);
	if (measure->warmup_auto)
		json_string(json, "warmup", "auto");
	else
		json_u64(json, "warmup_ns", measure->warmup_ns);
	if (measure->operations)
		json_u64(json, "operations", measure->operations);
	else
		json_u64(json, "duration_ns", measure->duration_ns);
	json_u64(json, "seeds", measure->seeds);
	json_end(json);
	json_object(json, "host", JSON_COMPACT);
	json_u64(json, "warmup_ns", measure->host_warmup_ns);
	json_u64(json, "duration_ns", measure->host_duration_ns);
	json_u64(json, "repeats", measure->host_repeats);
	json_end(json);
	json_bool(json, "verify", measure->verify);
	json_end(json);
}

static void
write_files_and_lines(struct json *json, const struct workload *workload)
{
	json_array(json, "files", JSON_LINES);
	for (u32 i = 0; i < workload->files_count; i++) {
		json_object(json, NULL, JSON_COMPACT);
		json_string(json, "path", workload->files[i].path);
		json_string(json, "on", workload->files[i].on == ON_IMAGE ? "image" : "tmpfs");
		json_u64(json, "size", workload->files[i].size);
		json_u64(json, "count", workload->files[i].count);
		json_u64(json, "node", workload->files[i].node);
		json_end(json);
	}
	json_end(json);
	json_array(json, "lines", JSON_LINES);
	for (u32 i = 0; i < workload->lines_count; i++) {
		json_object(json, NULL, JSON_COMPACT);
		json_string(json, "name", workload->lines[i].name);
		json_u64(json, "node", workload->lines[i].node);
		json_end(json);
	}
	json_end(json);
}

void
report_config(struct json *json, const char *key, const struct workload *workload)
{
	json_object(json, key, JSON_LINES);
	json_string(json, "name", workload->name);
	json_string(json, "title", workload->title);
	json_string(json, "source", workload->source);
	json_string(json, "kernel", workload->kernel);
	json_array(json, "tasks", JSON_COMPACT);
	for (u32 i = 0; i < workload->tasks_count; i++)
		json_u64(json, NULL, workload->tasks[i]);
	json_end(json);
	json_string(json, "as", workload->as == AS_THREADS ? "threads" : "processes");
	json_u64(json, "memory", workload->memory_bytes);
	write_files_and_lines(json, workload);
	write_steps(json, "prepare", &workload->prepare, workload);
	write_steps(json, "setup", &workload->setup, workload);
	write_steps(json, "loop", &workload->loop, workload);
	json_array(json, "variants", JSON_LINES);
	for (u32 i = 0; i < workload->variants_count; i++)
		write_variant(json, &workload->variants[i]);
	json_end(json);
	write_measure(json, &workload->measure);
	json_end(json);
}
