/*
 * schema.c - libcyaml's tables for workload and machine files
 *
 * The innermost first. Every key is optional here: what is missing is reported
 * by the check pass, with everything else that is wrong.
 */
#include "yaml/schema.h"

#include <string.h>

#define TEXT(key, type, member)                                                                    \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_OPTIONAL, struct type, member, 0, CYAML_UNLIMITED)
#define MAPPING(key, type, member, fields)                                                         \
	CYAML_FIELD_MAPPING_PTR(key, CYAML_FLAG_OPTIONAL, struct type, member, fields)
#define LIST(key, type, member, entry)                                                             \
	CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, struct type, member,   \
			     &(entry), 0, CYAML_UNLIMITED)
#define ENTRY(type, fields) CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct type, fields)

static const cyaml_schema_value_t text_entry = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

/* Steps hold arguments, and those of `repeat` hold steps. */
static const cyaml_schema_value_t step_entry;

#define ARGUMENT_FD(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_NEW_FD(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_LINE(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_PATH(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_NEW_PATH(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_TARGET(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_OPEN_FLAGS(key, field) LIST(key, raw_args, field, text_entry)
#define ARGUMENT_ACCESS_MODE(key, field) LIST(key, raw_args, field, text_entry)
#define ARGUMENT_WHENCE(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_ERRNO(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_ON_FAIL(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_NUMBER(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_COUNT(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_BYTES(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_SIZE(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_TIME(key, field) TEXT(key, raw_args, field)
#define ARGUMENT_STEPS(key, field) LIST(key, raw_args, field, step_entry)

/* Flat: an operation's fields follow its head, which ends the fields before it. */
static const cyaml_schema_field_t argument_fields[] = {
#define OPERATION(code, name, summary) CYAML_FIELD_END,
#define ARGUMENT(code, key, type, field, required, fallback, summary) ARGUMENT_##type(key, field),
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
	CYAML_FIELD_END,
};

enum argument_index {
#define OPERATION(code, name, summary) HEAD_##code,
#define ARGUMENT(code, key, type, field, required, fallback, summary) INDEX_##code##_##field,
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
};

static const cyaml_schema_field_t step_fields[] = {
#define OPERATION(code, name, summary)                                                             \
	MAPPING(name, raw_step, op[OP_##code], &argument_fields[HEAD_##code + 1]),
#define ARGUMENT(code, key, type, field, required, fallback, summary)
#include "machine/ops.def"
#include "vfs/ops.def"
#undef OPERATION
#undef ARGUMENT
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t step_entry = { ENTRY(raw_step, step_fields) };

static const cyaml_schema_field_t file_fields[] = {
	TEXT("path", raw_file, path),	TEXT("on", raw_file, on),     TEXT("size", raw_file, size),
	TEXT("count", raw_file, count), TEXT("node", raw_file, node), CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_entry = { ENTRY(raw_file, file_fields) };

static const cyaml_schema_field_t line_fields[] = {
	TEXT("name", raw_line, name),
	TEXT("node", raw_line, node),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t line_entry = { ENTRY(raw_line, line_fields) };

static const cyaml_schema_field_t policy_fields[] = {
#define POLICY_FAMILY(family, default_choice, summary) TEXT(#family, raw_policy, family),
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t place_fields[] = {
	LIST("", raw_place, cpus, text_entry),
	TEXT("pair", raw_place, pair),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t variant_fields[] = {
	TEXT("name", raw_variant, name),
	MAPPING("place", raw_variant, place, place_fields),
	MAPPING("policy", raw_variant, policy, policy_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t variant_entry = { ENTRY(raw_variant, variant_fields) };

static const cyaml_schema_field_t virtual_fields[] = {
	TEXT("warmup", raw_virtual, warmup),
	TEXT("operations", raw_virtual, operations),
	TEXT("duration", raw_virtual, duration),
	TEXT("seeds", raw_virtual, seeds),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t host_fields[] = {
	TEXT("warmup", raw_host, warmup),
	TEXT("duration", raw_host, duration),
	TEXT("repeats", raw_host, repeats),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t measure_fields[] = {
	MAPPING("virtual", raw_measure, virtual, virtual_fields),
	MAPPING("host", raw_measure, host, host_fields),
	TEXT("verify", raw_measure, verify),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t row_fields[] = {
	LIST("", raw_row, values, text_entry),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t row_entry = { ENTRY(raw_row, row_fields) };

static const cyaml_schema_field_t published_fields[] = {
	TEXT("machine", raw_published, machine),
	TEXT("unit", raw_published, unit),
	TEXT("base", raw_published, base),
	LIST("columns", raw_published, columns, text_entry),
	LIST("rows", raw_published, rows, row_entry),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t workload_fields[] = {
	TEXT("name", raw_workload, name),
	TEXT("title", raw_workload, title),
	TEXT("about", raw_workload, about),
	TEXT("source", raw_workload, source),
	TEXT("machine", raw_workload, machine),
	TEXT("kernel", raw_workload, kernel),
	LIST("tasks", raw_workload, tasks, text_entry),
	TEXT("as", raw_workload, as),
	TEXT("memory", raw_workload, memory),
	LIST("files", raw_workload, files, file_entry),
	LIST("lines", raw_workload, lines, line_entry),
	LIST("prepare", raw_workload, prepare, step_entry),
	LIST("setup", raw_workload, setup, step_entry),
	LIST("loop", raw_workload, loop, step_entry),
	MAPPING("place", raw_workload, place, place_fields),
	MAPPING("policy", raw_workload, policy, policy_fields),
	LIST("variants", raw_workload, variants, variant_entry),
	MAPPING("measure", raw_workload, measure, measure_fields),
	MAPPING("published", raw_workload, published, published_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t figure_fields[] = {
	TEXT("", raw_figure, plain),
	TEXT("value", raw_figure, value),
	TEXT("cost", raw_figure, cost),
	TEXT("mean", raw_figure, mean),
	TEXT("spread", raw_figure, spread),
	TEXT("source", raw_figure, source),
	TEXT("calibrated", raw_figure, calibrated),
	TEXT("published", raw_figure, published),
	LIST("fit", raw_figure, fit, text_entry),
	CYAML_FIELD_END,
};

#define FIGURE(key, type, member) MAPPING(key, type, member, figure_fields)

static const cyaml_schema_field_t topology_fields[] = {
	TEXT("", raw_topology, synthetic),
	TEXT("sockets", raw_topology, sockets),
	TEXT("clusters_per_socket", raw_topology, clusters_per_socket),
	TEXT("cores_per_cluster", raw_topology, cores_per_cluster),
	TEXT("threads_per_core", raw_topology, threads_per_core),
	TEXT("source", raw_topology, source),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t transfer_fields[] = {
	FIGURE("smt", raw_transfer, smt),
	FIGURE("cluster", raw_transfer, cluster),
	FIGURE("socket", raw_transfer, socket),
	FIGURE("remote", raw_transfer, remote),
	FIGURE("upgrade_remote", raw_transfer, upgrade_remote),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t dram_fields[] = {
	FIGURE("local", raw_dram, local),
	FIGURE("remote", raw_dram, remote),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t cost_fields[] = {
#define COST(name, summary) FIGURE(#name, raw_costs, cost[COST_##name]),
#include "machine/costs.def"
#undef COST
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t accuracy_fields[] = {
	TEXT("workload", raw_accuracy, workload),
	TEXT("column", raw_accuracy, column),
	TEXT("error", raw_accuracy, error),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t accuracy_entry = { ENTRY(raw_accuracy, accuracy_fields) };

static const cyaml_schema_field_t machine_fields[] = {
	TEXT("name", raw_machine, name),
	TEXT("about", raw_machine, about),
	MAPPING("topology", raw_machine, topology, topology_fields),
	FIGURE("clock", raw_machine, clock),
	FIGURE("protocol", raw_machine, protocol),
	FIGURE("place", raw_machine, place),
	FIGURE("hit", raw_machine, hit),
	FIGURE("atomic", raw_machine, atomic),
	FIGURE("pause", raw_machine, pause),
	FIGURE("fence", raw_machine, fence),
	MAPPING("transfer", raw_machine, transfer, transfer_fields),
	MAPPING("dram", raw_machine, dram, dram_fields),
	FIGURE("home_rule", raw_machine, home_rule),
	FIGURE("arbitration", raw_machine, arbitration),
	FIGURE("run_bound", raw_machine, run_bound),
	FIGURE("request_share", raw_machine, request_share),
	FIGURE("copy_occupancy", raw_machine, copy_occupancy),
	FIGURE("hold", raw_machine, hold),
	FIGURE("failed_cas_writes", raw_machine, failed_cas_writes),
	FIGURE("store_buffer", raw_machine, store_buffer),
	FIGURE("smt_slowdown", raw_machine, smt_slowdown),
	FIGURE("adjacent_line_prefetch", raw_machine, adjacent_line_prefetch),
	FIGURE("jitter", raw_machine, jitter),
	FIGURE("run_ahead", raw_machine, run_ahead),
	MAPPING("costs", raw_machine, costs, cost_fields),
	LIST("accuracy", raw_machine, accuracy, accuracy_entry),
	CYAML_FIELD_END,
};

const cyaml_schema_value_t schema_workload = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_workload, workload_fields),
};

const cyaml_schema_value_t schema_machine = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_machine, machine_fields),
};

const char *
schema_noun(const cyaml_schema_field_t *fields)
{
	if (fields == step_fields)
		return "operation";
	if (fields == policy_fields)
		return "policy";
	if (fields == cost_fields)
		return "cost";
	return "key";
}

bool
schema_is_step(const cyaml_schema_field_t *fields)
{
	return fields == step_fields;
}

const cyaml_schema_field_t *
schema_field(const cyaml_schema_field_t *fields, const char *key)
{
	for (; fields->key; fields++) {
		if (!strcmp(fields->key, key))
			return fields;
	}
	return NULL;
}
