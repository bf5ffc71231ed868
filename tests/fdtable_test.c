/*
 * fdtable_test.c - descriptor tables against a plain model
 *
 * Goal: the lowest free descriptor is always the one that is handed out, the
 * bitmaps agree with the slots after every step, tables grow and are copied
 * without losing a file, and limits are where they are said to be. Method: a
 * random sequence of operations on a table and on an array of flags.
 */
#include <errno.h>

#include "machine/bitops.h"
#include "machine/random.h"
#include "tests/vfs_harness.h"
#include "vfs/fdget.h"

#define MODEL_FDS 1100
#define STEPS 20000

enum slot { SLOT_FREE, SLOT_RESERVED, SLOT_OPEN };

struct model {
	enum slot slots[MODEL_FDS];
	bool cloexec[MODEL_FDS];
	int nr_open;
};

static int
model_lowest(const struct model *model, int start)
{
	while (model->slots[start] != SLOT_FREE)
		start++;
	return start;
}

/* Open bit <=> reserved or set; full bit <=> all ones; next_fd <= lowest free one. */
static void
check_table(const struct files_struct *files, const struct model *model)
{
	const struct fdtable *fdt = files->fdt;

	for (unsigned int fd = 0; fd < fdt->max_fds; fd++) {
		enum slot slot = fd < MODEL_FDS ? model->slots[fd] : SLOT_FREE;

		EXPECT_EQUAL(__test_bit(fd, fdt->open_fds), slot != SLOT_FREE);
		EXPECT_EQUAL(fdt->fd[fd] != NULL, slot == SLOT_OPEN);
		if (slot != SLOT_FREE)
			EXPECT_EQUAL(__test_bit(fd, fdt->close_on_exec), model->cloexec[fd]);
	}
	for (unsigned int word = 0; word < fdt->max_fds / 64; word++)
		EXPECT_EQUAL(__test_bit(word, fdt->full_fds_bits), fdt->open_fds[word] == ~0ul);
	EXPECT(files->next_fd <= (unsigned int)model_lowest(model, 0));
}

/* Reserve from @start on, and mostly open: what open(), dup() and F_DUPFD do. */
static void
step_alloc(struct model *model, struct file *file, struct random_stream *random)
{
	int start = random_below(random, 4) ? 0 : (int)random_below(random, 900);
	bool cloexec = random_below(random, 2);
	int wanted = model_lowest(model, start);
	int fd = alloc_fd(current->files, (unsigned int)start, NR_OPEN_MAX,
			  cloexec ? O_CLOEXEC : 0);

	EXPECT_EQUAL(fd, wanted);
	model->cloexec[fd] = cloexec;
	model->slots[fd] = SLOT_RESERVED;
	model->nr_open++;
	if (random_below(random, 16)) {
		fd_install((unsigned int)fd, get_file(file));
		model->slots[fd] = SLOT_OPEN;
	}
}

static void
step_free(struct model *model, int fd)
{
	struct file *file;

	switch (model->slots[fd]) {
	case SLOT_FREE:
		EXPECT(!file_close_fd((unsigned int)fd));
		return;
	case SLOT_RESERVED:
		EXPECT(!file_close_fd((unsigned int)fd));
		put_unused_fd((unsigned int)fd);
		break;
	case SLOT_OPEN:
		file = file_close_fd((unsigned int)fd);
		EXPECT(file);
		fput(file);
		break;
	}
	model->slots[fd] = SLOT_FREE;
	model->nr_open--;
}

/* A file that no slot of the table holds. */
static struct file *
a_file(void)
{
	int fd = vfs_harness_open("/file", O_RDWR | O_CREAT);

	return file_close_fd((unsigned int)fd);
}

static void
random_steps_body(void *arg)
{
	static struct model model;
	struct file *file = a_file();
	struct random_stream random;

	memset(&model, 0, sizeof(model));
	random_init(&random, 1, "fdtable");
	for (int i = 0; i < STEPS; i++) {
		/* Swing between few and nearly 1,000 descriptors. */
		bool grow = random_below(&random, 100) < (i / 5000 % 2 ? 40 : 60);

		if (grow && model.nr_open < 1000)
			step_alloc(&model, file, &random);
		else
			step_free(&model, (int)random_below(&random, 1000));
		if (i % 64 == 0)
			check_table(current->files, &model);
	}
	check_table(current->files, &model);
	for (int fd = 0; fd < MODEL_FDS; fd++)
		step_free(&model, fd);
	EXPECT_EQUAL(file_ref_read(&file->f_ref), 1);
	fput(file);
}

static void
lowest_free_descriptor_always(void **state)
{
	for (int choice = 0; choice < harness_choices(POLICY_fd_alloc); choice++) {
		policy_value[POLICY_fd_alloc] = choice;
		vfs_harness_boot(1);
		vfs_harness_init(random_steps_body, NULL);
		vfs_harness_shutdown();
	}
}

/* 64 slots are embedded; then powers of two from 128 on; the 65th descriptor grows. */
static void
growth_body(void *arg)
{
	struct files_struct *files = current->files;
	struct file *file = a_file();

	EXPECT_EQUAL(files->fdt->max_fds, 64);
	for (unsigned int fd = 0; fd < 1025; fd++) {
		EXPECT_EQUAL(get_unused_fd_flags(0), fd);
		fd_install(fd, get_file(file));
		if (fd == 63)
			EXPECT(files->fdt == &files->fdtab);
		if (fd == 64)
			EXPECT_EQUAL(files->fdt->max_fds, 128);
	}
	EXPECT_EQUAL(files->fdt->max_fds, 2048);
	EXPECT_EQUAL(file_ref_read(&file->f_ref), 1026);
	for (int fd = 0; fd < 1025; fd++)
		EXPECT_EQUAL(sys_close(fd), 0);
	fput(file);
}

static void
tables_grow_by_powers_of_two(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(growth_body, NULL);
	vfs_harness_shutdown();
}

static void
limit_body(void *arg)
{
	kernel.vfs->nr_open = 70;
	for (int fd = 0; fd < 70; fd++)
		EXPECT_EQUAL(vfs_harness_open("/file", O_RDWR | O_CREAT), fd);
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), -EMFILE);
	EXPECT_EQUAL(sys_open("/new", O_RDWR | O_CREAT, 0644), -EMFILE);
	EXPECT_EQUAL(sys_close(33), 0);
	EXPECT_EQUAL(sys_open("/new", O_RDONLY, 0), -ENOENT); /* the failed open made nothing */
	EXPECT_EQUAL(sys_open("/file", O_RDONLY, 0), 33);
	for (int fd = 0; fd < 70; fd++)
		EXPECT_EQUAL(sys_close(fd), 0);
}

static void
emfile_at_the_limit(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(limit_body, NULL);
	vfs_harness_shutdown();
}

/* 1,048,576 descriptors, and not one more. */
static void
million_body(void *arg)
{
	struct file *file = a_file();

	for (int fd = 0; fd < NR_OPEN_MAX; fd++) {
		EXPECT_EQUAL(get_unused_fd_flags(0), fd);
		fd_install((unsigned int)fd, get_file(file));
	}
	EXPECT_EQUAL(get_unused_fd_flags(0), -EMFILE);
	EXPECT_EQUAL(sys_close(777777), 0);
	EXPECT_EQUAL(get_unused_fd_flags(0), 777777);
	put_unused_fd(777777);
	fput(file);
}

static void
a_million_descriptors(void **state)
{
	if (harness_is_virtual())
		skip(); /* the same code; a million modelled opens take too long */
	vfs_harness_boot(1);
	vfs_harness_init(million_body, NULL);
	vfs_harness_shutdown();
}

static void
dup_body(void *arg)
{
	struct file *file = a_file();
	struct files_struct *copy;

	for (unsigned int fd = 0; fd < 200; fd++) {
		EXPECT_EQUAL(get_unused_fd_flags(fd % 2 ? O_CLOEXEC : 0), fd);
		if (fd % 10)
			fd_install(fd, get_file(file));
	}
	copy = dup_fd(current->files);
	EXPECT(copy);
	EXPECT_EQUAL(atomic_read(&copy->count), 1);
	EXPECT_EQUAL(copy->fdt->max_fds, 256);
	EXPECT_EQUAL(file_ref_read(&file->f_ref), 1 + 180 + 180);
	for (unsigned int fd = 0; fd < 200; fd++) {
		/* What was only reserved is free in the copy. */
		EXPECT_EQUAL(__test_bit(fd, copy->fdt->open_fds), fd % 10 != 0);
		EXPECT(copy->fdt->fd[fd] == (fd % 10 ? file : NULL));
		if (fd % 10)
			EXPECT_EQUAL(__test_bit(fd, copy->fdt->close_on_exec), fd % 2);
	}
	EXPECT_EQUAL(alloc_fd(copy, 0, NR_OPEN_MAX, 0), 0);
	put_files_struct(copy);
	EXPECT_EQUAL(file_ref_read(&file->f_ref), 181);
	for (unsigned int fd = 0; fd < 200; fd += 10)
		put_unused_fd(fd);
	fput(file);
}

static void
copy_takes_a_reference_per_open_file(void **state)
{
	vfs_harness_boot(1);
	vfs_harness_init(dup_body, NULL);
	vfs_harness_shutdown();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowest_free_descriptor_always),
		cmocka_unit_test(tables_grow_by_powers_of_two),
		cmocka_unit_test(emfile_at_the_limit),
		cmocka_unit_test(a_million_descriptors),
		cmocka_unit_test(copy_takes_a_reference_per_open_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
