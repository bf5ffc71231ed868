/*
 * read_write_test.c - read, write, pread, pwrite, lseek, truncate and ftruncate
 *
 * Goal: bytes, results and errors are Linux's. Method: cases worked out by
 * hand, and a random sequence of calls on three files, each call made here and
 * on the host's own tmpfs.
 */
#include <limits.h>

#include "machine/random.h"
#include "tests/tmpfs_twin.h"
#include "tests/vfs_harness.h"
#include "vfs/fdtable.h"

#define STEPS 3000
#define FILES 3
#define SPAN 20000 /* of most offsets and lengths: a few pages */

static void
errors_body(void *arg)
{
	char buffer[16] = "";
	int rdonly, wronly, root;

	vfs_harness_file("/file", 10, 'x');
	rdonly = vfs_harness_open("/file", O_RDONLY);
	wronly = vfs_harness_open("/file", O_WRONLY);
	root = vfs_harness_open("/", O_RDONLY);

	EXPECT_EQUAL(sys_pread(99, buffer, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_pread(-1, buffer, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_pread(wronly, buffer, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_pwrite(rdonly, buffer, 1, 0), -EBADF);
	EXPECT_EQUAL(sys_pread(99, buffer, 1, -1), -EINVAL); /* the offset is looked at first */
	EXPECT_EQUAL(sys_pread(rdonly, buffer, 1, -1), -EINVAL);
	EXPECT_EQUAL(sys_pread(rdonly, buffer, 2, LLONG_MAX - 1), -EINVAL);
	EXPECT_EQUAL(sys_pread(rdonly, buffer, 1, LLONG_MAX - 1), 0);
	EXPECT_EQUAL(sys_pwrite(wronly, buffer, 2, LLONG_MAX - 1), -EINVAL);
	EXPECT_EQUAL(sys_pread(rdonly, buffer, SIZE_MAX, 0), -EFAULT);
	EXPECT_EQUAL(sys_pread(root, buffer, 1, 0), -EISDIR);
	EXPECT_EQUAL(sys_pwrite(root, buffer, 1, 0), -EBADF);

	EXPECT_EQUAL(sys_ftruncate(wronly, -1), -EINVAL);
	EXPECT_EQUAL(sys_ftruncate(99, 0), -EBADF);
	EXPECT_EQUAL(sys_ftruncate(rdonly, 0), -EINVAL);
	EXPECT_EQUAL(sys_ftruncate(root, 0), -EINVAL);
}

static void
errors(void **state)
{
	vfs_harness_alone(errors_body, NULL);
}

/* Files may grow to the largest offset: the last byte's page ends beyond it. */
static void
largest_offset_body(void *arg)
{
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);
	char buffer[4] = "abc";

	EXPECT_EQUAL(sys_pwrite(fd, buffer, 3, LLONG_MAX - 3), 3);
	memset(buffer, 0, sizeof(buffer));
	EXPECT_EQUAL(sys_pread(fd, buffer, 4, LLONG_MAX - 4), 4);
	EXPECT(!memcmp(buffer, "\0abc", 4));
	EXPECT_EQUAL(sys_ftruncate(fd, LLONG_MAX - 1), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 3, LLONG_MAX - 3), 2);
	EXPECT_EQUAL(sys_ftruncate(fd, LLONG_MAX), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 1, LLONG_MAX - 1), 1);
	EXPECT_EQUAL(buffer[0], 0); /* what was cut off does not come back */
	EXPECT_EQUAL(sys_ftruncate(fd, 0), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 1, 0), 0);
}

static void
the_largest_offset_is_an_offset(void **state)
{
	vfs_harness_alone(largest_offset_body, NULL);
}

static void
ends_body(void *arg)
{
	char buffer[64];
	int fd;

	vfs_harness_file("/file", 4100, 'x');
	fd = vfs_harness_open("/file", O_RDWR);
	EXPECT_EQUAL(sys_pread(fd, buffer, 64, 4090), 10);
	EXPECT_EQUAL(sys_pread(fd, buffer, 64, 4100), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 64, 1 << 30), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 0, 0), 0);
	EXPECT_EQUAL(sys_pwrite(fd, buffer, 0, 9999), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 64, 4100), 0); /* writing nothing grows nothing */
}

static void
reads_stop_at_the_end(void **state)
{
	vfs_harness_alone(ends_body, NULL);
}

/* Three pages, the middle one never written; then cut and grown again. */
static void
holes_body(void *arg)
{
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);
	char buffer[8];

	EXPECT_EQUAL(sys_pwrite(fd, "abcd", 4, 0), 4);
	EXPECT_EQUAL(sys_pwrite(fd, "efgh", 4, 2 * 4096), 4);
	EXPECT_EQUAL(sys_pread(fd, buffer, 8, 4096 + 100), 8);
	EXPECT(!memcmp(buffer, "\0\0\0\0\0\0\0\0", 8));
	EXPECT_EQUAL(sys_ftruncate(fd, 2), 0);
	EXPECT_EQUAL(sys_ftruncate(fd, 8), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 8, 0), 8);
	EXPECT(!memcmp(buffer, "ab\0\0\0\0\0\0", 8));
	EXPECT_EQUAL(sys_ftruncate(fd, 3 * 4096), 0);
	EXPECT_EQUAL(sys_pread(fd, buffer, 8, 2 * 4096), 8);
	EXPECT(!memcmp(buffer, "\0\0\0\0\0\0\0\0", 8));
}

static void
holes_read_as_zeroes(void **state)
{
	vfs_harness_alone(holes_body, NULL);
}

static void
borrowed_body(void *arg)
{
	char buffer[8] = "";
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);

	EXPECT_EQUAL(sys_file_node(fd, -1), -EINVAL);
	EXPECT_EQUAL(sys_file_node(fd, nr_node_ids), -EINVAL);
	EXPECT_EQUAL(sys_file_node(99, 0), -EBADF);
	EXPECT_EQUAL(sys_file_node(fd, nr_node_ids - 1), 0);
	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 0), 1);
	EXPECT_EQUAL(sys_pread(fd, buffer, 8, 0), 1);
}

static void
pages_can_come_from_another_node(void **state)
{
	vfs_harness_alone(borrowed_body, NULL);
}

/* Reading and writing move the position; pread and pwrite do not. */
static void
position_body(void *arg)
{
	char buffer[8];
	int fd, dir;

	EXPECT_EQUAL(sys_mkdir("/dir", 0755), 0);
	fd = vfs_harness_open("/file", O_RDWR | O_CREAT);
	dir = vfs_harness_open("/dir", O_RDONLY);
	EXPECT_EQUAL(sys_write(fd, "abcdef", 6), 6);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 6);
	EXPECT_EQUAL(sys_read(fd, buffer, 8), 0);
	EXPECT_EQUAL(sys_lseek(fd, -4, SEEK_END), 2);
	EXPECT_EQUAL(sys_pread(fd, buffer, 1, 0), 1);
	EXPECT_EQUAL(sys_read(fd, buffer, 2), 2);
	EXPECT(!memcmp(buffer, "cd", 2));
	EXPECT_EQUAL(sys_lseek(fd, 1, SEEK_CUR), 5);
	EXPECT_EQUAL(sys_lseek(fd, -6, SEEK_CUR), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, -1, SEEK_SET), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, 0, 99), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, LLONG_MAX, SEEK_END), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 5); /* what fails moves nothing */
	EXPECT_EQUAL(sys_lseek(fd, LLONG_MAX, SEEK_SET), LLONG_MAX);
	EXPECT_EQUAL(sys_read(fd, buffer, 1), -EINVAL);
	EXPECT_EQUAL(sys_lseek(fd, 10, SEEK_SET), 10);
	EXPECT_EQUAL(sys_write(fd, "x", 1), 1); /* behind the end: a hole */
	EXPECT_EQUAL(sys_pread(fd, buffer, 8, 6), 5);
	EXPECT(!memcmp(buffer, "\0\0\0\0x", 5));
	EXPECT_EQUAL(sys_lseek(99, 0, SEEK_SET), -EBADF);
	EXPECT_EQUAL(sys_read(99, buffer, 1), -EBADF);
	EXPECT_EQUAL(sys_write(99, buffer, 1), -EBADF);
	EXPECT_EQUAL(sys_read(dir, buffer, 1), -EISDIR);
	EXPECT_EQUAL(sys_write(dir, buffer, 1), -EBADF);
	EXPECT_EQUAL(sys_lseek(dir, 5, SEEK_SET), 5);
	EXPECT_EQUAL(sys_lseek(dir, 0, SEEK_END), -EINVAL);
}

static void
the_position_moves(void **state)
{
	vfs_harness_alone(position_body, NULL);
}

struct on_file_system {
	const char *type;
	void (*body)(void);
};

static void
file_system_body(void *arg)
{
	const struct on_file_system *on = arg;

	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", on->type, 0, NULL), 0);
	on->body();
	for (int fd = 0; !sys_close(fd); fd++)
		;
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

/* @body finds an empty one in /mnt. */
static void
on_both_file_systems(void (*body)(void))
{
	struct on_file_system on[] = { { "tmpfs", body }, { "image", body } };

	for (size_t i = 0; i < ARRAY_SIZE(on); i++)
		vfs_harness_alone(file_system_body, &on[i]);
}

/* Wherever the position is, and with pwrite, too. */
static void
append_body(void)
{
	char buffer[16] = "";
	int fd, other;

	vfs_harness_file("/mnt/file", 4, 'x');
	fd = vfs_harness_open("/mnt/file", O_RDWR | O_APPEND);
	other = vfs_harness_open("/mnt/file", O_RDWR);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 0);
	EXPECT_EQUAL(sys_write(fd, "ab", 2), 2);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 6);
	EXPECT_EQUAL(sys_write(fd, "", 0), 0);
	EXPECT_EQUAL(sys_lseek(fd, 1, SEEK_SET), 1);
	EXPECT_EQUAL(sys_write(fd, "", 0), 0); /* nothing is written nowhere */
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 1);
	EXPECT_EQUAL(sys_pwrite(fd, "cd", 2, 0), 2);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 1);
	EXPECT_EQUAL(sys_read(fd, buffer, 16), 7);
	EXPECT(!memcmp(buffer, "xxxabcd", 7));
	EXPECT_EQUAL(sys_pwrite(other, "ef", 2, 10), 2);
	EXPECT_EQUAL(sys_write(fd, "g", 1), 1);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 13);
	EXPECT_EQUAL(sys_ftruncate(fd, 2), 0);
	EXPECT_EQUAL(sys_write(fd, "h", 1), 1);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 3);
	EXPECT_EQUAL(sys_pread(fd, buffer, 16, 0), 3);
	EXPECT(!memcmp(buffer, "xxh", 3));
	EXPECT_EQUAL(sys_pwrite(fd, "i", 1, -1), -EINVAL);

	/* Behind the largest offset there is nothing. */
	EXPECT_EQUAL(sys_ftruncate(fd, LLONG_MAX - 3), 0);
	EXPECT_EQUAL(sys_write(fd, "jklm", 4), 3);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), LLONG_MAX);
	EXPECT_EQUAL(sys_lseek(fd, 5, SEEK_SET), 5);
	EXPECT_EQUAL(sys_write(fd, "n", 1), -EFBIG);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), 5);
	EXPECT_EQUAL(sys_pwrite(fd, "n", 1, 0), -EFBIG);
	EXPECT_EQUAL(sys_pread(fd, buffer, 3, LLONG_MAX - 3), 3);
	EXPECT(!memcmp(buffer, "jkl", 3));
}

static void
append_goes_to_the_end(void **state)
{
	on_both_file_systems(append_body);
}

/* Each task has an open file of its own: what they write lies in a row, in whole. */
#define APPENDERS 4
#define RECORDS 50
#define RECORD 8

static void
expect_records(void)
{
	static char bytes[APPENDERS * RECORDS * RECORD + 1];
	int fd = vfs_harness_open("/file", O_RDONLY);
	int records[APPENDERS] = { 0 };

	EXPECT_EQUAL(sys_read(fd, bytes, sizeof(bytes)), sizeof(bytes) - 1);
	for (size_t at = 0; at < sizeof(bytes) - 1; at += RECORD) {
		for (int i = 1; i < RECORD; i++)
			EXPECT_EQUAL(bytes[at + i], bytes[at]);
		records[bytes[at] - '0']++;
	}
	for (int i = 0; i < APPENDERS; i++)
		EXPECT_EQUAL(records[i], RECORDS);
	EXPECT_EQUAL(sys_close(fd), 0);
}

/* The last one looks. @arg: how many are left. */
static void
appender_body(void *arg)
{
	char record[RECORD];
	int fd = vfs_harness_open("/file", O_WRONLY | O_APPEND);

	memset(record, '0' + smp_processor_id(), sizeof(record));
	for (int i = 0; i < RECORDS; i++)
		EXPECT_EQUAL(sys_write(fd, record, RECORD), RECORD);
	EXPECT_EQUAL(sys_close(fd), 0);
	if (atomic_dec_and_test(arg))
		expect_records();
}

static void
create_body(void *arg)
{
	EXPECT_EQUAL(sys_close(vfs_harness_open("/file", O_RDWR | O_CREAT)), 0);
}

static void
appenders_overwrite_nothing(void **state)
{
	atomic_t left;

	atomic_init(&left, APPENDERS);
	vfs_harness_boot(APPENDERS);
	vfs_harness_init(create_body, NULL);
	vfs_harness_run(TASK_PROCESS, APPENDERS, appender_body, &left);
	vfs_harness_shutdown();
}

/* Pages 1, 2 and 4 were written, and the file ends inside page 6. */
static void
seek_body(void)
{
	static const struct {
		loff_t offset;
		loff_t data;
		loff_t hole;
	} cases[] = {
		{ 0, 4096, 0 },
		{ 4095, 4096, 4095 },
		{ 4096, 4096, 3 * 4096 },
		{ 5000, 5000, 3 * 4096 },
		{ 3 * 4096, 4 * 4096, 3 * 4096 },
		{ 4 * 4096 + 1, 4 * 4096 + 1, 5 * 4096 },
		{ 5 * 4096, -ENXIO, 5 * 4096 },
		{ 6 * 4096 + 9, -ENXIO, 6 * 4096 + 9 },
		{ 6 * 4096 + 10, -ENXIO, -ENXIO },
		{ LLONG_MAX, -ENXIO, -ENXIO },
		{ -1, -ENXIO, -ENXIO },
	};
	int fd = vfs_harness_open("/mnt/file", O_RDWR | O_CREAT);
	int dir = vfs_harness_open("/mnt", O_RDONLY);
	char byte;

	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_DATA), -ENXIO);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_HOLE), -ENXIO);
	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 4096 + 7), 1); /* a byte makes a page */
	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 2 * 4096), 1);
	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, 4 * 4096 + 100), 1);
	EXPECT_EQUAL(sys_ftruncate(fd, 6 * 4096 + 10), 0);
	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 3 * 4096), 1); /* reading makes no data */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		loff_t at = 17;

		EXPECT_EQUAL(sys_lseek(fd, at, SEEK_SET), at);
		EXPECT_EQUAL(sys_lseek(fd, cases[i].offset, SEEK_DATA), cases[i].data);
		at = cases[i].data < 0 ? at : cases[i].data;
		EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), at);
		EXPECT_EQUAL(sys_lseek(fd, cases[i].offset, SEEK_HOLE), cases[i].hole);
		at = cases[i].hole < 0 ? at : cases[i].hole;
		EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_CUR), at);
	}
	/* The end is a hole even where a page goes on. */
	EXPECT_EQUAL(sys_ftruncate(fd, 2 * 4096 + 1), 0);
	EXPECT_EQUAL(sys_lseek(fd, 4096, SEEK_HOLE), 2 * 4096 + 1);
	EXPECT_EQUAL(sys_lseek(dir, 0, SEEK_DATA), -EINVAL);
	EXPECT_EQUAL(sys_lseek(dir, 0, SEEK_HOLE), -EINVAL);
	EXPECT_EQUAL(sys_lseek(99, 0, SEEK_DATA), -EBADF);
}

static void
data_and_holes(void **state)
{
	on_both_file_systems(seek_body);
}

/* The end of the last page that there can be is no offset any more. */
static void
last_page_body(void)
{
	int fd = vfs_harness_open("/mnt/file", O_RDWR | O_CREAT);
	loff_t last = LLONG_MAX - 4095;

	EXPECT_EQUAL(sys_pwrite(fd, "x", 1, last), 1);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_DATA), last);
	EXPECT_EQUAL(sys_lseek(fd, 0, SEEK_HOLE), 0);
	EXPECT_EQUAL(sys_lseek(fd, last, SEEK_DATA), last);
	EXPECT_EQUAL(sys_lseek(fd, last, SEEK_HOLE), last + 1);
	EXPECT_EQUAL(sys_ftruncate(fd, LLONG_MAX), 0);
	EXPECT_EQUAL(sys_lseek(fd, LLONG_MAX - 1, SEEK_DATA), LLONG_MAX - 1);
	EXPECT_EQUAL(sys_lseek(fd, last, SEEK_HOLE), LLONG_MAX);
	EXPECT_EQUAL(sys_lseek(fd, LLONG_MAX, SEEK_DATA), -ENXIO);
}

static void
data_in_the_last_page(void **state)
{
	on_both_file_systems(last_page_body);
}

static void
truncate_body(void *arg)
{
	struct stat stat;
	int fd;

	vfs_harness_file("/file", 10000, 'x');
	EXPECT_EQUAL(sys_mkdir("/dir", 0755), 0);
	EXPECT_EQUAL(sys_symlink("file", "/link"), 0);
	fd = vfs_harness_open("/file", O_RDONLY);
	EXPECT_EQUAL(sys_truncate("/nothing", -1), -EINVAL); /* the length is looked at first */
	EXPECT_EQUAL(sys_truncate("/nothing", 0), -ENOENT);
	EXPECT_EQUAL(sys_truncate("/dir", 0), -EISDIR);
	EXPECT_EQUAL(sys_truncate("/file/", 0), -ENOTDIR);
	EXPECT_EQUAL(sys_truncate("/link", 5000), 0);
	EXPECT_EQUAL(sys_fstat(fd, &stat), 0);
	EXPECT_EQUAL(stat.st_size, 5000);
	EXPECT_EQUAL(stat.st_blocks, 16);
	EXPECT_EQUAL(atomic_read(&current->files->fd_array[fd]->f_inode->i_writecount), 0);
	atomic_set(&current->files->fd_array[fd]->f_inode->i_writecount, -1); /* it is being run */
	EXPECT_EQUAL(sys_truncate("/file", 0), -ETXTBSY);
	atomic_set(&current->files->fd_array[fd]->f_inode->i_writecount, 0);
	EXPECT_EQUAL(sys_umask(0077), 0022);
	EXPECT_EQUAL(sys_umask(07777), 0077);
	EXPECT_EQUAL(sys_umask(0022), 0777);
}

static void
truncate_by_path(void **state)
{
	vfs_harness_alone(truncate_body, NULL);
}

/* Threads and processes that share a file: no byte is written or read twice. */
#define SHARED_BYTES 400

static void
shared_position_body(void *arg)
{
	char byte = 'x';

	for (int i = 0; i < SHARED_BYTES / 4; i++)
		EXPECT_EQUAL(sys_write(0, &byte, 1), 1);
}

static void
shared_file_body(void *arg)
{
	EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), 0);
	*(struct inode **)arg = current->files->fd_array[0]->f_inode;
}

static void
a_shared_position_is_locked(void **state)
{
	for (int kind = 0; kind < 2; kind++) {
		struct inode *inode = NULL;

		vfs_harness_boot(4);
		vfs_harness_init(shared_file_body, &inode);
		vfs_harness_run(kind ? TASK_PROCESS : TASK_THREAD, 4, shared_position_body, NULL);
		assert_int_equal(inode->i_size, SHARED_BYTES);
		vfs_harness_shutdown();
	}
}

/* One open file here and there. */
struct pair {
	int ours;
	int theirs;
};

struct call {
	struct pair fd;
	size_t count;
	loff_t pos;
};

static loff_t
random_offset(struct random_stream *random)
{
	static const loff_t odd[] = { -1, LLONG_MIN, LLONG_MAX, LLONG_MAX - 1, 1ll << 40, 0 };

	if (random_below(random, 20))
		return (loff_t)random_below(random, SPAN);
	return odd[random_below(random, ARRAY_SIZE(odd))];
}

static void
compare_read(const struct call *call)
{
	static char ours[2 * SPAN], theirs[2 * SPAN];
	ssize_t got = sys_pread(call->fd.ours, ours, call->count, call->pos);
	ssize_t wanted = pread(call->fd.theirs, theirs, call->count, call->pos);

	EXPECT_EQUAL(got, wanted < 0 ? -errno : wanted);
	EXPECT(got <= 0 || !memcmp(ours, theirs, (size_t)got));
}

static void
compare_write(const struct call *call, struct random_stream *random)
{
	static char bytes[2 * SPAN];
	ssize_t got, wanted;

	for (size_t i = 0; i < call->count; i++)
		bytes[i] = (char)random_u64(random);
	got = sys_pwrite(call->fd.ours, bytes, call->count, call->pos);
	wanted = pwrite(call->fd.theirs, bytes, call->count, call->pos);
	EXPECT_EQUAL(got, wanted < 0 ? -errno : wanted);
}

static void
compare_position(const struct call *call, struct random_stream *random)
{
	static const int whences[] = { SEEK_SET, SEEK_CUR, SEEK_END, 17 };
	static char ours[2 * SPAN], theirs[2 * SPAN];
	int whence = whences[random_below(random, ARRAY_SIZE(whences))];
	loff_t offset = call->pos;
	ssize_t got, wanted;

	/* Near the position, or far off. */
	if (whence != SEEK_SET && offset > 0 && offset < SPAN)
		offset -= SPAN / 2;
	wanted = lseek(call->fd.theirs, offset, whence);
	EXPECT_EQUAL(sys_lseek(call->fd.ours, offset, whence), wanted < 0 ? -errno : wanted);
	if (random_below(random, 2)) {
		wanted = read(call->fd.theirs, theirs, call->count);
		got = sys_read(call->fd.ours, ours, call->count);
		EXPECT_EQUAL(got, wanted < 0 ? -errno : wanted);
		EXPECT(got <= 0 || !memcmp(ours, theirs, (size_t)got));
		return;
	}
	for (size_t i = 0; i < call->count; i++)
		ours[i] = (char)random_u64(random);
	wanted = write(call->fd.theirs, ours, call->count);
	EXPECT_EQUAL(sys_write(call->fd.ours, ours, call->count), wanted < 0 ? -errno : wanted);
}

static void
compare_truncate(const struct call *call)
{
	EXPECT_EQUAL(sys_ftruncate(call->fd.ours, call->pos),
		     twin_result(ftruncate(call->fd.theirs, call->pos)));
}

/* Descriptors of every file in every mode, and one that is not open. */
static int
open_pairs(const struct twin *twin, struct pair *pairs)
{
	static const int modes[] = { O_RDWR, O_RDONLY, O_WRONLY };
	char path[] = "/0";
	int nr = 0;

	for (int i = 0; i < FILES; i++) {
		path[1] = (char)('0' + i);
		for (size_t mode = 0; mode < ARRAY_SIZE(modes); mode++) {
			pairs[nr].ours = vfs_harness_open(path, modes[mode] | O_CREAT);
			pairs[nr].theirs = twin_open(twin, path, modes[mode] | O_CREAT, 0644);
			EXPECT(pairs[nr].theirs >= 0);
			nr++;
		}
	}
	pairs[nr++] = (struct pair){ .ours = 1000, .theirs = -1 };
	return nr;
}

static void
random_calls_body(void *arg)
{
	struct pair pairs[3 * FILES + 1];
	int nr = open_pairs(arg, pairs);
	struct random_stream random;

	random_init(&random, 1, "read_write");
	for (int i = 0; i < STEPS; i++) {
		struct call call = {
			.fd = pairs[random_below(&random, (u64)nr)],
			.count = random_below(&random, random_below(&random, 4) ? 200 : SPAN),
			.pos = random_offset(&random),
		};

		switch (random_below(&random, 10)) {
		case 0:
			compare_truncate(&call);
			break;
		case 8:
		case 9:
			compare_position(&call, &random);
			break;
		case 1:
		case 2:
		case 3:
			compare_write(&call, &random);
			break;
		default:
			compare_read(&call);
			break;
		}
	}
	for (int i = 0; i < 3 * FILES; i++)
		close(pairs[i].theirs);
}

static void
random_calls_agree_with_tmpfs(void **state)
{
	struct twin twin;

	if (!twin_create(&twin))
		skip();
	vfs_harness_alone(random_calls_body, &twin);
	twin_unlink(&twin, "/0");
	twin_unlink(&twin, "/1");
	twin_unlink(&twin, "/2");
	twin_destroy(&twin);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),
		cmocka_unit_test(the_largest_offset_is_an_offset),
		cmocka_unit_test(reads_stop_at_the_end),
		cmocka_unit_test(holes_read_as_zeroes),
		cmocka_unit_test(pages_can_come_from_another_node),
		cmocka_unit_test(the_position_moves),
		cmocka_unit_test(append_goes_to_the_end),
		cmocka_unit_test(appenders_overwrite_nothing),
		cmocka_unit_test(data_and_holes),
		cmocka_unit_test(data_in_the_last_page),
		cmocka_unit_test(truncate_by_path),
		cmocka_unit_test(a_shared_position_is_locked),
		cmocka_unit_test(random_calls_agree_with_tmpfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
