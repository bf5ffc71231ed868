/*
 * published.h - the `published:` mapping: what someone measured on the real machine
 */
#ifndef YAML_PUBLISHED_H
#define YAML_PUBLISHED_H

#include "yaml/check.h"
#include "yaml/schema.h"

/* Fill in @workload->published; its variants are known already. @raw may be NULL. */
void take_published(struct check *check, const struct raw_published *raw,
		    struct workload *workload);

#endif
