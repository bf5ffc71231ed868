/*
 * schema.h - the shape of the files, as libcyaml loads them
 *
 * Each struct is one mapping of a file. Every scalar is loaded as its text:
 * units, ranges and defaults are the check pass's (yaml/check.h), so that
 * "4k" is never quietly 4. What was not given is NULL.
 *
 * A field with the key "" stands for the mapping's value when it is written
 * without the mapping: `hit: 1ns` is `hit: { "": 1ns }`. The locate pass
 * rewrites the one into the other.
 */
#ifndef YAML_SCHEMA_H
#define YAML_SCHEMA_H

#include <cyaml/cyaml.h>

#include "machine/cost.h"
#include "yaml/workload.h"

struct raw_step;

/* Arguments of one operation; members are named after struct step's. */
struct raw_args {
	char *fd;
	char *new_fd;
	char *raw_line;
	char *path;
	char *to;
	char **flags;
	unsigned int flags_count;
	char *bytes;
	char *offset;
	char *time_ns;
	char *value;
	char *old;
	char *on_fail;
	char *whence;
	char *expect;
	struct raw_step *body;
	unsigned int body_count;
};

/* One entry of a list of steps: exactly one of these is given. */
struct raw_step {
	struct raw_args *op[OP_MAX];
};

struct raw_file {
	char *path;
	char *on;
	char *size;
	char *count;
	char *node;
};

struct raw_line {
	char *name;
	char *node;
};

/* One member for each family of the policy tables, in table order. */
struct raw_policy {
#define POLICY_FAMILY(family, default_choice, summary) char *family;
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
};

struct raw_place {
	char **cpus;		/* written as a list alone */
	unsigned int cpus_count;
	char *pair;
};

struct raw_variant {
	char *name;
	struct raw_place *place;
	struct raw_policy *policy;
};

struct raw_virtual {
	char *warmup;
	char *operations;
	char *duration;
	char *seeds;
};

struct raw_host {
	char *warmup;
	char *duration;
	char *repeats;
};

struct raw_measure {
	struct raw_virtual *virtual;
	struct raw_host *host;
	char *verify;
};

struct raw_row {
	char **values;
	unsigned int values_count;
};

struct raw_published {
	char *machine;
	char *unit;
	char *base;
	char **columns;
	unsigned int columns_count;
	struct raw_row *rows;
	unsigned int rows_count;
};

struct raw_workload {
	char *name;
	char *title;
	char *about;
	char *source;
	char *machine;
	char *kernel;
	char **tasks;
	unsigned int tasks_count;
	char *as;
	char *memory;
	struct raw_file *files;
	unsigned int files_count;
	struct raw_line *lines;
	unsigned int lines_count;
	struct raw_step *prepare;
	unsigned int prepare_count;
	struct raw_step *setup;
	unsigned int setup_count;
	struct raw_step *loop;
	unsigned int loop_count;
	struct raw_place *place;
	struct raw_policy *policy;
	struct raw_variant *variants;
	unsigned int variants_count;
	struct raw_measure *measure;
	struct raw_published *published;
};

/* A figure of a machine file and where it comes from. */
struct raw_figure {
	char *plain;		/* written alone; otherwise one of the next three */
	char *value;
	char *cost;
	char *mean;
	char *spread;
	char *source;
	char *calibrated;
	char *published;	/* what the source says, when the value was calibrated */
	char **fit;		/* smallest and largest value that calibration may try */
	unsigned int fit_count;
};

struct raw_topology {
	char *synthetic;	/* written as one hwloc string; otherwise the counts */
	char *sockets;
	char *clusters_per_socket;
	char *cores_per_cluster;
	char *threads_per_core;
	char *source;
};

struct raw_transfer {
	struct raw_figure *smt;
	struct raw_figure *cluster;
	struct raw_figure *socket;
	struct raw_figure *remote;
	struct raw_figure *upgrade_remote;
};

struct raw_dram {
	struct raw_figure *local;
	struct raw_figure *remote;
};

struct raw_costs {
	struct raw_figure *cost[COST_MAX];
};

/* How far off a column of a published table is. */
struct raw_accuracy {
	char *workload;
	char *column;
	char *error;
};

struct raw_machine {
	char *name;
	char *about;
	struct raw_topology *topology;
	struct raw_figure *clock;
	struct raw_figure *protocol;
	struct raw_figure *place;
	struct raw_figure *hit;
	struct raw_figure *atomic;
	struct raw_figure *pause;
	struct raw_figure *fence;
	struct raw_transfer *transfer;
	struct raw_dram *dram;
	struct raw_figure *home_rule;
	struct raw_figure *arbitration;
	struct raw_figure *run_bound;
	struct raw_figure *request_share;
	struct raw_figure *copy_occupancy;
	struct raw_figure *hold;
	struct raw_figure *failed_cas_writes;
	struct raw_figure *store_buffer;
	struct raw_figure *smt_slowdown;
	struct raw_figure *adjacent_line_prefetch;
	struct raw_figure *jitter;
	struct raw_figure *run_ahead;
	struct raw_costs *costs;
	struct raw_accuracy *accuracy;
	unsigned int accuracy_count;
};

extern const cyaml_schema_value_t schema_workload;
extern const cyaml_schema_value_t schema_machine;

/* What the keys of a mapping are called in messages: "key", "operation", "policy", "cost". */
const char *schema_noun(const cyaml_schema_field_t *fields);

/* True for an entry of a list of steps, which has exactly one key. */
bool schema_is_step(const cyaml_schema_field_t *fields);

/* The field of that key. Return: NULL if there is none. */
const cyaml_schema_field_t *schema_field(const cyaml_schema_field_t *fields, const char *key);

#endif
