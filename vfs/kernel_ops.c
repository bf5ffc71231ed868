/*
 * kernel_ops.c - this kind's kernel, as the rest of the program sees it
 *
 * See kernel_ops.h for every operation's contract. Rooms are booted from the
 * lowest up and shut down from the top.
 */
#include "vfs/kernel_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/boot.h"
#include "pagecache/pagecache.h"
#include "pagecache/policy.h"
#include "vfs/policy.h"
#include "vfs/process.h"
#include "vfs/syscalls.h"
#include "vfs/vfs.h"

/* Address space for objects on each node; used as needed. */
#define OBJECT_BYTES (1ul << 30)

/* Where panics go. Outside the arena: it must outlive everything that may panic. */
struct panic_target {
	void (*panic)(void *context, const struct panic_report *report);
	void *context;
};

static void
deliver_panic(void *context, enum verdict verdict, const char *message, const void *pc1,
	      const void *pc2)
{
	const struct panic_target *target = context;
	const struct panic_report report = {
		.verdict = verdict,
		.message = message,
		.pc = { pc1, pc2 },
	};

	target->panic(target->context, &report);
}

/* From here on a panic has nowhere to go but standard error. */
static void
forget_panic_target(void *target)
{
	runtime_set_panic(NULL, NULL);
	free(target);
}

static int
boot_rooms(const struct kernel_config *config)
{
	const struct runtime_config runtime = {
		.spec = config->spec,
		.seed = config->seed,
		.stream = config->stream,
		.tasks = config->tasks,
		.object_bytes = OBJECT_BYTES,
		.races = config->races,
	};
	int error = machine_boot(&runtime);

	if (error)
		return error;
	error = pagecache_boot(config->memory_bytes);
	if (error)
		goto shut_machine;
	error = vfs_boot(config->tasks);
	if (error)
		goto shut_pagecache;
	return 0;

shut_pagecache:
	pagecache_shutdown();
shut_machine:
	machine_shutdown();
	return error;
}

/* Some choices are wrong as soon as a second task runs. */
static bool
policies_fit_tasks(const struct kernel_config *config)
{
#define POLICY_FAMILY(family, default_choice, summary)
#define POLICY_CHOICE(family, choice, name, flags, reference, summary)                             \
	if (((flags) & POLICY_ONE_TASK) && config->tasks > 1 &&                                    \
	    config->policy[POLICY_##family] == family##_##choice)                                  \
		return false;
#include "machine/policy.def"
#include "pagecache/policy.def"
#include "vfs/policy.def"
#undef POLICY_FAMILY
#undef POLICY_CHOICE
	return true;
}

static int
kernel_boot(const struct kernel_config *config)
{
	struct panic_target *target;
	int error;

	if (config->tasks < 1 || !policies_fit_tasks(config))
		return -EINVAL;
	target = malloc(sizeof(*target));
	if (!target)
		return -ENOMEM;
	target->panic = config->panic;
	target->context = config->panic_context;
	runtime_set_panic(deliver_panic, target);
	memcpy(policy_value, config->policy, sizeof(policy_value));
	error = boot_rooms(config);
	if (error)
		forget_panic_target(target);
	else
		kernel.vfs->panic_target = target;
	return error;
}

static void
shutdown_vfs(void *unused)
{
	vfs_shutdown();
}

static void
kernel_shutdown(void)
{
	void *target = kernel.vfs->panic_target;
	int error = process_run_alone(shutdown_vfs, NULL, "shutdown");

	BUG_ON(error, "no task for the shutdown: %d", error);
	pagecache_shutdown();
	machine_shutdown();
	forget_panic_target(target);
}

#ifdef MACHINE_VIRTUAL
#define KERNEL_OPS virtual_kernel
#define KERNEL_KIND "virtual"
#else
#define KERNEL_OPS host_kernel
#define KERNEL_KIND "host"
#endif

const struct kernel_ops KERNEL_OPS = {
	.kind = KERNEL_KIND,
	.boot = kernel_boot,
	.run_init = process_run_init,
	.create_task = process_create_task,
	.start = process_start,
	.join = process_join,
	.run_exit = process_run_exit,
	.measure_begin = measure_begin,
	.measure_end = measure_end,
	.lines = measure_lines,
	.shutdown = kernel_shutdown,
	.sys = {
		.open = sys_open,
		.close = sys_close,
		.mkdir = sys_mkdir,
		.creat = sys_creat,
		.unlink = sys_unlink,
		.rename = sys_rename,
		.readlink = sys_readlink,
		.getdents64 = sys_getdents64,
		.rmdir = sys_rmdir,
		.symlink = sys_symlink,
		.chdir = sys_chdir,
		.mount = sys_mount,
		.umount = sys_umount,
		.umask = sys_umask,
		.dup = sys_dup,
		.dup2 = sys_dup2,
		.stat = sys_stat,
		.lstat = sys_lstat,
		.fstat = sys_fstat,
		.access = sys_access,
		.lseek = sys_lseek,
		.read = sys_read,
		.write = sys_write,
		.pread = sys_pread,
		.pwrite = sys_pwrite,
		.truncate = sys_truncate,
		.ftruncate = sys_ftruncate,
		.file_node = sys_file_node,
		.work = runtime_work_ns,
		.clock_ps = runtime_clock_ps,
		.raw_line_create = raw_line_create,
		.raw_line_destroy = raw_line_destroy,
		.raw_load = raw_load,
		.raw_store = raw_store,
		.raw_fetch_add = raw_fetch_add,
		.raw_cmpxchg = raw_cmpxchg,
		.raw_cas_loop = raw_cas_loop,
		.raw_pause = raw_pause,
		.raw_pass = raw_pass,
		.raw_poll_pass = raw_poll_pass,
	},
};
