/*
 * machine_file.h - entries as the text of a machine file
 */
#ifndef ENGINE_PROBE_MACHINE_FILE_H
#define ENGINE_PROBE_MACHINE_FILE_H

#include <stdio.h>

#include "engine/probe/entries.h"

/* Write it whole: @comments, NULL at their end, then the entries. */
void machine_file_print(const struct entries *entries, char *const *comments, FILE *out);

#endif
