/*
 * task_work.h - what a system call puts off until its end
 *
 * Mirrors kernel/task_work.c as fput() uses it. Whoever drops the last reference on
 * a file may hold locks, or be in the middle of something that the file's end would
 * disturb. So the file goes on a list of the task's own, and is undone on the way
 * to user mode, where nothing is held. close() does not need that and does not
 * wait (`close_fput`).
 */
#ifndef VFS_TASK_WORK_H
#define VFS_TASK_WORK_H

struct file;

/* Undo @file, unreferenced, as the call ends. Context: a task with descriptors; any locks. */
void task_work_add(struct file *file);

/* Do what was put off. Context: a task, no locks; sleeps. */
void task_work_run(void);

#endif
