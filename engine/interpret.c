/*
 * interpret.c - see interpret.h
 *
 * This is the measured loop: no allocation, no formatting, one switch per step.
 * It must also run on the small stack of a modelled task.
 */
#include "engine/interpret.h"

#include "engine/pattern.h"

static int
step_open(const struct instruction *step, const struct syscalls *sys)
{
	int fd = sys->open(step->path, step->flags, 0644);

	if (fd >= 0)
		*step->fd = fd;
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

/* Return: negative on failure: -errno, unless error->wrong_contents says more. */
static ssize_t
run_step(const struct instruction *step, const struct syscalls *sys, struct interpret_error *error)
{
	switch (step->op) {
	case OP_OPEN:
		return step_open(step, sys);
	case OP_CLOSE:
		return sys->close(*step->fd);
	case OP_PREAD:
		return step_pread(step, sys, error);
	case OP_PWRITE:
		return sys->pwrite(*step->fd, step->buffer, step->bytes, step->offset);
	case OP_WORK:
		sys->work(step->time_ns);
		return 0;
	case OP_LOAD:
		sys->raw_load(*step->raw);
		return 0;
	case OP_STORE:
		sys->raw_store(*step->raw, step->value);
		return 0;
	case OP_FETCH_ADD:
		sys->raw_fetch_add(*step->raw, step->value);
		return 0;
	case OP_CMPXCHG:
		sys->raw_cmpxchg(*step->raw, step->old, step->value);
		return 0;
	case OP_CAS_LOOP:
		sys->raw_cas_loop(*step->raw, step->value, step->on_fail);
		return 0;
	case OP_PAUSE:
		sys->raw_pause();
		return 0;
	case OP_PASS:
		sys->raw_pass(*step->raw, step->old, step->value, step->stop);
		return 0;
	case OP_POLL_PASS:
		sys->raw_poll_pass(*step->raw, step->old, step->value, step->stop);
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
		if (result >= 0)
			continue;
		error->op = step->op;
		error->line = step->line;
		error->error = error->wrong_contents ? 0 : (int)-result;
		return false;
	}
	return true;
}
