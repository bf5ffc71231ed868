/*
 * table.h - what was measured, for people
 */
#ifndef ENGINE_PROBE_TABLE_H
#define ENGINE_PROBE_TABLE_H

#include <stdio.h>

#include "engine/probe/figures.h"

/* All figures; then the matrix of hand-overs, if all of a small machine's were measured. */
void probe_print(const struct probe *probe, const struct figures *figures, const char *cpu,
		 FILE *out);

#endif
