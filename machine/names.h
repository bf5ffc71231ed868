/*
 * names.h - what lies at an address, for reports
 *
 * The machine room does not know folios or files; the room that does registers
 * a namer for the range, and reports ask it.
 */
#ifndef MACHINE_NAMES_H
#define MACHINE_NAMES_H

#include "machine/types.h"

struct object_name {
	char name[64];		/* "folio of /file", "file /tmp/a" */
	const char *type;	/* the C struct at @start ("page"), or NULL; static */
	const void *start;	/* where that struct begins */
};

/* Fill in @name for @address. Return: false if there is nothing to say. */
typedef bool (*namer_func)(const void *address, struct object_name *name);

/* Later registrations win where ranges overlap. Context: boot. */
void register_namer(const void *start, size_t size, namer_func func);

/* Context: shutdown. */
void forget_namers(void);

/* Context: no task runs, or reporting. Return: false when nobody knows @address. */
bool name_of(const void *address, struct object_name *name);

#endif
