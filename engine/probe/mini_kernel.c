/*
 * mini_kernel.c - see mini_kernel.h
 */
#include "engine/probe/mini_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/probe/local.h"

#define PAGE_BYTES 4096
#define MEMORY_BYTES (16u << 20)
#define WARM_READS 100

/* One core on which nothing costs anything but what is counted. */
#define FENCE_WEIGHT 1000000000000ull
#define ATOMIC_WEIGHT 1000000ull
static const struct machine_spec counting_machine = {
	.name = "counting",
	.sockets = 1,
	.clusters_per_socket = 1,
	.cores_per_cluster = 1,
	.threads_per_core = 1,
	.clock_hz = 1000000000,
	.hit_ps = 1,
	.atomic_ps = ATOMIC_WEIGHT,
	.fence_ps = FENCE_WEIGHT,
	.upgrade_remote = 1,
	.failed_cas_writes = true,
	.store_buffer = 16,
};

static int
make_file(const struct kernel_ops *kernel)
{
	static const char page[PAGE_BYTES];
	int fd = kernel->sys.open("/file", O_RDWR | O_CREAT | O_EXCL, 0600);
	ssize_t put;

	if (fd < 0)
		return fd;
	put = kernel->sys.pwrite(fd, page, PAGE_BYTES, 0);
	return put < 0 ? (int)put : fd;
}

/* Boot, let one task run @body, shut down. */
static int
run_body(const struct kernel_ops *kernel, const struct panic_handler *panic,
	 const struct machine_spec *spec, void (*body)(void *arg), void *arg)
{
	const struct kernel_config config = {
		.spec = spec,
		.seed = 1,
		.tasks = 1,
		.memory_bytes = MEMORY_BYTES,
		.panic = panic->panic,
		.panic_context = panic->context,
	};
	int error = kernel->boot(&config);

	if (!error)
		error = kernel->create_task(TASK_PROCESS, 0, body, arg);
	if (error)
		return error;
	kernel->start();
	kernel->join();
	kernel->shutdown();
	return 0;
}

struct counting {
	struct local local;
	int error;
	u64 charged_ps;
};

static void
count_body(void *arg)
{
	struct counting *counting = arg;
	struct local *local = &counting->local;
	const struct syscalls *sys = &local->kernel->sys;
	int fd = make_file(local->kernel);

	counting->error = min(fd, 0);
	if (fd < 0)
		return;
	for (int i = 0; i < WARM_READS; i++)
		sys->pread(fd, local->to, LOCAL_READ_BYTES, 0);
	counting->charged_ps = -sys->clock_ps();
	sys->pread(fd, local->to, LOCAL_READ_BYTES, 0);
	counting->charged_ps += sys->clock_ps();
	sys->close(fd);
}

int
mini_kernel_count(const struct kernel_ops *kernel, const struct panic_handler *panic,
		  struct access_counts *counts)
{
	struct counting counting = { .local = { .kernel = kernel } };
	int error = run_body(kernel, panic, &counting_machine, count_body, &counting);

	counts->fences = counting.charged_ps / FENCE_WEIGHT;
	counts->atomics = counting.charged_ps % FENCE_WEIGHT / ATOMIC_WEIGHT;
	counts->hits = counting.charged_ps % ATOMIC_WEIGHT;
	return error ? error : counting.error;
}

struct measuring {
	struct local local;
	int error;
	u64 end_ns;
	u64 *fs;
};

/* Return: a file of the host's kernel like ours, or -1. */
static int
make_host_file(void)
{
	static const char page[PAGE_BYTES];
	int fd = memfd_create("engine-probe", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, page, PAGE_BYTES) == PAGE_BYTES)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void
measure_body(void *arg)
{
	struct measuring *measuring = arg;
	struct local *local = &measuring->local;

	local->fd = make_file(local->kernel);
	measuring->error = min(local->fd, 0);
	if (local->fd < 0)
		return;
	local->host_fd = make_host_file();
	local_measure(local, measuring->end_ns, measuring->fs);
	if (local->host_fd >= 0)
		close(local->host_fd);
	local->kernel->sys.close(local->fd);
}

int
mini_kernel_measure(const struct kernel_ops *kernel, const struct panic_handler *panic, u64 end_ns,
		    u64 *fs)
{
	struct measuring measuring = { .local = { .kernel = kernel }, .end_ns = end_ns, .fs = fs };
	int error = run_body(kernel, panic, NULL, measure_body, &measuring);

	return error ? error : measuring.error;
}
