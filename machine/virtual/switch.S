/*
 * switch.S - leave one stack and go on with another (x86-64, System V ABI)
 *
 * A stack that does not run holds, from its stack pointer up:
 *
 *	r15  r14  r13  r12  rbx  rbp  return address
 *
 * Only what a callee must preserve is saved: the compiler has spilled the rest.
 */
#ifdef __x86_64__
	.text

/* void coroutine_swap(void **from, void *to) */
	.globl	coroutine_swap
	.type	coroutine_swap, @function
	.p2align 4
coroutine_swap:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	coroutine_swap, . - coroutine_swap

/* First return address of a new stack: r12 is the entry, r13 its argument. */
	.globl	coroutine_enter
	.type	coroutine_enter, @function
	.p2align 4
coroutine_enter:
	.cfi_startproc
	.cfi_undefined rip	/* a backtrace ends here */
	movq	%r13, %rdi
	callq	*%r12
	ud2
	.cfi_endproc
	.size	coroutine_enter, . - coroutine_enter
#endif
	.section .note.GNU-stack, "", @progbits
