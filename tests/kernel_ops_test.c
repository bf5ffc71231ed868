/*
 * kernel_ops_test.c - a kernel from boot to shutdown, through its one door
 *
 * Goal: everything that kernel_ops.h promises, seen from outside. Method: bodies
 * make system calls and leave what they saw in memory outside the arena; a
 * broken promise ends in a verdict and a message, which are compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/atomic.h"
#include "pagecache/policy.h"
#include "tests/harness.h"
#include "vfs/fdtable.h"
#include "vfs/kernel_ops.h"
#include "vfs/vfs.h"

#ifdef MACHINE_VIRTUAL
#define KERNEL virtual_kernel
#else
#define KERNEL host_kernel
#endif

#define TASKS 4
#define READS 300

/* What one task saw. */
struct seen {
	int fd;
	int users; /* of its descriptor table */
	int reads; /* of 64 bytes, all as written */
};

static void
print_and_exit(void *context, const struct panic_report *report)
{
	dprintf(*(const int *)context, "%s\n", report->message);
	_exit((int)report->verdict);
}

static int stderr_fd = STDERR_FILENO;

static struct kernel_config
config(int tasks)
{
	return (struct kernel_config){
		.spec = &toy4,
		.seed = 1,
		.tasks = tasks,
		.memory_bytes = 8 << 20,
		.races = true,
		.panic = print_and_exit,
		.panic_context = &stderr_fd,
	};
}

static void
boot(int tasks)
{
	struct kernel_config c = config(tasks);

	assert_int_equal(KERNEL.boot(&c), 0);
}

static void
make_file_body(void *arg)
{
	int *fd = arg;
	char buffer[4096];

	memset(buffer, 'x', sizeof(buffer));
	*fd = KERNEL.sys.open("/file", O_RDWR | O_CREAT | O_EXCL, 0644);
	if (KERNEL.sys.pwrite(*fd, buffer, sizeof(buffer), 0) != sizeof(buffer))
		*fd = -1;
}

static int
read_often(int fd)
{
	char buffer[64];
	int good = 0;

	for (int i = 0; i < READS; i++) {
		memset(buffer, 0, sizeof(buffer));
		if (KERNEL.sys.pread(fd, buffer, 64, i * 8) == 64 && buffer[0] == 'x' &&
		    !memcmp(buffer, buffer + 1, 63))
			good++;
	}
	return good;
}

static void
read_body(void *arg)
{
	struct seen *seen = arg;

	seen->users = atomic_read(&current->files->count);
	seen->fd = KERNEL.sys.open("/file", O_RDONLY, 0);
	seen->reads = read_often(seen->fd);
	KERNEL.sys.close(seen->fd);
}

/* Boot, make the file with descriptor 0 left open, run @tasks times @body. */
static void
run(enum task_kind kind, int tasks, void (*body)(void *arg), struct seen *seen)
{
	int fd = -1;

	boot(tasks);
	assert_int_equal(KERNEL.run_init(make_file_body, &fd), 0);
	assert_int_equal(fd, 0);
	for (int i = 0; i < tasks; i++)
		assert_int_equal(KERNEL.create_task(kind, i, body, &seen[i]), 0);
	KERNEL.start();
	KERNEL.join();
	KERNEL.shutdown();
}

static void
kind_is_named(void **state)
{
	assert_string_equal(KERNEL.kind, harness_is_virtual() ? "virtual" : "host");
}

/* Init has exited: a single thread is alone with init's table. */
static void
one_thread_is_alone(void **state)
{
	struct seen seen = { 0 };

	run(TASK_THREAD, 1, read_body, &seen);
	assert_int_equal(seen.users, 1);
	assert_int_equal(seen.fd, 1);
	assert_int_equal(seen.reads, READS);
}

/* Four processes: each alone with a copy, so each gets descriptor 1. */
static void
processes_have_copies(void **state)
{
	struct seen seen[TASKS] = { 0 };

	run(TASK_PROCESS, TASKS, read_body, seen);
	for (int i = 0; i < TASKS; i++) {
		assert_int_equal(seen[i].users, 1);
		assert_int_equal(seen[i].fd, 1);
		assert_int_equal(seen[i].reads, READS);
	}
}

/* Nobody closes, so the four descriptors of the shared table are 1 to 4. */
static void
open_and_keep_body(void *arg)
{
	struct seen *seen = arg;

	seen->fd = KERNEL.sys.open("/file", O_RDONLY, 0);
	seen->reads = read_often(seen->fd) + read_often(0);
}

static void
threads_share_a_table(void **state)
{
	struct seen seen[TASKS] = { 0 };
	unsigned int descriptors = 0;

	run(TASK_THREAD, TASKS, open_and_keep_body, seen);
	for (int i = 0; i < TASKS; i++) {
		descriptors |= 1u << seen[i].fd;
		assert_int_equal(seen[i].reads, 2 * READS);
	}
	assert_int_equal(descriptors, 0x1e);
}

static void
more_tasks_than_cores(void **state)
{
	int tasks = 4 * (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct seen *seen;

	if (harness_is_virtual())
		skip(); /* there it is an error: see too_many_tasks */
	seen = test_calloc((size_t)tasks, sizeof(*seen));
	run(TASK_THREAD, tasks, open_and_keep_body, seen);
	for (int i = 0; i < tasks; i++)
		assert_int_equal(seen[i].reads, 2 * READS);
	test_free(seen);
}

/* toy4 has four CPUs; a host kernel has as many slots as were asked for. */
static void
too_many_tasks(void **state)
{
	struct seen seen[TASKS + 1] = { 0 };

	boot(TASKS);
	for (int i = 0; i < TASKS; i++)
		assert_int_equal(KERNEL.create_task(TASK_THREAD, i, read_body, &seen[i]), 0);
	assert_int_equal(KERNEL.create_task(TASK_THREAD, TASKS, read_body, &seen[TASKS]), -EAGAIN);
	KERNEL.start();
	KERNEL.join();
	KERNEL.shutdown();
	assert_int_equal(seen[0].fd, -ENOENT);
}

static void
wrong_configurations(void **state)
{
	struct kernel_config no_tasks = config(0);
	struct kernel_config no_memory = config(1);

	struct kernel_config no_machine = config(1);
	struct kernel_config unsafe = config(2);

	unsafe.policy[POLICY_page_ref] = page_ref_none;
	no_memory.memory_bytes = 0;
	no_machine.spec = NULL;
	assert_int_equal(KERNEL.boot(&no_tasks), -EINVAL);
	assert_int_equal(KERNEL.boot(&unsafe), -EINVAL);
	if (harness_is_virtual())
		assert_int_equal(KERNEL.boot(&no_machine), -EINVAL);
	assert_true(KERNEL.boot(&no_memory) < 0);
	/* Nothing is left behind: the next one boots. */
	boot(1);
	KERNEL.shutdown();
}

static void
clock_body(void *arg)
{
	u64 *elapsed_ps = arg;
	u64 begin = KERNEL.sys.clock_ps();

	KERNEL.sys.work(50000);
	*elapsed_ps = KERNEL.sys.clock_ps() - begin;
}

static void
work_takes_its_time(void **state)
{
	u64 elapsed_ps = 0;

	boot(1);
	assert_int_equal(KERNEL.run_init(clock_body, &elapsed_ps), 0);
	KERNEL.shutdown();
	assert_true(elapsed_ps >= 50000 * 1000ull);
	if (harness_is_virtual())
		assert_true(elapsed_ps < 51000 * 1000ull);
}

static void
raw_body(void *arg)
{
	u64 *value = arg;
	u64 *line = KERNEL.sys.raw_line_create(0, "word");

	KERNEL.sys.raw_store(line, 5);
	KERNEL.sys.raw_fetch_add(line, 2);
	KERNEL.sys.raw_cas_loop(line, 3, ON_FAIL_PAUSE);
	if (KERNEL.sys.raw_cmpxchg(line, 10, 20) && !KERNEL.sys.raw_cmpxchg(line, 10, 30))
		*value = KERNEL.sys.raw_load(line);
	KERNEL.sys.raw_pause();
	KERNEL.sys.raw_line_destroy(line);
}

static void
raw_lines_count(void **state)
{
	u64 value = 0;

	boot(1);
	assert_int_equal(KERNEL.run_init(raw_body, &value), 0);
	KERNEL.shutdown();
	assert_int_equal(value, 20);
}

#define ROUNDS 50

static struct {
	u64 *line;
	u64 at_the_end;
} token;

static void
make_token_body(void *arg)
{
	static const unsigned int stop = 1;

	token.line = KERNEL.sys.raw_line_create(0, "token");
	/* Not this task's turn: it gives up, as it is told to, and leaves the word alone. */
	KERNEL.sys.raw_pass(token.line, 1, 2, &stop);
	KERNEL.sys.raw_poll_pass(token.line, 1, 2, &stop);
}

static void
pass_body(void *arg)
{
	static const unsigned int stop;
	u64 own = *(u64 *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		KERNEL.sys.raw_pass(token.line, own, !own, &stop);
		KERNEL.sys.raw_poll_pass(token.line, own, !own, &stop);
	}
}

static void
drop_token_body(void *arg)
{
	token.at_the_end = KERNEL.sys.raw_load(token.line);
	KERNEL.sys.raw_line_destroy(token.line);
}

/* Both get through all their turns, and after an even number of them it is task 0's again. */
static void
a_token_goes_to_and_fro(void **state)
{
	u64 own[] = { 0, 1 };

	boot(2);
	assert_int_equal(KERNEL.run_init(make_token_body, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(KERNEL.create_task(TASK_THREAD, i, pass_body, &own[i]), 0);
	KERNEL.start();
	KERNEL.join();
	assert_int_equal(KERNEL.run_exit(drop_token_body, NULL), 0);
	KERNEL.shutdown();
	assert_int_equal(token.at_the_end, 0);
}

/* The name of what lies at @address, which must be a @type. */
static void
expect_name(const void *address, const char *type, const char *wanted)
{
	struct object_name name;

	BUG_ON(!name_of(address, &name), "%s has no name", wanted);
	BUG_ON(strcmp(name.name, wanted), "%s is called '%s'", wanted, name.name);
	BUG_ON(strcmp(name.type, type), "%s is a %s", wanted, name.type);
}

static void
names_body(void *arg)
{
	struct dentry *root = kernel.vfs->mounts.root->mnt.mnt_root;
	struct inode *inode;
	struct file *file;
	int fd;

	make_file_body(&fd);
	file = current->files->fd_array[fd];
	inode = file->f_inode;
	expect_name(&file->f_ref, "file", "file /file");
	expect_name(&inode->i_size, "inode", "inode /file");
	expect_name(&d_inode(root)->i_size, "inode", "inode /");
	expect_name(&file->f_path.dentry->d_flags, "dentry", "dentry /file");
	KERNEL.sys.close(fd);
	/* Reports come when files are closed; only poisoned memory is not looked at. */
#ifndef POISON
	expect_name(&file->f_ref, "file", "file /file");
#endif
}

static void
objects_are_called_by_their_path(void **state)
{
	boot(1);
	assert_int_equal(KERNEL.run_init(names_body, NULL), 0);
	KERNEL.shutdown();
}

static void
leak_body(void *arg)
{
	int fd;

	make_file_body(&fd);
	get_file(current->files->fd_array[fd]);
}

/* In a child, with the panic handler above: a reference that nobody drops. */
static void
leak_a_file(int fd)
{
	struct kernel_config c = config(1);

	c.panic_context = &fd;
	if (KERNEL.boot(&c) || KERNEL.run_init(leak_body, NULL))
		_exit(1);
	KERNEL.shutdown();
	_exit(0);
}

static void
leaked_file_is_caught(void **state)
{
	char message[1024] = "";
	int fds[2];
	int status;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child)
		leak_a_file(fds[1]);
	close(fds[1]);
	assert_true(read(fds[0], message, sizeof(message) - 1) > 0);
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), VERDICT_BUG);
	assert_non_null(strstr(message, "1 open files leaked, one of them of /file"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kind_is_named),
		cmocka_unit_test(one_thread_is_alone),
		cmocka_unit_test(processes_have_copies),
		cmocka_unit_test(threads_share_a_table),
		cmocka_unit_test(more_tasks_than_cores),
		cmocka_unit_test(too_many_tasks),
		cmocka_unit_test(wrong_configurations),
		cmocka_unit_test(work_takes_its_time),
		cmocka_unit_test(raw_lines_count),
		cmocka_unit_test(a_token_goes_to_and_fro),
		cmocka_unit_test(objects_are_called_by_their_path),
		cmocka_unit_test(leaked_file_is_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
