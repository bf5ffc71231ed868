/*
 * process.h - the init process and the initial tasks
 *
 * Mirrors, as far as descriptors and credentials go, copy_process() and
 * do_exit(): a thread shares init's, a process gets copies. Init keeps its own
 * until the tasks start, so that afterwards a table's count is the number of
 * tasks that use it.
 */
#ifndef VFS_PROCESS_H
#define VFS_PROCESS_H

#include "vfs/kernel_ops.h"

struct files_struct;

/* Context: boot. Return: 0 or -ENOMEM. */
int initial_tasks_boot(int tasks);

/* Init's paths begin at the root of the tree, which is mounted now. Context: boot. */
void initial_tasks_begin(void);

/* Context: shutdown. BUG if a task was made and not joined. */
void initial_tasks_shutdown(void);

/*
 * Descriptors of the initial task number @index. Context: reporting. Return: NULL if
 * there is no such task, or it has none any more.
 */
const struct files_struct *initial_task_files(int index);

/* The operations of the same names in struct kernel_ops, with its contracts. */
int process_run_init(void (*body)(void *arg), void *arg);
int process_create_task(enum task_kind kind, int index, void (*body)(void *arg), void *arg);
void process_start(void);
void process_join(void);
int process_run_exit(void (*body)(void *arg), void *arg);

/* Let init exit: it has no descriptors and no credentials any more. May sleep. */
void process_exit_init(void);

/*
 * Run @body(@arg) as a task on the first CPU and wait for it. Context: no other
 * task runs. Return: 0 or -EAGAIN.
 */
int process_run_alone(void (*body)(void *arg), void *arg, const char *comm);

#endif
