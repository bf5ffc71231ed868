/*
 * report.h - the renderings of a result
 *
 * Each takes the finished structure (engine/result.h), computes nothing that
 * others would want to know too, and writes to @out.
 */
#ifndef ENGINE_REPORT_REPORT_H
#define ENGINE_REPORT_REPORT_H

#include <stdio.h>

#include "engine/report/json_writer.h"
#include "engine/result.h"

/* The engine-result/1 document. */
void report_json(const struct run_result *run, FILE *out);

/* One line per point, a header line before. */
void report_csv(const struct run_result *run, FILE *out);

/* What `engine run` prints for people. */
void report_table(const struct run_result *run, FILE *out);

/* Of that, the second table: what the tasks of each row had to wait for. */
void report_contention(const struct run_result *run, FILE *out);

/* The resolved workload as the member @key: what ran, whatever the file and --set said. */
void report_config(struct json *json, const char *key, const struct workload *workload);

#endif
