/*
 * wire.c - see wire.h
 *
 * One list of fields serves both directions: walk_sample() passes every field
 * to a cursor that either appends to a buffer or takes from one. So what is
 * sent and what is read cannot drift apart.
 */
#include "engine/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/memory.h"

#define MAGIC 0x656e67696e652d31ull /* "engine-1" */
#define MAX_STRING 65536
#define NO_STRING UINT64_MAX

struct cursor {
	bool reading;
	bool broken;	/* reading: something did not fit; everything after reads as zero */
	u8 *bytes;
	size_t used;	/* writing: filled so far; reading: taken so far */
	size_t size;	/* writing: room; reading: what there is */
};

static void
transfer(struct cursor *c, void *data, size_t size)
{
	if (c->reading) {
		if (c->broken || size > c->size - c->used) {
			c->broken = true;
			memset(data, 0, size);
			return;
		}
		memcpy(data, c->bytes + c->used, size);
	} else {
		if (size > c->size - c->used)
			c->bytes = xrealloc(c->bytes, c->size = 2 * (c->size + size));
		memcpy(c->bytes + c->used, data, size);
	}
	c->used += size;
}

static void
walk_u64(struct cursor *c, u64 *value)
{
	transfer(c, value, sizeof(*value));
}

/* A number that must not exceed @max. */
static void
walk_limited(struct cursor *c, u64 *value, u64 max)
{
	walk_u64(c, value);
	if (c->reading && *value > max) {
		c->broken = true;
		*value = 0;
	}
}

static void
walk_string(struct cursor *c, char **string)
{
	u64 length = *string ? strlen(*string) : NO_STRING;

	walk_u64(c, &length);
	if (!c->reading) {
		if (*string)
			transfer(c, *string, length);
		return;
	}
	*string = NULL;
	if (c->broken || length == NO_STRING)
		return;
	if (length > MAX_STRING) {
		c->broken = true;
		return;
	}
	*string = xcalloc(1, length + 1);
	transfer(c, *string, length);
}

/* An array whose elements are plain data; reading allocates it. */
static void
walk_array(struct cursor *c, void **array, u64 *count, u64 max, size_t element)
{
	walk_limited(c, count, max);
	if (c->reading)
		*array = *count ? xcalloc(*count, element) : NULL;
	if (*count)
		transfer(c, *array, *count * element);
}

static void
walk_line(struct cursor *c, struct line_sample *line)
{
	void *sites = line->sites;

	walk_string(c, &line->object);
	walk_string(c, &line->type);
	walk_u64(c, &line->line);
	walk_u64(c, &line->offset);
	walk_u64(c, &line->stall_ps);
	for (int i = 0; i < DISTANCE_MAX; i++)
		walk_u64(c, &line->transactions[i]);
	walk_u64(c, &line->cmpxchg);
	walk_u64(c, &line->cmpxchg_failed);
	walk_array(c, &sites, &line->nr_sites, LINE_REPORT_SITES, sizeof(*line->sites));
	line->sites = sites;
	if (c->reading && !line->object)
		c->broken = true;
}

static void
walk_sample(struct cursor *c, struct sample *sample)
{
	u64 status = sample->status;
	u64 code = sample->exit_code;
	void *per_task = sample->per_task;

	walk_limited(c, &status, SAMPLE_TIMEOUT);
	walk_limited(c, &code, EXIT_INTERNAL);
	sample->status = status;
	sample->exit_code = code;
	walk_string(c, &sample->message);
	walk_u64(c, &sample->pc[0]);
	walk_u64(c, &sample->pc[1]);
	walk_u64(c, &sample->operations);
	walk_u64(c, &sample->window_ps);
	walk_array(c, &per_task, &sample->nr_tasks, 1 << 20, sizeof(*sample->per_task));
	sample->per_task = per_task;
	transfer(c, &sample->counted, sizeof(sample->counted));
	walk_limited(c, &sample->nr_lines, SAMPLE_MAX_LINES);
	if (c->reading && sample->nr_lines)
		sample->lines = xcalloc(sample->nr_lines, sizeof(*sample->lines));
	for (u64 i = 0; i < sample->nr_lines; i++)
		walk_line(c, &sample->lines[i]);
}

static int
write_all(int fd, const u8 *bytes, size_t size)
{
	while (size) {
		ssize_t put = write(fd, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		size -= put;
	}
	return 0;
}

int
wire_send(int fd, const struct sample *sample)
{
	u64 header[2] = { MAGIC, 0 };
	struct cursor c = { 0 };
	struct sample copy = *sample; /* walking writes back what it passes on */
	int error;

	transfer(&c, header, sizeof(header));
	walk_sample(&c, &copy);
	header[1] = c.used - sizeof(header);
	memcpy(c.bytes, header, sizeof(header));
	error = write_all(fd, c.bytes, c.used);
	free(c.bytes);
	return error;
}

bool
wire_decode(const void *bytes, size_t size, struct sample *sample)
{
	struct cursor c = { .reading = true, .bytes = (u8 *)bytes, .size = size };
	u64 header[2];

	memset(sample, 0, sizeof(*sample));
	transfer(&c, header, sizeof(header));
	if (c.broken || header[0] != MAGIC || header[1] != size - sizeof(header))
		return false;
	walk_sample(&c, sample);
	if (!c.broken && c.used == size)
		return true;
	sample_clear(sample);
	return false;
}
