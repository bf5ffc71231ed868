/*
 * process.c - see process.h
 *
 * Everything but a task's own exit runs in boot code, on one thread.
 */
#include "vfs/process.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/runtime.h"
#include "vfs/cred.h"
#include "vfs/fdtable.h"
#include "vfs/fs_struct.h"
#include "vfs/task_work.h"
#include "vfs/vfs.h"

/* What a task needs to start. */
struct initial_task {
	void (*body)(void *arg);
	void *arg;
	struct task *task;
};

struct initial_tasks {
	struct files_struct *files;	/* init's; NULL once it has exited */
	struct cred *cred;
	struct fs_struct *fs;
	int max;			/* constant */
	int count;			/* made and not joined */
	struct initial_task tasks[];
};

static size_t
initial_tasks_size(int tasks)
{
	return sizeof(struct initial_tasks) + tasks * sizeof(struct initial_task);
}

int
initial_tasks_boot(int tasks)
{
	struct initial_tasks *initial = arena_alloc(initial_tasks_size(tasks), CACHE_LINE, 0);

	kernel.vfs->initial = initial;
	if (!initial)
		return -ENOMEM;
	memset(initial, 0, initial_tasks_size(tasks));
	initial->max = tasks;
	initial->files = files_create();
	initial->cred = copy_creds(NULL);
	initial->fs = fs_alloc();
	return initial->files && initial->cred && initial->fs ? 0 : -ENOMEM;
}

static void
begin_at_root(struct fs_struct *fs)
{
	struct vfsmount *mnt = &kernel.vfs->mounts.root->mnt;
	const struct path root = { .mnt = mnt, .dentry = mnt->mnt_root };

	fs_begin(fs, &root);
}

void
initial_tasks_begin(void)
{
	begin_at_root(kernel.vfs->initial->fs);
}

const struct files_struct *
initial_task_files(int index)
{
	const struct initial_tasks *initial = kernel.vfs->initial;

	return initial && index < initial->count ? initial->tasks[index].task->files : NULL;
}

void
process_exit_init(void)
{
	struct initial_tasks *initial = kernel.vfs->initial;

	if (initial->files)
		put_files_struct(initial->files);
	if (initial->cred)
		put_cred(initial->cred);
	if (initial->fs)
		put_fs_struct(initial->fs);
	initial->files = NULL;
	initial->cred = NULL;
	initial->fs = NULL;
}

void
initial_tasks_shutdown(void)
{
	struct initial_tasks *initial = kernel.vfs->initial;

	if (!initial)
		return;
	BUG_ON(initial->count, "%d tasks were never joined", initial->count);
	process_exit_init();
	arena_free(initial, initial_tasks_size(initial->max));
	kernel.vfs->initial = NULL;
}

int
process_run_alone(void (*body)(void *arg), void *arg, const char *comm)
{
	struct task *task = runtime_task_create(body, arg, runtime_place(0), comm);

	if (!task)
		return -EAGAIN;
	runtime_task_start(task);
	runtime_join();
	runtime_task_destroy(task);
	return 0;
}

struct exit_call {
	void (*body)(void *arg);
	void *arg;
	int error;
};

static void
exit_main(void *arg)
{
	struct exit_call *call = arg;

	current->cred = copy_creds(NULL);
	current->fs = fs_alloc();
	if (current->cred && current->fs) {
		begin_at_root(current->fs);
		call->body(call->arg);
		task_work_run();
	} else {
		call->error = -ENOMEM;
	}
	if (current->cred)
		put_cred(current->cred);
	if (current->fs)
		put_fs_struct(current->fs);
	current->cred = NULL;
	current->fs = NULL;
}

int
process_run_exit(void (*body)(void *arg), void *arg)
{
	struct exit_call call = { .body = body, .arg = arg };
	int error = process_run_alone(exit_main, &call, "exit");

	return error ? error : call.error;
}

/* Init exits in process_start(); what it put off is done before. */
static void
init_main(void *arg)
{
	const struct initial_task *init = arg;

	init->body(init->arg);
	task_work_run();
}

int
process_run_init(void (*body)(void *arg), void *arg)
{
	struct initial_tasks *initial = kernel.vfs->initial;
	struct initial_task init = { .body = body, .arg = arg };
	struct task *task = runtime_task_create(init_main, &init, runtime_place(0), "init");

	if (!task)
		return -EAGAIN;
	task->files = initial->files;
	task->cred = initial->cred;
	task->fs = initial->fs;
	runtime_task_start(task);
	runtime_join();
	initial->cred = task->cred; /* it may have got itself others */
	runtime_task_destroy(task);
	return 0;
}

/* A task's whole life: its body, then what do_exit() does about files. */
static void
initial_task_main(void *arg)
{
	const struct initial_task *initial = arg;

	initial->body(initial->arg);
	put_files_struct(current->files);
	task_work_run();
	put_cred(current->cred);
	put_fs_struct(current->fs);
	current->files = NULL;
	current->cred = NULL;
	current->fs = NULL;
}

/* Give @task init's descriptors and credentials, or copies. Return: 0 or -ENOMEM. */
static int
copy_init(struct task *task, enum task_kind kind)
{
	struct initial_tasks *initial = kernel.vfs->initial;

	if (kind == TASK_THREAD) {
		task->files = get_files_struct(initial->files);
		task->cred = get_cred(initial->cred);
		task->fs = get_fs_struct(initial->fs);
		return 0;
	}
	task->cred = copy_creds(initial->cred);
	task->fs = copy_fs_struct(initial->fs);
	task->files = dup_fd(initial->files);
	if (task->cred && task->fs && task->files)
		return 0;
	if (task->cred)
		put_cred(task->cred);
	if (task->fs)
		put_fs_struct(task->fs);
	if (task->files)
		put_files_struct(task->files);
	return -ENOMEM;
}

int
process_create_task(enum task_kind kind, int index, void (*body)(void *arg), void *arg)
{
	struct initial_tasks *initial = kernel.vfs->initial;
	struct initial_task *self;
	int cpu = runtime_place(index);
	int error;

	BUG_ON(!initial->files, "task made after start()");
	if (cpu < 0 || initial->count == initial->max)
		return -EAGAIN;
	self = &initial->tasks[initial->count];
	self->body = body;
	self->arg = arg;
	self->task = runtime_task_create(initial_task_main, self, cpu, "task");
	if (!self->task)
		return -EAGAIN;
	error = copy_init(self->task, kind);
	if (error) {
		runtime_task_destroy(self->task);
		return error;
	}
	initial->count++;
	return 0;
}

void
process_start(void)
{
	struct initial_tasks *initial = kernel.vfs->initial;

	process_exit_init();
	for (int i = 0; i < initial->count; i++)
		runtime_task_start(initial->tasks[i].task);
}

void
process_join(void)
{
	struct initial_tasks *initial = kernel.vfs->initial;

	runtime_join();
	for (int i = 0; i < initial->count; i++)
		runtime_task_destroy(initial->tasks[i].task);
	initial->count = 0;
}
