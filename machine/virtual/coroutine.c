/*
 * coroutine.c - making coroutines, and switching them where switch.S does not apply
 */
#include "machine/virtual/coroutine.h"

#if COROUTINE_OWN_SWITCH

void coroutine_enter(void); /* switch.S */

/* What coroutine_swap() pops, lowest address first. */
struct first_frame {
	u64 r15;
	u64 r14;
	void *r13;
	void (*r12)(void *arg);
	u64 rbx;
	u64 rbp;
	void (*return_address)(void);
	u64 end_of_stack[2]; /* the second one aligns the call in coroutine_enter() */
};

void
coroutine_init(struct coroutine *coroutine, void *stack, size_t size, void (*entry)(void *arg),
	       void *arg)
{
	struct first_frame *frame = (struct first_frame *)((char *)stack + size) - 1;

	*frame = (struct first_frame){
		.r13 = arg, .r12 = entry, .return_address = coroutine_enter
	};
	coroutine->stack_pointer = frame;
}

#else

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

/* Who switched last, and the coroutine that its target has to settle accounts with. */
static struct coroutine *switched_from;

static void
switch_begin(struct coroutine *from, struct coroutine *to)
{
	switched_from = from;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_size);
#endif
}

static void
switch_end(struct coroutine *self)
{
#ifdef __SANITIZE_ADDRESS__
	struct coroutine *from = switched_from;

	__sanitizer_finish_switch_fiber(self->fake_stack, &from->stack, &from->stack_size);
#endif
}

static void
coroutine_first(unsigned int low, unsigned int high)
{
	struct coroutine *self = (struct coroutine *)((u64)high << 32 | low);

	switch_end(self);
	self->entry(self->arg);
	abort();
}

void
coroutine_init(struct coroutine *coroutine, void *stack, size_t size, void (*entry)(void *arg),
	       void *arg)
{
	u64 self = (u64)coroutine;

	*coroutine = (struct coroutine){
		.entry = entry, .arg = arg, .stack = stack, .stack_size = size
	};
	getcontext(&coroutine->context);
	coroutine->context.uc_stack.ss_sp = stack;
	coroutine->context.uc_stack.ss_size = size;
	makecontext(&coroutine->context, (void (*)(void))coroutine_first, 2, (unsigned int)self,
		    (unsigned int)(self >> 32));
}

void
coroutine_switch(struct coroutine *from, struct coroutine *to)
{
	switch_begin(from, to);
	swapcontext(&from->context, &to->context);
	switch_end(from);
}

#endif
