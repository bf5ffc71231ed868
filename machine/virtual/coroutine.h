/*
 * coroutine.h - a thread of control that is switched by hand
 *
 * Whoever gives up the CPU names its successor: there is no loop in between.
 * x86-64 has a switch of its own (switch.S, six saved registers); other
 * processors and sanitizer builds use ucontext, which a sanitizer can follow.
 * The mini-kernel has no floating point, so its control words are not saved.
 */
#ifndef MACHINE_VIRTUAL_COROUTINE_H
#define MACHINE_VIRTUAL_COROUTINE_H

#include "machine/types.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COROUTINE_OWN_SWITCH 1
#else
#define COROUTINE_OWN_SWITCH 0
#include <ucontext.h>
#endif

struct coroutine {
#if COROUTINE_OWN_SWITCH
	void *stack_pointer;	/* while it does not run */
#else
	ucontext_t context;
	void (*entry)(void *arg);
	void *arg;
	const void *stack;	/* for the sanitizer; learned at the first switch if not given */
	size_t stack_size;
	void *fake_stack;
#endif
};

/*
 * Make @coroutine start with @entry(@arg) on [@stack, @stack + @size) when it
 * is switched to for the first time. @entry must not return.
 */
void coroutine_init(struct coroutine *coroutine, void *stack, size_t size,
		    void (*entry)(void *arg), void *arg);

/* Save the running context in @from and go on with @to. */
#if COROUTINE_OWN_SWITCH
void coroutine_swap(void **from, void *to); /* switch.S */

static __always_inline void
coroutine_switch(struct coroutine *from, struct coroutine *to)
{
	coroutine_swap(&from->stack_pointer, to->stack_pointer);
}
#else
void coroutine_switch(struct coroutine *from, struct coroutine *to);
#endif

#endif
