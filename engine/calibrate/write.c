/*
 * write.c - the machine file with the fitted figures, and where each comes from
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/calibrate/calibration.h"
#include "engine/memory.h"
#include "engine/report/format.h"
#include "yaml/edit.h"
#include "yaml/load.h"

/* Return: the file's text, malloc()ed; NULL after a message. */
static char *
read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	char *text = NULL;

	if (file && getdelim(&text, &room, '\0', file) >= 0) {
		fclose(file);
		return text;
	}
	fprintf(stderr, "engine calibrate: %s: %s\n", path, strerror(errno));
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

/* "pread64 (column vanilla, mean error 5.4%), ..." of all, or of those that were solved for. */
static char *
describe_targets(const struct calibration *calibration, bool solvers)
{
	const struct evaluator *evaluator = &calibration->evaluator;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);
	const char *comma = "";

	if (!out)
		abort();
	for (int i = 0; i < evaluator->nr_targets; i++) {
		const struct target *target = &evaluator->targets[i];
		char error[FORMAT_SIZE];
		char *columns;

		if (solvers && !target->solves)
			continue;
		columns = target_columns(target);
		fprintf(out, "%s%s (%s, mean error %s)", comma, target->workload->name, columns,
			format_error(error, calibration->base[i].mean));
		free(columns);
		comma = ", ";
	}
	if (fclose(out))
		abort();
	return text;
}

static char *
describe_origin(const struct calibration *calibration, const struct fittable *fittable)
{
	static const char *const notes[] = { "", "; ended on the smallest",
					     "; ended on the largest" };
	bool solved = calibration->evaluator.solved == fittable;
	char *targets = describe_targets(calibration, solved);
	char smallest[32];
	char largest[32];
	char *text;

	if (solved)
		text = xasprintf("solved from the one-task rates of %s%s", targets,
				 notes[calibration_bound(calibration, fittable)]);
	else
		text = xasprintf("fitted to %s; between %s and %s%s", targets,
				 value_format_decimal(fittable->smallest, fittable->unit, smallest),
				 value_format_decimal(fittable->largest, fittable->unit, largest),
				 notes[calibration_bound(calibration, fittable)]);
	free(targets);
	return text;
}

/* Return: @text, which is freed, with @fittable's new figure. */
static char *
edit_text(const struct calibration *calibration, const struct fittable *fittable, char *text)
{
	u64 value = fittable_get(fittable, &calibration->after);
	char *origin = describe_origin(calibration, fittable);
	char published[32];
	char figure[32];
	const struct figure_edit edit = {
		.path = fittable->path,
		.value = value_format_decimal(value, fittable->unit, figure),
		.published = fittable->published ? value_format_decimal(fittable->published,
									fittable->unit, published)
						 : NULL,
		.calibrated = origin,
	};
	char *edited = figure_edit(text, &edit);

	free(origin);
	free(text);
	return edited;
}

/* Records of how far off the old figures were say nothing about new ones. */
static char *
forget_accuracy(const struct calibration *calibration, char *text)
{
	char *edited;

	if (!text || !memcmp(&calibration->before, &calibration->after, sizeof(calibration->after)))
		return text;
	edited = accuracy_clear(text);
	free(text);
	return edited;
}

char *
calibration_text(const struct calibration *calibration)
{
	char *text = forget_accuracy(calibration, read_text(calibration->machine_file));

	for (int i = 0; text && i < calibration->fittables.count; i++) {
		const struct fittable *fittable = &calibration->fittables.entries[i];

		if (calibration_decides(calibration, fittable))
			text = edit_text(calibration, fittable, text);
	}
	return text;
}

/* Before the file gets its name: does it say what was fitted? */
static bool
says_what_was_fitted(const struct calibration *calibration)
{
	struct machine_spec spec;

	if (!calibration->output.temporary)
		return true;
	fflush(calibration->output.stream);
	return !machine_load(calibration->output.temporary, &spec, stderr) &&
	       !memcmp(&spec, &calibration->after, sizeof(spec));
}

enum exit_code
calibration_write(struct calibration *calibration)
{
	char *text;
	int error;

	if (!calibration->has_output)
		return EXIT_DONE;
	text = calibration_text(calibration);
	if (text)
		fputs(text, calibration->output.stream);
	if (!text || !says_what_was_fitted(calibration)) {
		fprintf(stderr, "engine calibrate: cannot put the figures into %s\n",
			calibration->machine_file);
		free(text);
		return EXIT_INTERNAL;
	}
	free(text);
	error = outfile_commit(&calibration->output);
	calibration->has_output = false;
	if (!error)
		return EXIT_DONE;
	fprintf(stderr, "engine calibrate: cannot write the machine file: %s\n", strerror(-error));
	return EXIT_RESOURCE;
}
