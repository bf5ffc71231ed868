/*
 * text.h - the figures as people and machine files write them
 */
#ifndef ENGINE_PROBE_TEXT_H
#define ENGINE_PROBE_TEXT_H

#include "machine/types.h"

#define TEXT_SIZE 32

/* @fs to three digits: "380ps", "2.11ns", "57.3us". */
const char *text_time(char text[TEXT_SIZE], u64 fs);

/* The clock whose cycle takes @cycle_fs, to three digits: "3.27GHz". */
const char *text_clock(char text[TEXT_SIZE], u64 cycle_fs);

/* @fs in cycles, to two decimals: "1.25". */
const char *text_cycles(char text[TEXT_SIZE], u64 fs, u64 cycle_fs);

#endif
