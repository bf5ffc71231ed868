/*
 * yaml_text.h - load a file that a test holds as text
 */
#ifndef TESTS_YAML_TEXT_H
#define TESTS_YAML_TEXT_H

/* cmocka needs these, in this order, before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "yaml/load.h"

/* Put @text into a new file. Return: its path, in @path; the caller unlinks it. */
static inline const char *
text_file(const char *text, char path[static 64])
{
	int fd;

	strcpy(path, "/tmp/yaml_test.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* Load @text as a workload with @nr overrides; it must be right. */
static inline struct workload *
text_workload(const char *text, const struct override *overrides, int nr)
{
	char path[64];
	const struct workload_source source = { text_file(text, path), overrides, nr };
	struct workload *workload = workload_load(&source, stderr);

	unlink(path);
	assert_non_null(workload);
	return workload;
}

#endif
