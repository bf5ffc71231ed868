/*
 * engine_wire_test.c - a sample survives the pipe, and broken frames are refused
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/wire.h"

static u64 per_task[] = { 3, 4, 5 };
static struct site_report sites[] = { { .pc = (void *)0x1234, .offset = 52, .stall_ps = 7 } };
static struct line_sample lines[] = {
	{ .object = "folio of /file", .type = "page", .offset = 52, .stall_ps = 9, .nr_sites = 1,
	  .sites = sites },
	{ .object = "bucket", .line = 3, .cmpxchg = 11 },
};
static const struct sample example = {
	.status = SAMPLE_OK,
	.operations = 12,
	.window_ps = 6000000,
	.nr_tasks = 3,
	.per_task = per_task,
	.counted = { .stall_ps = 77, .events = { [EVENT_CMPXCHG_FAILED] = 5 } },
	.nr_lines = 2,
	.lines = lines,
};

/* Send @sample and read the frame back. Return: malloc()ed. */
static u8 *
frame_of(const struct sample *sample, size_t *size)
{
	u8 *frame = malloc(65536);
	int fds[2];
	ssize_t got;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(wire_send(fds[1], sample), 0);
	close(fds[1]);
	*size = 0;
	while ((got = read(fds[0], frame + *size, 65536 - *size)) > 0)
		*size += got;
	close(fds[0]);
	return frame;
}

static void
a_sample_arrives_as_it_was_sent(void **state)
{
	struct sample got;
	size_t size;
	u8 *frame = frame_of(&example, &size);

	(void)state;
	assert_true(wire_decode(frame, size, &got));
	assert_int_equal(got.status, SAMPLE_OK);
	assert_int_equal(got.operations, 12);
	assert_int_equal(got.window_ps, 6000000);
	assert_int_equal(got.nr_tasks, 3);
	assert_memory_equal(got.per_task, per_task, sizeof(per_task));
	assert_int_equal(got.counted.stall_ps, 77);
	assert_int_equal(got.counted.events[EVENT_CMPXCHG_FAILED], 5);
	assert_int_equal(got.nr_lines, 2);
	assert_string_equal(got.lines[0].object, "folio of /file");
	assert_string_equal(got.lines[0].type, "page");
	assert_ptr_equal(got.lines[0].sites[0].pc, (void *)0x1234);
	assert_null(got.lines[1].type);
	assert_int_equal(got.lines[1].line, 3);
	assert_null(got.message);
	sample_clear(&got);
	free(frame);
}

static void
a_frame_cut_off_anywhere_is_refused(void **state)
{
	struct sample got;
	size_t size;
	u8 *frame = frame_of(&example, &size);

	(void)state;
	for (size_t cut = 0; cut < size; cut++)
		assert_false(wire_decode(frame, cut, &got));
	free(frame);
}

static void
trailing_bytes_are_refused(void **state)
{
	struct sample got;
	size_t size;
	u8 *frame = frame_of(&example, &size);

	(void)state;
	frame[size] = 0;
	assert_false(wire_decode(frame, size + 1, &got));
	free(frame);
}

/* Whatever one byte says, nothing may be read or allocated beyond the frame's own size. */
static void
a_wrong_byte_anywhere_does_no_harm(void **state)
{
	size_t size;
	u8 *frame = frame_of(&example, &size);

	(void)state;
	for (size_t i = 0; i < size; i++) {
		struct sample got;
		u8 kept = frame[i];

		frame[i] = 0xff;
		if (wire_decode(frame, size, &got))
			sample_clear(&got);
		frame[i] = kept;
	}
	free(frame);
}

static void
a_failure_carries_its_message_and_places(void **state)
{
	struct sample failed = { 0 };
	struct sample got;
	size_t size;
	u8 *frame;

	(void)state;
	sample_fail(&failed, EXIT_BUG, "BUG_ON(%s): refs=%d", "refs < 0", -1);
	failed.pc[0] = 0xabc;
	frame = frame_of(&failed, &size);
	assert_true(wire_decode(frame, size, &got));
	assert_int_equal(got.status, SAMPLE_FAILED);
	assert_int_equal(got.exit_code, EXIT_BUG);
	assert_string_equal(got.message, "BUG_ON(refs < 0): refs=-1");
	assert_int_equal(got.pc[0], 0xabc);
	sample_clear(&got);
	sample_clear(&failed);
	free(frame);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_arrives_as_it_was_sent),
		cmocka_unit_test(a_frame_cut_off_anywhere_is_refused),
		cmocka_unit_test(trailing_bytes_are_refused),
		cmocka_unit_test(a_wrong_byte_anywhere_does_no_harm),
		cmocka_unit_test(a_failure_carries_its_message_and_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
