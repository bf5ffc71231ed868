/*
 * children.c - see children.h
 *
 * One loop around poll(): a signalfd for interruptions and one pipe per child.
 * End of file on the pipe means that the child is gone.
 */
#include "engine/children.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/memory.h"
#include "engine/wire.h"

#define MAX_FRAME (16u << 20)

struct child {
	const struct job *job;	/* NULL: free */
	pid_t pid;
	int fd;			/* read end of its pipe */
	u64 deadline_ms;
	u8 *bytes;		/* what it has sent so far */
	size_t used;
	size_t room;
};

struct run {
	const struct children_config *config;
	const struct job *jobs;
	int nr_jobs;
	int next;		/* first job not started */
	int finished;
	int running;
	int signal_fd;
	sigset_t old_mask;
	struct child *children;	/* config->parallel of them */
	struct pollfd *polled;	/* the same order; the signalfd is the last */
};

static u64
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/*
 * In the child: die with the parent, leave no core file, keep stdout clean.
 * SIGINT of a terminal goes to the whole group; the parent decides what it means.
 */
static void
become_child(const struct run *run, pid_t parent)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_INTERRUPTED); /* it died before it could be noticed */
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGINT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void
finish(struct run *run, struct child *child)
{
	free(child->bytes);
	memset(child, 0, sizeof(*child));
	run->running--;
	run->finished++;
	if (run->config->done)
		run->config->done(run->config->context, run->finished);
}

static void
start(struct run *run, struct child *child, const struct job *job)
{
	pid_t parent = getpid();
	int fds[2];

	child->job = job;
	run->running++;
	if (pipe(fds)) {
		sample_fail(job->result, EXIT_RESOURCE, "pipe: %s", strerror(errno));
		finish(run, child);
		return;
	}
	child->fd = fds[0];
	child->deadline_ms = now_ms() + job->limit_ms;
	child->pid = fork();
	if (!child->pid) {
		become_child(run, parent);
		close(fds[0]);
		job->run(job->context, fds[1]);
		_exit(EXIT_INTERNAL);
	}
	close(fds[1]);
	if (child->pid < 0) {
		close(fds[0]);
		sample_fail(job->result, EXIT_RESOURCE, "fork: %s", strerror(errno));
		finish(run, child);
	}
}

static void
start_more(struct run *run)
{
	for (int i = 0; i < run->config->parallel && run->next < run->nr_jobs; i++)
		if (!run->children[i].job)
			start(run, &run->children[i], &run->jobs[run->next++]);
}

/* What became of a child that sent no proper frame. */
static void
explain(struct sample *sample, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		sample_fail(sample, EXIT_RESOURCE, "killed (out of memory?)");
	else if (WIFSIGNALED(status))
		sample_fail(sample, EXIT_INTERNAL, "crashed: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == EXIT_RESOURCE)
		sample_fail(sample, EXIT_RESOURCE, "out of memory");
	else if (WEXITSTATUS(status))
		sample_fail(sample, EXIT_INTERNAL, "ended with status %d and no result",
			    WEXITSTATUS(status));
	else
		sample_fail(sample, EXIT_INTERNAL, "ended without a proper result");
}

static int
reap(const struct child *child)
{
	int status = 0;

	close(child->fd);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void
collect(struct run *run, struct child *child)
{
	int status = reap(child);

	if (!wire_decode(child->bytes, child->used, child->job->result))
		explain(child->job->result, status);
	finish(run, child);
}

static void
receive(struct run *run, struct child *child)
{
	ssize_t got;

	if (child->used == child->room)
		child->bytes = xrealloc(child->bytes, child->room += 1 << 16);
	got = read(child->fd, child->bytes + child->used, child->room - child->used);
	if (got < 0 && errno == EINTR)
		return;
	if (got <= 0) {
		collect(run, child);
		return;
	}
	child->used += got;
	if (child->used > MAX_FRAME)
		kill(child->pid, SIGKILL);
}

static void
kill_late(struct run *run, struct child *child)
{
	if (now_ms() < child->deadline_ms)
		return;
	kill(child->pid, SIGKILL);
	reap(child);
	sample_fail(child->job->result, EXIT_POINT_FAILED, "no result after %llu s",
		    (unsigned long long)DIV_ROUND_UP(child->job->limit_ms, 1000));
	child->job->result->status = SAMPLE_TIMEOUT;
	finish(run, child);
}

static int
poll_timeout(const struct run *run)
{
	u64 now = now_ms();
	u64 nearest = now + 60000;

	for (int i = 0; i < run->config->parallel; i++)
		if (run->children[i].job)
			nearest = min(nearest, run->children[i].deadline_ms);
	return nearest > now ? nearest - now : 0;
}

/* Return: false when a signal asks to stop. */
static bool
wait_for_something(struct run *run)
{
	int parallel = run->config->parallel;

	for (int i = 0; i < parallel; i++)
		run->polled[i] = (struct pollfd){
			.fd = run->children[i].job ? run->children[i].fd : -1,
			.events = POLLIN,
		};
	run->polled[parallel] = (struct pollfd){ .fd = run->signal_fd, .events = POLLIN };
	if (poll(run->polled, parallel + 1, poll_timeout(run)) < 0)
		return true;
	return !run->polled[parallel].revents;
}

static void
serve(struct run *run)
{
	for (int i = 0; i < run->config->parallel; i++) {
		struct child *child = &run->children[i];

		if (child->job && run->polled[i].revents)
			receive(run, child);
		if (child->job)
			kill_late(run, child);
	}
}

static void
kill_all(struct run *run)
{
	for (int i = 0; i < run->config->parallel; i++) {
		struct child *child = &run->children[i];

		if (!child->job)
			continue;
		kill(child->pid, SIGKILL);
		reap(child);
		free(child->bytes);
		child->job = NULL;
	}
}

static bool
run_all(struct run *run)
{
	for (;;) {
		start_more(run);
		if (!run->running) {
			if (run->next == run->nr_jobs)
				return true;
			continue;
		}
		if (!wait_for_something(run)) {
			kill_all(run);
			return false;
		}
		serve(run);
	}
}

/* The signals that were answered, or they would end this process once unblocked. */
static void
forget_signals(int signal_fd)
{
	struct signalfd_siginfo taken;

	while (read(signal_fd, &taken, sizeof(taken)) > 0)
		;
}

bool
children_run(const struct children_config *config, const struct job *jobs, int nr_jobs)
{
	struct run run = { .config = config, .jobs = jobs, .nr_jobs = nr_jobs };
	sigset_t stop;
	bool complete;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, &run.old_mask);
	run.signal_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
	run.children = xcalloc(config->parallel, sizeof(*run.children));
	run.polled = xcalloc(config->parallel + 1, sizeof(*run.polled));
	complete = run_all(&run);
	forget_signals(run.signal_fd);
	close(run.signal_fd);
	sigprocmask(SIG_SETMASK, &run.old_mask, NULL);
	free(run.children);
	free(run.polled);
	return complete;
}
