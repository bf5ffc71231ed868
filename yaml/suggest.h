/*
 * suggest.h - "did you mean ...?"
 */
#ifndef YAML_SUGGEST_H
#define YAML_SUGGEST_H

#include "machine/types.h"

/* Feed the candidates one by one, then ask. */
struct suggestion {
	const char *wrong;
	const char *best;	/* nearest candidate so far, or NULL if none is near */
	int distance;
};

#define SUGGESTION(text) ((struct suggestion){ .wrong = (text) })

void suggest(struct suggestion *suggestion, const char *candidate);

/* " (did you mean 'best'?)", or "". @buffer holds the text. */
const char *suggestion_text(const struct suggestion *suggestion, char buffer[static 128]);

#endif
