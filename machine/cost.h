/*
 * cost.h - time for work that touches no shared line
 */
#ifndef MACHINE_COST_H
#define MACHINE_COST_H

#include "machine/types.h"

#define COST(name, summary) COST_##name,
enum cost {
#include "machine/costs.def"
	COST_MAX,
};
#undef COST

/*
 * spend() - let the calling CPU work for the time that the machine file gives
 * @cost. Nothing on the host kind. Context: any.
 */
#ifdef MACHINE_VIRTUAL
void spend(enum cost cost);
#else
static __always_inline void
spend(enum cost cost)
{
	(void)cost;
}
#endif

#endif
