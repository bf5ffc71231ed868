/*
 * interpret.h - run a program by making its system calls
 *
 * The YAML interpreter is one body among others: it knows the system calls and
 * nothing else, in particular not the machine kind.
 */
#ifndef ENGINE_INTERPRET_H
#define ENGINE_INTERPRET_H

#include "engine/program.h"
#include "vfs/kernel_ops.h"

/* Why a program stopped before its end. */
struct interpret_error {
	enum op_code op;
	int line;	/* in the workload file */
	int error;	/* errno; 0 with wrong_contents, or if it succeeded */
	int expected;	/* the errno that it should have failed with, or 0 */
	bool wrong_contents; /* a read brought something else than the pattern */
	u64 offset;	/* of the first wrong byte */
	u8 found;
	u8 wanted;
};

/*
 * Run @program once. Context: a body. Return: true if every step did what it should; else
 * false, and @error says which did not.
 */
bool interpret(const struct program *program, const struct syscalls *sys,
	       struct interpret_error *error);

#endif
