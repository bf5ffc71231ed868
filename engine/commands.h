/*
 * commands.h - the commands of the program
 */
#ifndef ENGINE_COMMANDS_H
#define ENGINE_COMMANDS_H

#include "engine/options.h"

extern const struct option calibrate_options[];
extern const struct option probe_options[];
extern const struct option run_options[];
extern const struct option validate_options[];

enum exit_code command_calibrate(const struct arguments *arguments);
enum exit_code command_probe(const struct arguments *arguments);
enum exit_code command_run(const struct arguments *arguments);
enum exit_code command_validate(const struct arguments *arguments);
enum exit_code command_list(const struct arguments *arguments);
enum exit_code command_describe(const struct arguments *arguments);
enum exit_code command_version(const struct arguments *arguments);

/*
 * Overrides of the workload from --set, --machine and --tasks, in the order of
 * the command line. Return: malloc()ed array; *@count is -1 after a usage error.
 */
struct override *overrides_from(const struct arguments *arguments, int *count);
void overrides_free(struct override *overrides, int count);

#endif
