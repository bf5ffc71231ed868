/*
 * format.h - numbers the way people read them
 */
#ifndef ENGINE_REPORT_FORMAT_H
#define ENGINE_REPORT_FORMAT_H

#include "machine/types.h"

#define FORMAT_SIZE 40 /* enough for every text that is made here */

/* "1 342 500" */
const char *format_thousands(char text[FORMAT_SIZE], u64 value);

/* "1 task", "24 tasks" */
const char *format_tasks(char text[FORMAT_SIZE], int tasks);

/* Tenths of a percent with a sign: "+0.2%", "-53.1%". */
const char *format_boost(char text[FORMAT_SIZE], s64 permille);

/* A ratio of RATIO_ONE (engine/result.h), to one decimal: "6.2%". */
const char *format_error(char text[FORMAT_SIZE], u64 ratio);

/* A ratio of RATIO_ONE as a count, to two decimals: "5.81". */
const char *format_count(char text[FORMAT_SIZE], u64 ratio);

#endif
