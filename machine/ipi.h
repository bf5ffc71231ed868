/*
 * ipi.h - interrupting another CPU, as a TLB shoot-down does
 *
 * The virtual kind's business: on the host kind no hardware reads the
 * mini-kernel's page tables, so nobody has anything to be interrupted for.
 * Nothing sends one yet: there are no page tables.
 */
#ifndef MACHINE_IPI_H
#define MACHINE_IPI_H

#include "machine/types.h"

/*
 * send_ipi - have @cpu call @handler(@arg) once the machine file's `ipi` has passed
 *
 * The handler cuts think time and spinning short; a CPU that waits for a line
 * takes it when the line has come. It sees what the sender wrote before, runs on
 * the interrupted task's stack and is not interrupted itself. It must neither
 * sleep nor take a lock that tasks hold.
 * Context: a task; @cpu is another CPU. Return: false if @cpu runs no task. Then
 * nothing is sent: Linux spares idle CPUs in a shoot-down as well.
 */
#ifdef MACHINE_VIRTUAL
bool send_ipi(int cpu, void (*handler)(void *arg), void *arg);
#else
static __always_inline bool
send_ipi(int cpu, void (*handler)(void *arg), void *arg)
{
	return false;
}
#endif

#endif
