/*
 * command_calibrate.c - `engine calibrate`: fit a machine file, then look at the predictions
 *
 * Blind by construction: the workloads are loaded without the columns that are
 * predictions (calibrate/target.h); the machine file is written; only then are those
 * columns read (calibrate/reveal.c), to say how far off they are.
 */
#include <string.h>

#include "engine/calibrate/calibration.h"
#include "engine/commands.h"
#include "engine/symbolise.h"

const struct option calibrate_options[] = {
	{ "machine", "M", "the machine to fit: a name from `engine list`, or a .yaml file" },
	{ "o", "FILE|-", "write the machine file with the fitted figures; - is stdout, alone" },
	{ "sensitivity", NULL, "also print what a tenth of each figure does to each column" },
	{ "evaluations", "N", "sets of values to try at most; default 200" },
	{ "operations", "N", "operations of each point while fitting; default 2000" },
	{ "seed", "N", "seed of everything random; default 1" },
	{ "jobs", "N", "child processes at a time; default: host cores" },
	{ "quiet", NULL, "no progress line" },
	{ 0 },
};

static enum exit_code
calibrate(struct calibration *calibration)
{
	bool text_only = calibration->has_output && !calibration->output.path;
	enum exit_code code;

	if (!calibration_fit(calibration)) {
		fputs("engine: interrupted; nothing was fitted\n", stderr);
		return EXIT_INTERRUPTED;
	}
	code = calibration_write(calibration);
	if (code != EXIT_DONE || text_only)
		return code;
	calibration_print_figures(calibration, stdout);
	fflush(stdout);
	return calibration_reveal(calibration, stdout);
}

enum exit_code
command_calibrate(const struct arguments *arguments)
{
	struct calibration calibration = {
		.arguments = arguments,
		.evaluator = { .kernel = &virtual_kernel },
	};
	enum exit_code code = calibration_prepare(&calibration);

	if (code == EXIT_DONE)
		code = calibrate(&calibration);
	calibration_release(&calibration);
	symbolise_done();
	return code;
}
