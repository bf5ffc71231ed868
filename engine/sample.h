/*
 * sample.h - what one run of one point brought
 *
 * A point (variant, tasks) is run several times: once per stream of the seed on
 * the virtual kind, once per repeat on the host. Each run happens in a child
 * process of its own and comes back as one struct sample (wire.h).
 */
#ifndef ENGINE_SAMPLE_H
#define ENGINE_SAMPLE_H

#include "engine/exit_code.h"
#include "machine/measure.h"
#include "vfs/kernel_ops.h"

#define SAMPLE_MAX_LINES MEASURE_LINES

enum sample_status {
	SAMPLE_SKIPPED,	/* never ran, or was interrupted */
	SAMPLE_OK,
	SAMPLE_FAILED,
	SAMPLE_TIMEOUT,
};

/* A contended line; one `struct line_report` in a form that outlives its kernel. */
struct line_sample {
	char *object;		/* "folio of /file" */
	char *type;		/* C struct of the object, or NULL */
	u64 line;		/* number of the line within the object, 0 is the first */
	u64 offset;		/* of the hottest field, within the object */
	u64 stall_ps;
	u64 transactions[DISTANCE_MAX];
	u64 cmpxchg;
	u64 cmpxchg_failed;
	u64 nr_sites;
	struct site_report *sites;
};

struct sample {
	enum sample_status status;
	enum exit_code exit_code;	/* EXIT_DONE, or why it failed */
	char *message;			/* what failed, or NULL */
	u64 pc[2];			/* code addresses that belong to the message, or 0 */

	/* Only when status is SAMPLE_OK. */
	u64 operations;			/* completed inside the window, all tasks together */
	u64 window_ps;
	u64 nr_tasks;
	u64 *per_task;			/* completed inside the window */
	struct measurement counted;
	u64 nr_lines;
	struct line_sample *lines;	/* by stall_ps, descending; virtual kind only */
};

/* Make @sample a failed one. */
__printf(3, 4) void sample_fail(struct sample *sample, enum exit_code code, const char *fmt, ...);

/* Free what @sample points to and clear it. */
void sample_clear(struct sample *sample);

/* Operations per second. */
u64 sample_rate(const struct sample *sample);

#endif
