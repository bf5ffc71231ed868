/*
 * task_work.c - see task_work.h
 *
 * The list is changed by cmpxchg and taken by exchange, as Linux's is, where other
 * tasks may add to it. Here none does; what is modelled is what it costs.
 */
#include "vfs/task_work.h"

#include "vfs/file.h"

void
task_work_add(struct file *file)
{
	file->f_next_work = READ_ONCE(current->fput_list);
	while (!try_cmpxchg(&current->fput_list, &file->f_next_work, file))
		continue;
}

void
task_work_run(void)
{
	struct file *file, *next;

	while (READ_ONCE(current->fput_list)) {
		for (file = xchg(&current->fput_list, NULL); file; file = next) {
			next = file->f_next_work;
			__fput(file);
		}
	}
}
