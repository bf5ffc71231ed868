/*
 * engine_program_test.c - steps made ready for a task, and run in order
 */
#include "tests/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/interpret.h"
#include "engine/pattern.h"

/* What the program did, as text. */
static char trace[1024];

__printf(1, 2) static void
note(const char *fmt, ...)
{
	size_t used = strlen(trace);
	va_list args;

	va_start(args, fmt);
	vsnprintf(trace + used, sizeof(trace) - used, fmt, args);
	va_end(args);
}

static int
traced_open(const char *path, int flags, mode_t mode)
{
	(void)mode;
	note("open(%s,%s) ", path, flags == O_RDONLY ? "r" : "w");
	return strcmp(path, "/missing") ? 5 : -ENOENT;
}

static int
traced_close(int fd)
{
	note("close(%d) ", fd);
	return 0;
}

static ssize_t
traced_pread(int fd, void *buf, size_t count, loff_t pos)
{
	note("pread(%d,%zu,%d) ", fd, count, (int)pos);
	pattern_fill(buf, count, pos);
	return count;
}

static ssize_t
traced_pwrite(int fd, const void *buf, size_t count, loff_t pos)
{
	note("pwrite(%d,%zu,%d,%s) ", fd, count, (int)pos,
	     pattern_check(buf, count, pos) < 0 ? "pattern" : "junk");
	return count;
}

static int
traced_creat(const char *path, mode_t mode)
{
	note("creat(%s,%o) ", path, mode);
	return 6;
}

static int
traced_dup(int fd)
{
	note("dup(%d) ", fd);
	return 7;
}

static int
traced_dup2(int old_fd, int new_fd)
{
	note("dup2(%d,%d) ", old_fd, new_fd);
	return new_fd;
}

static ssize_t
traced_read(int fd, void *buf, size_t count)
{
	note("read(%d,%zu) ", fd, count);
	memset(buf, 1, count);
	return count;
}

static ssize_t
traced_write(int fd, const void *buf, size_t count)
{
	note("write(%d,%zu) ", fd, count);
	return count;
}

static loff_t
traced_lseek(int fd, loff_t offset, int whence)
{
	note("lseek(%d,%d,%d) ", fd, (int)offset, whence);
	return offset;
}

static int
traced_fstat(int fd, struct stat *stat)
{
	note("fstat(%d) ", fd);
	memset(stat, 1, sizeof(*stat));
	return 0;
}

static int
traced_stat(const char *path, struct stat *stat)
{
	note("stat(%s) ", path);
	memset(stat, 1, sizeof(*stat));
	return strcmp(path, "/missing") ? 0 : -ENOENT;
}

static int
traced_access(const char *path, int mode)
{
	note("access(%s,%d) ", path, mode);
	return 0;
}

static int
traced_truncate(const char *path, loff_t length)
{
	note("truncate(%s,%d) ", path, (int)length);
	return 0;
}

static int
traced_ftruncate(int fd, loff_t length)
{
	note("ftruncate(%d,%d) ", fd, (int)length);
	return 0;
}

static ssize_t
traced_getdents64(int fd, void *buf, size_t size)
{
	note("getdents(%d,%zu) ", fd, size);
	memset(buf, 1, size);
	return 0;
}

static int
traced_mkdir(const char *path, mode_t mode)
{
	note("mkdir(%s,%o) ", path, mode);
	return 0;
}

static int
traced_rmdir(const char *path)
{
	note("rmdir(%s) ", path);
	return 0;
}

static int
traced_unlink(const char *path)
{
	note("unlink(%s) ", path);
	return 0;
}

static int
traced_rename(const char *from, const char *to)
{
	note("rename(%s,%s) ", from, to);
	return 0;
}

static int
traced_symlink(const char *target, const char *path)
{
	note("symlink(%s,%s) ", target, path);
	return 0;
}

static ssize_t
traced_readlink(const char *path, char *buf, int size)
{
	note("readlink(%s,%d) ", path, size);
	memset(buf, 1, size);
	return size;
}

static void
traced_work(u64 ns)
{
	note("work(%d) ", (int)ns);
}

static u64
traced_fetch_add(u64 *line, u64 add)
{
	*line += add;
	note("add(%d) ", (int)add);
	return *line - add;
}

static void
traced_pass(u64 *line, u64 own, u64 next, const unsigned int *stop)
{
	*line = next;
	note("pass(%d,%d,%u) ", (int)own, (int)next, *stop);
}

static const struct syscalls sys = {
	.open = traced_open,
	.creat = traced_creat,
	.close = traced_close,
	.mkdir = traced_mkdir,
	.rmdir = traced_rmdir,
	.unlink = traced_unlink,
	.rename = traced_rename,
	.symlink = traced_symlink,
	.readlink = traced_readlink,
	.dup = traced_dup,
	.dup2 = traced_dup2,
	.stat = traced_stat,
	.fstat = traced_fstat,
	.access = traced_access,
	.lseek = traced_lseek,
	.read = traced_read,
	.write = traced_write,
	.truncate = traced_truncate,
	.ftruncate = traced_ftruncate,
	.getdents64 = traced_getdents64,
	.pread = traced_pread,
	.pwrite = traced_pwrite,
	.work = traced_work,
	.raw_fetch_add = traced_fetch_add,
	.raw_pass = traced_pass,
	.raw_poll_pass = traced_pass,
};

static int own_fds[2];
static int shared_fds[1];
static u64 word;
static u64 *raw_lines[] = { &word };

/* Build and run as task 3, the last of four. */
static bool
run(struct step *steps, u32 count, bool verify, struct interpret_error *error)
{
	static const unsigned int stop = 7;
	struct step_list list = { steps, count };
	struct program_scope scope = {
		.task = 3,
		.tasks = 4,
		.stop = &stop,
		.private_fds = own_fds,
		.shared_fds = shared_fds,
		.raw_lines = raw_lines,
		.verify = verify,
	};
	struct program program = program_build(&list, &scope);
	bool done;

	memset(error, 0, sizeof(*error));
	trace[0] = '\0';
	done = interpret(&program, &sys, error);
	program_free(&program);
	return done;
}

static void
numbers_are_put_into_paths(void **state)
{
	static const char *const paths[][2] = {
		{ "/file${task}", "/file12" },	  { "${task}/${task}x", "12/12x" },
		{ "/plain", "/plain" },		  { "/$task ${tas}", "/$task ${tas}" },
		{ "/d${task}/f${n}", "/d12/f7" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char *path = expand_path(paths[i][0], 12, 7);

		assert_string_equal(path, paths[i][1]);
		free(path);
	}
}

static void
steps_run_in_order_with_their_own_descriptors(void **state)
{
	struct step inner[] = {
		{ .op = OP_PREAD, .fd = { 1, false }, .bytes = 64, .offset = 128 },
		{ .op = OP_WORK, .time_ns = 200 },
	};
	struct step steps[] = {
		{ .op = OP_OPEN, .path = "/f${task}", .flags = O_RDONLY, .fd = { 1, false } },
		{ .op = OP_REPEAT, .value = 2, .body = { inner, 2 } },
		{ .op = OP_PWRITE, .fd = { 0, true }, .bytes = 16, .offset = 7 },
		{ .op = OP_FETCH_ADD, .raw_line = 0, .value = 9 },
		{ .op = OP_CLOSE, .fd = { 1, false } },
	};
	struct interpret_error error;

	(void)state;
	shared_fds[0] = 8;
	assert_true(run(steps, ARRAY_SIZE(steps), true, &error));
	assert_string_equal(trace, "open(/f3,r) pread(5,64,128) work(200) pread(5,64,128) "
				   "work(200) pwrite(8,16,7,pattern) add(9) close(5) ");
	assert_int_equal(word, 9);
}

/* Every call with its arguments; open gives 5, creat 6 and dup 7. */
static void
calls_get_what_their_steps_say(void **state)
{
	struct step steps[] = {
		{ .op = OP_CREAT, .path = "/c${task}", .fd = { 0, false } },
		{ .op = OP_DUP, .fd = { 0, false }, .new_fd = { 1, false } },
		{ .op = OP_DUP2, .fd = { 1, false }, .new_fd = { 0, true } },
		{ .op = OP_LSEEK, .fd = { 1, false }, .offset = 9, .whence = SEEK_END },
		{ .op = OP_READ, .fd = { 1, false }, .bytes = 16 },
		{ .op = OP_WRITE, .fd = { 0, false }, .bytes = 17 },
		{ .op = OP_FSTAT, .fd = { 1, false } },
		{ .op = OP_FTRUNCATE, .fd = { 0, false }, .offset = 4096 },
		{ .op = OP_GETDENTS, .fd = { 1, false }, .bytes = 64 },
	};
	struct interpret_error error;

	(void)state;
	shared_fds[0] = 8;
	assert_true(run(steps, ARRAY_SIZE(steps), false, &error));
	assert_string_equal(trace, "creat(/c3,644) dup(6) dup2(7,8) lseek(7,9,2) read(7,16) "
				   "write(6,17) fstat(7) ftruncate(6,4096) getdents(7,64) ");
}

static void
calls_on_names_get_both_of_them(void **state)
{
	struct step steps[] = {
		{ .op = OP_MKDIR, .path = "/d${task}" },
		{ .op = OP_SYMLINK, .path = "/l", .to = "f${task}" },
		{ .op = OP_READLINK, .path = "/l", .bytes = 32 },
		{ .op = OP_RENAME, .path = "/l", .to = "/d${task}/l" },
		{ .op = OP_STAT, .path = "/l" },
		{ .op = OP_ACCESS, .path = "/l", .flags = 6 },
		{ .op = OP_TRUNCATE, .path = "/l", .offset = 1 },
		{ .op = OP_UNLINK, .path = "/l" },
		{ .op = OP_RMDIR, .path = "/d${task}" },
	};
	struct interpret_error error;

	(void)state;
	assert_true(run(steps, ARRAY_SIZE(steps), false, &error));
	assert_string_equal(trace, "mkdir(/d3,755) symlink(f3,/l) readlink(/l,32) "
				   "rename(/l,/d3/l) stat(/l) access(/l,6) truncate(/l,1) "
				   "unlink(/l) rmdir(/d3) ");
}

static void
a_step_may_be_expected_to_fail(void **state)
{
	struct step missing[] = { { .op = OP_STAT, .path = "/missing", .expect = ENOENT } };
	struct step there[] = { { .op = OP_STAT, .path = "/there", .expect = ENOENT } };
	struct step other[] = { { .op = OP_STAT, .path = "/missing", .expect = EACCES } };
	struct interpret_error error;

	(void)state;
	assert_true(run(missing, 1, false, &error));
	assert_false(run(there, 1, false, &error));
	assert_int_equal(error.error, 0);
	assert_int_equal(error.expected, ENOENT);
	assert_false(run(other, 1, false, &error));
	assert_int_equal(error.error, ENOENT);
	assert_int_equal(error.expected, EACCES);
}

static void
the_last_task_passes_to_the_first(void **state)
{
	struct step steps[] = { { .op = OP_PASS }, { .op = OP_POLL_PASS } };
	struct interpret_error error;

	(void)state;
	assert_true(run(steps, ARRAY_SIZE(steps), false, &error));
	assert_string_equal(trace, "pass(3,0,7) pass(3,0,7) ");
}

static void
the_first_failing_step_stops_and_is_named(void **state)
{
	struct step inner[] = { { .op = OP_OPEN, .path = "/missing", .line = 21 } };
	struct step steps[] = {
		{ .op = OP_REPEAT, .value = 5, .line = 20, .body = { inner, 1 } },
		{ .op = OP_WORK, .line = 22 },
	};
	struct interpret_error error;

	(void)state;
	assert_false(run(steps, ARRAY_SIZE(steps), false, &error));
	assert_string_equal(trace, "open(/missing,r) ");
	assert_int_equal(error.op, OP_OPEN);
	assert_int_equal(error.line, 21);
	assert_int_equal(error.error, ENOENT);
	assert_false(error.wrong_contents);
}

/* A page that is read where another belongs must differ: no period of 4096. */
static void
the_pattern_depends_on_the_offset(void **state)
{
	u8 page[4096];
	int same = 0;

	(void)state;
	pattern_fill(page, sizeof(page), 0);
	assert_int_equal(pattern_check(page, sizeof(page), 0), -1);
	assert_int_equal(page[0], 0);
	assert_int_equal(page[1], 0x9e);
	for (u64 i = 0; i < sizeof(page); i++)
		same += page[i] == pattern_byte(4096 + i);
	assert_true(same < 64);
	page[100] ^= 1;
	assert_int_equal(pattern_check(page, sizeof(page), 0), 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_put_into_paths),
		cmocka_unit_test(steps_run_in_order_with_their_own_descriptors),
		cmocka_unit_test(calls_get_what_their_steps_say),
		cmocka_unit_test(calls_on_names_get_both_of_them),
		cmocka_unit_test(a_step_may_be_expected_to_fail),
		cmocka_unit_test(the_last_task_passes_to_the_first),
		cmocka_unit_test(the_first_failing_step_stops_and_is_named),
		cmocka_unit_test(the_pattern_depends_on_the_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
