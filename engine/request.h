/*
 * request.h - one `engine run`, from its arguments to its result
 *
 * What can be wrong with a request is found before anything runs: the file, its
 * overrides, the machine, the variants, and whether the outputs can be written.
 */
#ifndef ENGINE_REQUEST_H
#define ENGINE_REQUEST_H

#include "engine/options.h"
#include "engine/outfile.h"
#include "engine/result.h"

struct output {
	bool wanted;
	bool is_stdout;
	struct outfile file;
};

/* Zero-initialise but for the arguments; end with request_release(). */
struct request {
	const struct arguments *arguments;
	char *file;
	char *machine_file;	/* NULL: the host */
	struct workload *workload;
	struct machine_spec spec;
	bool *wanted;		/* by variant; NULL: all */
	u64 seed;
	u64 jobs;
	u64 limit_s;		/* of real time, for one sample; 0: the runner's */
	bool quiet;
	struct output json;
	struct output csv;
	struct host_info host;
	struct run_result result;
};

/* Return: EXIT_DONE; or why it cannot run, after messages on stderr. */
enum exit_code request_prepare(struct request *request);
void request_release(struct request *request);

/* Was --@name given? */
bool request_has(const struct request *request, const char *name);

/*
 * Write the command that runs the failed @point again, and only it. Context:
 * after request_prepare().
 */
void request_print_again(const struct request *request, const struct point_result *point,
			 FILE *out);

#endif
