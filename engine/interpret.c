/*
 * interpret.c - see interpret.h
 *
 * This is the measured loop: no allocation, no formatting, one switch per step.
 * It must also run on the small stack of a modelled task.
 */
#include "engine/interpret.h"

#include "engine/pattern.h"

#define FILE_MODE 0644
#define DIRECTORY_MODE 0755

/* @fd is what a call returned: remember a good one under the name that is bound to it. */
static int
bind_fd(int *name, int fd)
{
	if (fd >= 0)
		*name = fd;
	return fd;
}

static ssize_t
step_pread(const struct instruction *step, const struct syscalls *sys,
	   struct interpret_error *error)
{
	ssize_t got = sys->pread(*step->fd, step->buffer, step->bytes, step->offset);
	s64 wrong;

	if (got <= 0 || !step->verify)
		return got;
	wrong = pattern_check(step->buffer, got, step->offset);
	if (wrong < 0)
		return got;
	error->wrong_contents = true;
	error->offset = step->offset + wrong;
	error->found = ((u8 *)step->buffer)[wrong];
	error->wanted = pattern_byte(error->offset);
	return -1;
}

static bool
step_repeat(const struct instruction *step, const struct syscalls *sys,
	    struct interpret_error *error)
{
	for (u64 i = 0; i < step->value; i++)
		if (!interpret(&step->body, sys, error))
			return false;
	return true;
}

/* Operations on names. Return: as run_step(). */
static ssize_t
run_path_step(const struct instruction *step, const struct syscalls *sys)
{
	switch (step->op) {
	case OP_STAT:
		return sys->stat(step->path, step->buffer);
	case OP_ACCESS:
		return sys->access(step->path, step->flags);
	case OP_TRUNCATE:
		return sys->truncate(step->path, step->offset);
	case OP_MKDIR:
		return sys->mkdir(step->path, DIRECTORY_MODE);
	case OP_RMDIR:
		return sys->rmdir(step->path);
	case OP_UNLINK:
		return sys->unlink(step->path);
	case OP_RENAME:
		return sys->rename(step->path, step->to);
	case OP_SYMLINK:
		return sys->symlink(step->to, step->path);
	case OP_READLINK:
		return sys->readlink(step->path, step->buffer, step->bytes);
	default:
		return 0;
	}
}

/* Operations on raw lines, which do not fail. */
static void
run_raw_step(const struct instruction *step, const struct syscalls *sys)
{
	switch (step->op) {
	case OP_LOAD:
		sys->raw_load(*step->raw);
		break;
	case OP_STORE:
		sys->raw_store(*step->raw, step->value);
		break;
	case OP_FETCH_ADD:
		sys->raw_fetch_add(*step->raw, step->value);
		break;
	case OP_CMPXCHG:
		sys->raw_cmpxchg(*step->raw, step->old, step->value);
		break;
	case OP_CAS_LOOP:
		sys->raw_cas_loop(*step->raw, step->value, step->on_fail);
		break;
	case OP_PAUSE:
		sys->raw_pause();
		break;
	case OP_PASS:
		sys->raw_pass(*step->raw, step->old, step->value, step->stop);
		break;
	case OP_POLL_PASS:
		sys->raw_poll_pass(*step->raw, step->old, step->value, step->stop);
		break;
	default:
		break;
	}
}

/* Return: negative on failure: -errno, unless error->wrong_contents says more. */
static ssize_t
run_step(const struct instruction *step, const struct syscalls *sys, struct interpret_error *error)
{
	switch (step->op) {
	case OP_OPEN:
		return bind_fd(step->fd, sys->open(step->path, step->flags, FILE_MODE));
	case OP_CREAT:
		return bind_fd(step->fd, sys->creat(step->path, FILE_MODE));
	case OP_CLOSE:
		return sys->close(*step->fd);
	case OP_DUP:
		return bind_fd(step->new_fd, sys->dup(*step->fd));
	case OP_DUP2:
		return sys->dup2(*step->fd, *step->new_fd);
	case OP_PREAD:
		return step_pread(step, sys, error);
	case OP_PWRITE:
		return sys->pwrite(*step->fd, step->buffer, step->bytes, step->offset);
	case OP_READ:
		return sys->read(*step->fd, step->buffer, step->bytes);
	case OP_WRITE:
		return sys->write(*step->fd, step->buffer, step->bytes);
	case OP_LSEEK:
		return sys->lseek(*step->fd, step->offset, step->whence);
	case OP_FSTAT:
		return sys->fstat(*step->fd, step->buffer);
	case OP_FTRUNCATE:
		return sys->ftruncate(*step->fd, step->offset);
	case OP_GETDENTS:
		return sys->getdents64(*step->fd, step->buffer, step->bytes);
	case OP_STAT:
	case OP_ACCESS:
	case OP_TRUNCATE:
	case OP_MKDIR:
	case OP_RMDIR:
	case OP_UNLINK:
	case OP_RENAME:
	case OP_SYMLINK:
	case OP_READLINK:
		return run_path_step(step, sys);
	case OP_WORK:
		sys->work(step->time_ns);
		return 0;
	case OP_LOAD:
	case OP_STORE:
	case OP_FETCH_ADD:
	case OP_CMPXCHG:
	case OP_CAS_LOOP:
	case OP_PAUSE:
	case OP_PASS:
	case OP_POLL_PASS:
		run_raw_step(step, sys);
		return 0;
	case OP_REPEAT: /* interpret() has it: its failure is that of an inner step */
	case OP_MAX:
		break;
	}
	return 0;
}

bool
interpret(const struct program *program, const struct syscalls *sys, struct interpret_error *error)
{
	for (u32 i = 0; i < program->count; i++) {
		const struct instruction *step = &program->code[i];
		ssize_t result;

		if (step->op == OP_REPEAT) {
			if (!step_repeat(step, sys, error))
				return false;
			continue;
		}
		result = run_step(step, sys, error);
		if (likely(step->expect ? result == -step->expect : result >= 0))
			continue;
		error->op = step->op;
		error->line = step->line;
		error->expected = step->expect;
		error->error = error->wrong_contents || result >= 0 ? 0 : (int)-result;
		return false;
	}
	return true;
}
