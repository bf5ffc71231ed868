/*
 * transaction.h - one line is one server
 *
 * A transaction is a load that misses, or a request to own a line (RFO, or
 * upgrade of a copy). Each goes
 *
 *	T           request made; the waiter joins the line's queue
 *	leaves_at   the line leaves its holders: the request has travelled, the
 *	            line is free, and arbitration chose this waiter
 *	arrives     the data is there: the access is performed
 *	free_at     the new owner has kept it for its hold time
 *
 *	T + request share      previous free_at
 *	        \                /
 *	         max = leaves_at ---- rest of the transfer ----> arrives -- hold --> free_at
 *
 * so an idle line costs exactly the published transfer, and a busy one as much
 * per grant as the data's way plus the hold.
 */
#ifndef MACHINE_VIRTUAL_TRANSACTION_H
#define MACHINE_VIRTUAL_TRANSACTION_H

#include "machine/virtual/lines.h"

void transaction_boot(u64 seed);

/*
 * @cpu wants @line for @access, from now on. @slot: of its waiters; 0 for the
 * access that it waits for itself, others for stores.
 */
void transaction_request(struct cpu *cpu, int slot, struct shared_line *line,
			 const struct access *access);

/* Event: the data of @waiter is there. Return: the CPU that can go on, or NULL. */
struct cpu *transaction_arrive(struct waiter *waiter, u64 now);

/* Event: a line that only hands out copies can serve the next one. */
void transaction_ready(struct shared_line *line, u64 now);

#endif
